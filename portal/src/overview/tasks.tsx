import type { ReactNode } from 'react'
import { PathLink } from '../ui/link.tsx'
import { EmptyState, Soft } from '../ui/panels.tsx'
import { Status, type Meaning } from '../ui/status.tsx'
import { Time } from '../ui/values.tsx'
import css from './overview.module.css'

export interface Task {
  id: string
  /** The state's label and meaning. */
  state: string
  meaning?: Meaning
  what: ReactNode
  /** The task, in a sentence. */
  todo: string
  due_at?: string | null
}

interface TasksProps {
  tasks: readonly Task[]
  /** A link to the rest. */
  more?: ReactNode
  /** The empty state. */
  empty: string
}

/** A list of tasks. */
export function Tasks({ tasks, more, empty }: TasksProps) {
  if (tasks.length === 0)
    return (
      <div className={css.pad}>
        <EmptyState title="You’re all caught up">
          <p>{empty}</p>
        </EmptyState>
      </div>
    )
  return (
    <ul className={css.tasks}>
      {tasks.map(({ id, state, meaning = 'needs-you', what, todo, due_at = null }) => (
        <li key={id} className={css.task}>
          <Status meaning={meaning}>{state}</Status>
          <div className={css.words}>
            <strong>{what}</strong>
            <Soft size="body">{todo}</Soft>
          </div>
          {due_at !== null && (
            <span className={css.due}>
              by <Time at={due_at} date />
            </span>
          )}
        </li>
      ))}
      {more}
    </ul>
  )
}

/** A link to the full list. */
export const More = ({ to = '/port-orders', children }: { to?: string; children: ReactNode }) => (
  <li className={css.order}>
    <PathLink to={to}>{children}</PathLink>
  </li>
)

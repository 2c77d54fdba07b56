import type { ReactNode } from 'react'
import { EmptyState, Lines, type Meaning, PathLink, Soft, Status, Time } from '../ui/index.ts'
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
        <EmptyState title="You’re all caught up">{empty}</EmptyState>
      </div>
    )
  return (
    <Lines>
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
    </Lines>
  )
}

/** A link to the full list. */
export const More = ({ to = '/port-orders', children }: { to?: string; children: ReactNode }) => (
  <li>
    <PathLink to={to}>{children}</PathLink>
  </li>
)

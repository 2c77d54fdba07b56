import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { q, type Body } from '../api.ts'
import { Loaded } from '../shell/loaded.tsx'
import { Link, PathLink } from '../ui/link.tsx'
import { Card, EmptyState } from '../ui/panels.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { Soft } from '../ui/soft.tsx'
import { Status } from '../ui/status.tsx'
import { Time } from '../ui/values.tsx'
import css from './overview.module.css'

type Order = Body<'listPortOrders'>['data'][number]

/** The first screenful; the list of port orders has all. */
const shown_max = 6

interface Task {
  id: string
  /** The word of the state. */
  state: string
  what: ReactNode
  /** What has to be done, in a sentence. */
  todo: string
  due_at: string | null
}

/** What waits for the account holder, what is due first at the top. */
export function NeedsYou() {
  const coverage = useQuery(q('listE911Coverage', { query: { limit: 1, gap: 'no_address' } }))
  const orders = useQuery(q('listPortOrders', { query: { who: 'account', order: 'due', limit: shown_max } }))
  return (
    <Card title="Needs you" flush>
      <Loaded query={orders} skeleton={<Skeleton rows={4} tall />}>
        {({ data, links }) => (
          <Loaded query={coverage} skeleton={<Skeleton rows={4} tall />}>
            {({ meta }) => (
              <Tasks
                tasks={[...addressTask(meta.no_address), ...data.map(orderTask)]}
                more={links.next !== undefined}
              />
            )}
          </Loaded>
        )}
      </Loaded>
    </Card>
  )
}

/** In their sequence; `more` says that there are orders which are not among them. */
function Tasks({ tasks, more }: { tasks: readonly Task[]; more: boolean }) {
  if (tasks.length === 0)
    return (
      <div className={css.pad}>
        <EmptyState title="Nothing waits for you">
          <p>
            Port orders that need a signature or a correction, and numbers without an emergency address, appear here
            with their deadline.
          </p>
        </EmptyState>
      </div>
    )
  return (
    <ul className={css.tasks}>
      {tasks.map(({ id, state, what, todo, due_at }) => (
        <li key={id} className={css.task}>
          <Status meaning={state === 'Rejected' ? 'refused' : 'needs-you'}>{state}</Status>
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
      {more && <More>All orders that wait for you</More>}
    </ul>
  )
}

/** The list that has those which are not shown. */
export const More = ({ children }: { children: ReactNode }) => (
  <li className={css.order}>
    <PathLink to="/port-orders">{children}</PathLink>
  </li>
)

const orderTask = ({ id, attributes: { alias, status, next, rejection } }: Order): Task => ({
  id: `order ${id}`,
  state: status,
  what: <PathLink to={`/port-orders/${id}`}>{alias === '' ? `Port order ${id}` : alias}</PathLink>,
  todo: rejection === null ? next.what : `${rejection.title}: ${rejection.fix}`,
  due_at: next.due_at,
})

const addressTask = (count: number): Task[] =>
  count === 0
    ? []
    : [
        {
          id: 'no address',
          state: 'No address',
          what: (
            <Link to="/numbers" search={{ e911: 'none' }}>
              {count === 1 ? '1 number has no emergency address' : `${count} numbers have no emergency address`}
            </Link>
          ),
          todo: 'A dispatcher would not know where to send help.',
          due_at: null,
        },
      ]

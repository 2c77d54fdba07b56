import { useQuery } from '@tanstack/react-query'
import { q, type Body } from '../api.ts'
import { orderTitle } from '../port-orders/words.ts'
import { Loaded } from '../shell/loaded.tsx'
import { Link, PathLink } from '../ui/link.tsx'
import { Card, EmptyState } from '../ui/panels.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import css from './overview.module.css'
import { More, Tasks, type Task } from './tasks.tsx'
import { PortNumbers } from '../port-orders/port-numbers.tsx'

type Order = Body<'listPortOrders'>['data'][number]

/** The first screenful; the list of port orders has all. */
const shown_max = 6

/** What the card shows; the page waits for it too. */
export const useWaiting = () => ({
  coverage: useQuery(q('listE911Coverage', { query: { limit: 1, gap: 'no_address' } })),
  orders: useQuery(q('listPortOrders', { query: { who: 'account', order: 'due', limit: shown_max } })),
})

const shape = <Skeleton rows={4} tall />

/** What waits for the account holder, what is due first at the top. */
export function NeedsYou() {
  const { coverage, orders } = useWaiting()
  return (
    <Card title="Needs you" flush>
      <Loaded query={orders} skeleton={shape}>
        {({ data, links }) => (
          <Loaded query={coverage} skeleton={shape}>
            {({ meta }) => {
              const tasks = [...addressTask(meta.no_address), ...data.map(orderTask)]
              if (tasks.length === 0) return <Nothing />
              return (
                <Tasks
                  {...{ tasks, empty }}
                  more={links.next !== undefined && <More>All orders that wait for you</More>}
                />
              )
            }}
          </Loaded>
        )}
      </Loaded>
    </Card>
  )
}

const empty =
  'Port orders that need a signature or a correction, and numbers without an emergency address, appear here with their deadline.'

/** What stands here later, or the first step of an account that has no numbers yet. */
function Nothing() {
  const numbers = useQuery(q('listNumbers', { query: { limit: 1 } }))
  return (
    <Loaded query={numbers} skeleton={shape}>
      {({ data }) => (data.length === 0 ? <FirstStep /> : <Tasks tasks={[]} empty={empty} />)}
    </Loaded>
  )
}

const FirstStep = () => (
  <div className={css.pad}>
    <EmptyState title="Begin with your numbers" verb={<PortNumbers />}>
      <p>
        This account has none yet. Bring those that people know you by from another carrier, or ask your operator for
        new ones. Each then gets a route, a caller-ID name and an emergency address, and what waits for you stands here
        with its deadline.
      </p>
    </EmptyState>
  </div>
)

function orderTask(order: Order): Task {
  const { status, next, rejection } = order.attributes
  return {
    id: `order ${order.id}`,
    state: status,
    meaning: status === 'Rejected' ? 'refused' : 'needs-you',
    what: <PathLink to={`/port-orders/${order.id}`}>{orderTitle(order)}</PathLink>,
    todo: rejection === null ? next.what : `${rejection.title}. ${rejection.fix}`,
    due_at: next.due_at,
  }
}

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
        },
      ]

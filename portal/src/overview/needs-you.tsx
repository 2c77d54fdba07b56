import { countText } from '@demarc/client/rules'
import { type Body, useRead } from '../api.ts'
import { orderTitle } from '../port-orders/words.ts'
import { Loaded } from '../shell/loaded.tsx'
import { Card, EmptyState, Link, PathLink, Skeleton } from '../ui/index.ts'
import css from './overview.module.css'
import { More, Tasks, type Task } from './tasks.tsx'
import { PortNumbers } from '../shell/page.tsx'

type Order = Body<'listPortOrders'>['data'][number]

/** Rows shown; the port-order list has all. */
const shown_max = 6

/** The card's query, which the page also waits for. */
export const useWaiting = () => ({
  coverage: useRead('listE911Coverage', { query: { limit: 1, gap: 'no_address' } }),
  orders: useRead('listPortOrders', { query: { who: 'account', order: 'due', limit: shown_max } }),
})

const shape = <Skeleton rows={4} tall />

/** Tasks of the customer, by due date. */
export function NeedsYou() {
  const { coverage, orders } = useWaiting()
  return (
    <Card title="Needs your attention" flush>
      <Loaded query={orders} skeleton={shape}>
        {({ data, links }) => (
          <Loaded query={coverage} skeleton={shape}>
            {({ meta }) => {
              const tasks = [...addressTask(meta.no_address), ...data.map(orderTask)]
              if (tasks.length === 0) return <Nothing />
              return (
                <Tasks
                  {...{ tasks, empty }}
                  more={links.next !== undefined && <More>All orders waiting on you</More>}
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

/** The empty state: what will appear here, or the first step of a new account. */
function Nothing() {
  const numbers = useRead('listNumbers', { query: { limit: 1 } })
  return (
    <Loaded query={numbers} skeleton={shape}>
      {({ data }) => (data.length === 0 ? <FirstStep /> : <Tasks tasks={[]} empty={empty} />)}
    </Loaded>
  )
}

const FirstStep = () => (
  <div className={css.pad}>
    <EmptyState title="Start with your numbers" verb={<PortNumbers />}>
      This account has no numbers yet. Port your numbers from another carrier, or ask your operator for new ones. Then
      set each number’s route, caller ID name, and emergency address. Tasks appear here with their deadlines.
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
              {countText(count, 'number has', 'numbers have')} no emergency address
            </Link>
          ),
          todo: 'If someone dials 911, dispatchers won’t know where to send help.',
        },
      ]

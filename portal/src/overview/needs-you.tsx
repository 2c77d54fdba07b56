import { useQuery } from '@tanstack/react-query'
import { q, type Body } from '../api.ts'
import { Loaded } from '../shell/loaded.tsx'
import { Link, PathLink } from '../ui/link.tsx'
import { Card } from '../ui/panels.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { More, Tasks, type Task } from './tasks.tsx'

type Order = Body<'listPortOrders'>['data'][number]

/** The first screenful; the list of port orders has all. */
const shown_max = 6

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
                more={links.next !== undefined && <More>All orders that wait for you</More>}
                empty="Port orders that need a signature or a correction, and numbers without an emergency address, appear here with their deadline."
              />
            )}
          </Loaded>
        )}
      </Loaded>
    </Card>
  )
}

const orderTask = ({ id, attributes: { alias, status, next, rejection } }: Order): Task => ({
  id: `order ${id}`,
  state: status,
  meaning: status === 'Rejected' ? 'refused' : 'needs-you',
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
        },
      ]

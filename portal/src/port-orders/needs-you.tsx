import { useQuery } from '@tanstack/react-query'
import { q, type Body } from '../api.ts'
import { LinkButton, Link } from '../ui/link.tsx'
import { Card, Row } from '../ui/panels.tsx'
import { Soft } from '../ui/soft.tsx'
import { Status } from '../ui/status.tsx'
import { Time } from '../ui/values.tsx'
import css from './list.module.css'
import { meaningOf, numbersText, orderTitle, statusText, type PortOrder } from './words.ts'

/** More than these are in the list below, by their status. */
const shown_max = 20

/** Orders that wait for the account holder, the most pressing first. */
export function NeedsYou() {
  const rejected = useQuery(q('listPortOrders', { query: { status: 'Rejected', limit: shown_max } }))
  const pending = useQuery(q('listPortOrders', { query: { status: 'Pending', limit: shown_max } }))
  const orders = [...ordersOf(rejected.data), ...ordersOf(pending.data)]
  if (orders.length === 0) return null
  return (
    <Card title="Needs you" flush>
      <ul className={css.waiting}>
        {orders.map((order) => (
          <WaitingOrder key={order.id} order={order} />
        ))}
      </ul>
      {[rejected.data, pending.data].some((list) => list?.links.next !== undefined) && (
        <p className={css.more}>
          There are more: see all that are{' '}
          <Link to="/port-orders" search={{ status: 'Rejected' }}>
            rejected
          </Link>{' '}
          or{' '}
          <Link to="/port-orders" search={{ status: 'Pending' }}>
            pending
          </Link>
          .
        </p>
      )}
    </Card>
  )
}

const ordersOf = (list: Body<'listPortOrders'> | undefined): readonly PortOrder[] =>
  (list?.data ?? []).toSorted((a, b) => Date.parse(dueOf(a)) - Date.parse(dueOf(b)))

const dueOf = ({ attributes: { next, created_at } }: PortOrder) => next.due_at ?? created_at

function WaitingOrder({ order }: { order: PortOrder }) {
  const { status, next, rejection, numbers_count } = order.attributes
  return (
    <li className={css.waitingOrder}>
      <div className={css.waitingWords}>
        <Row>
          <Link to="/port-orders/$order" params={{ order: order.id }}>
            {orderTitle(order)}
          </Link>
          <Status meaning={meaningOf(status)}>{statusText(status)}</Status>
        </Row>
        <p>{rejection === null ? next.what : `${rejection.title}. ${rejection.fix}`}</p>
        <Soft as="p">
          {numbersText(numbers_count)}
          {next.due_at !== null && (
            <>
              {' · '}
              {next.becomes === 'Abandoned' ? 'given up' : 'cancelled'} without your move on{' '}
              <Time at={next.due_at} date />
            </>
          )}
        </Soft>
      </div>
      {status === 'Pending' ? (
        <LinkButton to="/port-orders/new" search={{ order: order.id }}>
          Continue
        </LinkButton>
      ) : (
        <LinkButton to="/port-orders/$order" params={{ order: order.id }}>
          Correct it
        </LinkButton>
      )}
    </li>
  )
}

import type { ReactNode } from 'react'
import { useRead } from '../api.ts'
import { IfAllowed } from '../shell/page.tsx'
import { Loaded } from '../shell/loaded.tsx'
import { Card, Link, LinkButton, Row, Skeleton, Soft, Status, Time } from '../ui/index.ts'
import css from './list.module.css'
import { listRefresh_ms } from './queries.ts'
import { meaningOf, numbersText, orderTitle, statusText, type PortOrder } from './words.ts'

/** Orders shown; the list below has the rest. */
const shown_max = 20

/** Orders waiting on the customer, by due date. Rendered with the list, because it would shift the list if it appeared later. */
export function NeedsYou({ shown, children }: { shown: boolean; children: ReactNode }) {
  const waiting = useRead(
    'listPortOrders',
    { query: { who: 'account', order: 'due', limit: shown_max } },
    { refetchInterval: listRefresh_ms },
  )
  return (
    <Loaded query={waiting} skeleton={<Skeleton rows={10} tall />}>
      {({ data, links }) => (
        <>
          {shown && data.length > 0 && <Waiting orders={data} more={links.next !== undefined} />}
          {children}
        </>
      )}
    </Loaded>
  )
}

function Waiting({ orders, more }: { orders: readonly PortOrder[]; more: boolean }) {
  return (
    <Card title="Needs your attention" flush>
      <ul className={css.waiting}>
        {orders.map((order) => (
          <WaitingOrder key={order.id} order={order} />
        ))}
      </ul>
      {more && (
        <p className={css.more}>
          See all orders that are{' '}
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
              {next.becomes === 'Abandoned' ? 'abandoned' : 'canceled'} on <Time at={next.due_at} date />, unless you{' '}
              {status === 'Pending' ? 'complete' : 'correct'} it
            </>
          )}
        </Soft>
      </div>
      {status === 'Pending' ? (
        <IfAllowed>
          <LinkButton to="/port-orders/new" search={{ order: order.id }}>
            Continue
          </LinkButton>
        </IfAllowed>
      ) : (
        <IfAllowed>
          <LinkButton to="/port-orders/$order" params={{ order: order.id }}>
            Fix it
          </LinkButton>
        </IfAllowed>
      )}
    </li>
  )
}

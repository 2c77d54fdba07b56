import { type Body, useRead } from '../api.ts'
import { Loaded } from '../shell/loaded.tsx'
import { numbersText, orderTitle, stageOf, stages } from '../port-orders/words.ts'
import { Card, Day, EmptyLine, Lines, PathLink, Row, Skeleton, Soft, StageStrip } from '../ui/index.ts'
import css from './overview.module.css'
import { More } from './tasks.tsx'

type Order = Body<'listPortOrders'>['data'][number]

const shown_max = 4

/** The card's query, which the page also waits for. */
export const useMoving = () => ({
  away: useRead('listPortOrders', { query: { who: 'carrier', order: 'due', limit: shown_max } }),
  here: useRead('listPortOrders', { query: { who: 'operator', order: 'due', limit: shown_max } }),
})

/** Orders waiting on someone else: those at the losing carrier first, by date. */
export function Moving() {
  const { away, here } = useMoving()
  return (
    <Card title="In progress" flush>
      <Loaded query={away} skeleton={shape}>
        {(first) => (
          <Loaded query={here} skeleton={shape}>
            {(second) => (
              <Orders
                orders={[...first.data, ...second.data]}
                more={first.links.next !== undefined || second.links.next !== undefined}
              />
            )}
          </Loaded>
        )}
      </Loaded>
    </Card>
  )
}

const shape = <Skeleton rows={4} tall />

function Orders({ orders, more }: { orders: readonly Order[]; more: boolean }) {
  if (orders.length === 0)
    return (
      <EmptyLine>
        No port orders in progress. Orders that we or the losing carrier are working on appear here with their dates.
      </EmptyLine>
    )
  return (
    <Lines>
      {orders.slice(0, shown_max).map((order) => (
        <MovingOrder key={order.id} order={order} />
      ))}
      {(more || orders.length > shown_max) && <More>All port orders</More>}
    </Lines>
  )
}

function MovingOrder({ order }: { order: Order }) {
  const { status, next, completion_date, numbers_count } = order.attributes
  const title = orderTitle(order)
  return (
    <li className={css.order}>
      <Row apart>
        <strong>
          <PathLink to={`/port-orders/${order.id}`}>{title}</PathLink>
        </strong>
        <Soft size="body">
          {numbersText(numbers_count)}
          {completion_date !== null && (
            <>
              , arrives <Day value={completion_date} weekday />
            </>
          )}
        </Soft>
      </Row>
      <StageStrip label={`Stages of ${title}`} stages={stages} at={stageOf[status] ?? 0} />
      <Soft size="body">{next.what}</Soft>
    </li>
  )
}

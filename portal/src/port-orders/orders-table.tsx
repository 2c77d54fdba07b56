import { terminal } from '@demarc/client/rules'
import { useToday } from '../clock.ts'
import { type Column, Day, Link, Soft, StageStrip, Status, Table } from '../ui/index.ts'
import css from './list.module.css'
import {
  daysLeftText,
  meaningOf,
  numbersText,
  orderTitle,
  stageOf,
  stagesInShort,
  statusText,
  type PortOrder,
} from './words.ts'

/** The table of orders, which marks orders from the same request. */
export function OrdersTable({ orders, busy }: { orders: readonly PortOrder[]; busy: boolean }) {
  return <Table label="Port orders" columns={columnsOf(orders)} rows={orders} busy={busy} />
}

const columnsOf = (orders: readonly PortOrder[]): Column<PortOrder>[] => [
  {
    title: 'Order',
    head: true,
    cell: (order) => <OrderName order={order} together={together(order, orders)} />,
  },
  {
    title: 'Status',
    cell: ({ attributes: { status } }) => <Status meaning={meaningOf(status)}>{statusText(status)}</Status>,
  },
  { title: 'Progress', minor: true, cell: ({ attributes }) => <Stages status={attributes.status} /> },
  { title: 'FOC date', cell: ({ attributes }) => <FocDate order={attributes} /> },
]

/** The number of listed orders from the same request. */
const together = (order: PortOrder, orders: readonly PortOrder[]) =>
  orders.filter(({ attributes }) => attributes.group_id === order.attributes.group_id).length

function OrderName({ order, together }: { order: PortOrder; together: number }) {
  const { numbers_count, group_id, provider } = order.attributes
  return (
    <div className={css.name}>
      <Link to="/port-orders/$order" params={{ order: order.id }}>
        {orderTitle(order)}
      </Link>
      <Soft below>
        {order.id} · {numbersText(numbers_count)} from {provider}
        {together > 1 && (
          <>
            {' · '}
            <Link to="/port-orders" search={{ group_id }}>
              ordered with {together - 1} other{together > 2 ? 's' : ''}
            </Link>
          </>
        )}
      </Soft>
    </div>
  )
}

/** An order's progress; a dash if it ended early. */
export function Stages({ status }: { status: PortOrder['attributes']['status'] }) {
  const at = stageOf[status]
  if (at === null) return <span className={css.none}>—</span>
  return (
    <div className={css.stages}>
      <StageStrip label="Progress" stages={stagesInShort} at={at} meaning={meaningOf(status)} terse />
    </div>
  )
}

/** The agreed FOC date and the days left, or the requested date before that. */
export function FocDate({ order }: { order: PortOrder['attributes'] }) {
  const today = useToday()
  const { completion_date, desired_completion_date, status } = order
  if (completion_date !== null)
    return (
      <>
        <Day value={completion_date} weekday />
        {status === 'Accepted' && <Soft below>{daysLeftText(completion_date, today, order)}</Soft>}
      </>
    )
  if (terminal(status)) return <span className={css.none}>—</span>
  if (desired_completion_date === null) return <span className={css.none}>Not yet</span>
  return (
    <>
      <span className={css.none}>Not yet</span>
      <Soft below>
        requested: <Day value={desired_completion_date} />
      </Soft>
    </>
  )
}

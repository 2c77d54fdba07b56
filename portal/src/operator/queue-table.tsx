import { numbersText, statusText } from '../port-orders/words.ts'
import { type Column, Link, type Selection, Soft, Status, Table, Time } from '../ui/index.ts'
import { operatorMeaning, operatorTitle, type QueuedOrder } from './verbs.ts'

interface QueueTableProps {
  orders: readonly QueuedOrder[]
  /** The order open next to the list. */
  current: string | undefined
  selection: Selection
  busy: boolean
}

/** Orders of all accounts by due time. */
export function QueueTable({ orders, current, selection, busy }: QueueTableProps) {
  const columns = columnsOf(current)
  return (
    <Table
      label="Queue"
      columns={current === undefined ? columns : columns.filter(({ minor }) => minor !== true)}
      rows={orders}
      {...{ selection, busy, current }}
    />
  )
}

/** The id of an order's link, for keyboard focus. */
export const linkIdOf = (order: string) => `queue-${order}`

const columnsOf = (current: string | undefined): Column<QueuedOrder>[] => [
  {
    title: 'Order',
    head: true,
    cell: (order) => (
      <>
        <Link
          id={linkIdOf(order.id)}
          data-current={order.id === current}
          to="/operator/queue"
          search={(before) => ({ ...before, order: order.id })}
        >
          {operatorTitle(order)}
        </Link>
        <Soft below>
          {order.id} · {numbersText(order.attributes.numbers_count)} from {order.attributes.provider}
        </Soft>
      </>
    ),
  },
  { title: 'Account', cell: ({ attributes: { account_name } }) => account_name },
  {
    title: 'Status',
    cell: ({ attributes: { status } }) => <Status meaning={operatorMeaning(status)}>{statusText(status)}</Status>,
  },
  { title: 'Due', cell: ({ attributes }) => <Due {...attributes} /> },
  {
    title: 'In this status since',
    minor: true,
    cell: ({ attributes: { since } }) => <Time at={since} date />,
  },
]

function Due({ next, overdue }: QueuedOrder['attributes']) {
  if (next.due_at === null) return 'No time limit'
  return (
    <>
      <Time at={next.due_at} date />
      {overdue && <Status meaning="needs-you">Overdue</Status>}
    </>
  )
}

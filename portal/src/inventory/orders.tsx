import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useState, type ReactNode } from 'react'
import { useReadOnlyReason } from '../account.ts'
import { qList, refusalOf, useChange, type Body } from '../api.ts'
import { OrderStatus, orderWords } from '../numbers/order-status.tsx'
import { orderStatuses, type ApprovalsSearch, type InventorySearch } from '../operator/search.ts'
import { AccountName } from '../shell/account-search.ts'
import { useChangeSearch } from '../shell/change-search.ts'
import { PagedList } from '../shell/paged-list.tsx'
import { RejectDialog } from '../shell/reject-dialog.tsx'
import { RowVerb } from '../ui/button.tsx'
import { FilterBar, FilterChips } from '../ui/filter-bar.tsx'
import { Link } from '../ui/link.tsx'
import { EmptyState, RowVerbs, Soft, Stack } from '../ui/panels.tsx'
import { Table, type Column } from '../ui/table.tsx'
import { toast } from '../ui/toast.tsx'
import { Count, Money, Time } from '../ui/values.tsx'

type OrderOfAccount = Body<'listNumberOrdersAsOperator'>['data'][number]

const limit = 50

/** Number orders of all accounts. */
export function NumberOrders() {
  const { orders: status, offset } = useSearch({ from: '/signed-in/operator/inventory' })
  const change: (next: InventorySearch) => void = useChangeSearch('/operator/inventory/orders')
  return (
    <Stack gap="narrow">
      <FilterBar>
        <FilterChips
          label="Status"
          options={orderStatuses.map((value) => ({ value, label: orderWords[value].label }))}
          value={status ?? null}
          onChange={(next) => change({ orders: next ?? undefined, offset: undefined })}
        />
      </FilterBar>
      <OrderList
        {...{ status, offset }}
        onOffset={(next) => change({ offset: next })}
        empty={
          <EmptyState title={status === undefined ? 'No number orders yet' : 'No orders with this status'}>
            <p>Orders that customers make with Get numbers or the API appear here.</p>
          </EmptyState>
        }
      />
    </Stack>
  )
}

/** Number orders that need a decision. */
export function WaitingOrders() {
  const { offset } = useSearch({ from: '/signed-in/operator/approvals' })
  const change: (next: ApprovalsSearch) => void = useChangeSearch('/operator/approvals/orders')
  return (
    <OrderList
      status="pending_approval"
      offset={offset}
      onOffset={(next) => change({ offset: next })}
      empty={
        <EmptyState title="No orders awaiting approval">
          <p>Which orders of an account need approval is set with its number limits, on the account’s page.</p>
        </EmptyState>
      }
    />
  )
}

interface OrderListProps {
  status: (typeof orderStatuses)[number] | undefined
  offset: number | undefined
  onOffset(offset: number | undefined): void
  empty: ReactNode
}

function OrderList({ status, offset, onOffset, empty }: OrderListProps) {
  const query = { limit, ...(offset && { offset }), ...(status && { status }) }
  const orders = useQuery(qList('listNumberOrdersAsOperator', { query }))
  return (
    <PagedList query={orders} {...{ limit, offset, onOffset, empty }} skeleton_rows={6}>
      {(rows, busy) => <OrdersTable rows={rows} busy={busy} />}
    </PagedList>
  )
}

/** Number orders, with approval and rejection of those that wait for it. */
function OrdersTable({ rows, busy }: { rows: readonly OrderOfAccount[]; busy: boolean }) {
  const [rejected, setRejected] = useState<OrderOfAccount | null>(null)
  const approve = useChange('approveNumberOrder')
  const readOnly = useReadOnlyReason()
  const send = ({ id }: OrderOfAccount) =>
    approve.mutate(
      { params: { numberorder_id: id } },
      {
        onSuccess: () => toast(`Order ${id} approved.`, { kind: 'done' }),
        onError: (error) => toast(refusalOf(error).title, { kind: 'refused' }),
      },
    )
  return (
    <>
      <Table label="Number orders" columns={columnsOf(send, setRejected, readOnly)} rows={rows} busy={busy} />
      {rejected !== null && <RejectOrder order={rejected} onClose={() => setRejected(null)} />}
    </>
  )
}

function RejectOrder({ order: { id }, onClose }: { order: OrderOfAccount; onClose(): void }) {
  const { mutate, error, isPending } = useChange('rejectNumberOrder')
  return (
    <RejectDialog
      title={`Reject order ${id}`}
      verb="Reject the order"
      hint="The customer sees the reason. The numbers are for sale again."
      field="reason"
      {...{ error, isPending, onClose }}
      onSend={(reason) => mutate({ params: { numberorder_id: id }, body: { reason } }, { onSuccess: onClose })}
    />
  )
}

const columnsOf = (
  approve: (order: OrderOfAccount) => void,
  reject: (order: OrderOfAccount) => void,
  readOnly: string | null,
): Column<OrderOfAccount>[] => [
  { title: 'Order', head: true, cell: (order) => <OrderLink order={order} /> },
  {
    title: 'Account',
    cell: ({ attributes: { account_id } }) => (
      <Link to="/operator/accounts/$account" params={{ account: account_id }}>
        <AccountName of={account_id} />
      </Link>
    ),
  },
  { title: 'Status', cell: (order) => <Decision order={order} /> },
  {
    title: 'Numbers',
    align: 'end',
    cell: ({ attributes: { numbers, missing_count } }) => (
      <>
        <Count of={numbers.length} />
        {missing_count > 0 && <Soft below>{missing_count.toLocaleString('en-US')} not ordered</Soft>}
      </>
    ),
  },
  { title: 'Each month', align: 'end', cell: ({ attributes }) => <Money amount={attributes.monthly_cost} rounded /> },
  {
    title: 'Once',
    align: 'end',
    minor: true,
    cell: ({ attributes }) => <Money amount={attributes.setup_cost} rounded />,
  },
  {
    title: 'Decision',
    verbs: true,
    cell: (order) =>
      order.attributes.status === 'pending_approval' && (
        <RowVerbs>
          <RowVerb verb="Approve" of={`order ${order.id}`} disabledReason={readOnly} onPress={() => approve(order)} />
          <RowVerb verb="Reject" of={`order ${order.id}`} disabledReason={readOnly} onPress={() => reject(order)} />
        </RowVerbs>
      ),
  },
]

function OrderLink({ order: { id, attributes } }: { order: OrderOfAccount }) {
  return (
    <>
      <Link to="/numbers/get" search={{ account: attributes.account_id, order: id }}>
        Order {id}
      </Link>
      <Soft below>
        <Time at={attributes.created_at} />
      </Soft>
    </>
  )
}

function Decision({ order: { attributes } }: { order: OrderOfAccount }) {
  const { status, expires_at, rejection_reason } = attributes
  return (
    <>
      <OrderStatus of={status} />
      <Soft below>
        {status === 'pending_approval' && expires_at !== null && (
          <>
            Numbers reserved until <Time at={expires_at} date />
          </>
        )}
        {rejection_reason}
      </Soft>
    </>
  )
}

import type { ReactNode } from 'react'
import { request, useChange, useList, type Body } from '../api.ts'
import { orderWords, type OrderStatus } from '../numbers/order-status.ts'
import { AccountName } from '../shell/account-search.ts'
import { RowChange, RowDialog } from '../shell/change-buttons.tsx'
import { usePageSearch } from '../shell/change-search.ts'
import { PagedList, type Paging } from '../shell/paged-list.tsx'
import { RejectDialog } from '../shell/reject-dialog.tsx'
import {
  Count,
  EmptyState,
  FilterBar,
  FilterBy,
  Link,
  Money,
  RowVerbs,
  Stack,
  StatusOf,
  Table,
  Time,
  TwoLines,
  type Column,
} from '../ui/index.ts'

type OrderOfAccount = Body<'listNumberOrdersAsOperator'>['data'][number]

/** Number orders of all accounts. */
export function NumberOrders() {
  const { search, filter, paging } = usePageSearch('/operator/inventory', 50, '/operator/inventory/orders')
  const status = search.orders
  return (
    <Stack gap="narrow">
      <FilterBar>
        <FilterBy label="Status" labels={orderWords} value={status} onChange={(orders) => filter({ orders })} />
      </FilterBar>
      <OrderList
        {...{ status, paging }}
        empty={
          <EmptyState title={status === undefined ? 'No number orders yet' : 'No orders with this status'}>
            Orders that customers make with Get numbers or the API appear here.
          </EmptyState>
        }
      />
    </Stack>
  )
}

/** Number orders that need a decision. */
export function WaitingOrders() {
  const { paging } = usePageSearch('/operator/approvals', 50, '/operator/approvals/orders')
  return (
    <OrderList
      status="pending_approval"
      paging={paging}
      empty={
        <EmptyState title="No orders awaiting approval">
          Which orders of an account need approval is set with its number limits, on the account’s page.
        </EmptyState>
      }
    />
  )
}

interface OrderListProps {
  status: OrderStatus | undefined
  paging: Paging
  empty: ReactNode
}

/** Number orders, with approval and rejection of those that wait for it. */
function OrderList({ status, paging, empty }: OrderListProps) {
  const { limit, offset } = paging
  const orders = useList('listNumberOrdersAsOperator', { query: { limit, offset, status } })
  return (
    <PagedList query={orders} {...paging} empty={empty}>
      {(rows, busy) => <Table label="Number orders" columns={columns} rows={rows} busy={busy} />}
    </PagedList>
  )
}

const columns: Column<OrderOfAccount>[] = [
  {
    title: 'Order',
    head: true,
    cell: ({ id, attributes: { account_id, created_at } }) => (
      <TwoLines below={<Time at={created_at} date />}>
        <Link to="/numbers/get" search={{ account: account_id, order: id }}>
          Order {id}
        </Link>
      </TwoLines>
    ),
  },
  {
    title: 'Account',
    cell: ({ attributes: { account_id } }) => (
      <Link to="/operator/accounts/$account" params={{ account: account_id }}>
        <AccountName of={account_id} />
      </Link>
    ),
  },
  { title: 'Status', cell: ({ attributes }) => <Decision {...attributes} /> },
  {
    title: 'Numbers',
    align: 'end',
    cell: ({ attributes: { numbers, missing_count } }) => (
      <TwoLines below={missing_count > 0 && `${missing_count.toLocaleString('en-US')} not ordered`}>
        <Count of={numbers.length} />
      </TwoLines>
    ),
  },
  {
    title: 'Cost',
    align: 'end',
    cell: ({ attributes: { monthly_cost, setup_cost } }) => (
      <TwoLines
        below={
          <>
            <Money amount={setup_cost} rounded />
            &nbsp;setup
          </>
        }
      >
        <Money amount={monthly_cost} rounded />
        &nbsp;monthly
      </TwoLines>
    ),
  },
  {
    title: 'Decision',
    verbs: true,
    cell: ({ id, attributes: { status } }) =>
      status === 'pending_approval' && (
        <RowVerbs>
          <RowChange
            verb="Approve"
            of={`order ${id}`}
            send={() => request('approveNumberOrder', { params: { numberorder_id: id } })}
            done={`Order ${id} approved.`}
          />
          <RowDialog verb="Reject" of={`order ${id}`} dialog={(close) => <RejectOrder id={id} onClose={close} />} />
        </RowVerbs>
      ),
  },
]

function RejectOrder({ id, onClose }: { id: string; onClose(): void }) {
  const reject = useChange('rejectNumberOrder', onClose)
  return (
    <RejectDialog
      title={`Reject order ${id}`}
      verb="Reject the order"
      hint="The customer sees the reason. The numbers are for sale again."
      field="reason"
      {...reject}
      onSend={(reason) => reject.mutate({ params: { numberorder_id: id }, body: { reason } })}
      onClose={onClose}
    />
  )
}

function Decision({ status, expires_at, rejection_reason }: OrderOfAccount['attributes']) {
  const below =
    status === 'pending_approval' && expires_at !== null ? (
      <>
        Numbers reserved until <Time at={expires_at} date />
      </>
    ) : (
      rejection_reason
    )
  return (
    <TwoLines below={below}>
      <StatusOf words={orderWords} value={status} />
    </TwoLines>
  )
}

import { useQuery, type UseQueryResult } from '@tanstack/react-query'
import { portOrderStatuses, readNumber, type PortOrderStatus } from '@demarc/client/rules'
import { q, type Body, useList } from '../api.ts'
import { usePageSearch } from '../shell/change-search.ts'
import { Page, PortNumbers } from '../shell/page.tsx'
import { PagedList } from '../shell/paged-list.tsx'
import { EmptyState, FilterBar, SearchField, Select } from '../ui/index.ts'
import { CalendarLink } from './calendar.tsx'
import { GroupSummary } from './group.tsx'
import css from './list.module.css'
import { NeedsYou } from './needs-you.tsx'
import { OrdersTable } from './orders-table.tsx'
import { listRefresh_ms } from './queries.ts'
import type { PortOrdersSearch } from '../search.ts'
import { statusText } from './words.ts'

const limit = 50

/** Where are my ports? */
export function PortOrdersPage() {
  const { search, filter, paging } = usePageSearch('/port-orders')
  const { orders, query } = useOrders(search)
  const filtered = [search.find, search.status, search.group_id].some((each) => each !== undefined)
  return (
    <Page
      title="Port orders"
      facts="Numbers moving to your account, and what each order is waiting on."
      call={{ operation: 'listPortOrders', input: { query }, command: 'demarc port list' }}
      verb={
        <>
          <CalendarLink />
          <PortNumbers />
        </>
      }
    >
      <NeedsYou shown={!filtered && search.offset === undefined}>
        {search.group_id !== undefined && <GroupSummary id={search.group_id} />}
        <FilterBar
          onClear={filtered ? () => filter({ find: undefined, status: undefined, group_id: undefined }) : null}
        >
          <SearchField
            label="Search port orders"
            placeholder="Search by number, order id, or name"
            value={search.find ?? ''}
            onChange={(find) => filter({ find })}
          />
          <StatusFilter value={search.status} onChange={(status) => filter({ status })} />
        </FilterBar>
        <PagedList query={orders} {...paging} empty={<NoOrders filtered={filtered} />}>
          {(rows, busy) => <OrdersTable orders={rows} busy={busy} />}
        </PagedList>
      </NeedsYou>
    </Page>
  )
}

interface StatusFilterProps {
  value: PortOrderStatus | undefined
  onChange(status: PortOrderStatus | undefined): void
}

function StatusFilter({ value, onChange }: StatusFilterProps) {
  return (
    <div className={css.status}>
      <Select
        label="Status"
        hideLabel
        options={[
          { value: 'any', label: 'Any status' },
          ...portOrderStatuses.map((status) => ({ value: status, label: statusText(status) })),
        ]}
        value={value ?? 'any'}
        onChange={(status) => onChange(portOrderStatuses.find((each) => each === status))}
      />
    </div>
  )
}

type Orders = Pick<Body<'listPortOrders'>, 'data' | 'links'>

/** The API query for the URL; a search for an id finds that order. */
function useOrders({ find = '', status, group_id, offset }: PortOrdersSearch) {
  const number = readNumber(find)
  const id = number === null && /^\d{1,9}$/.test(find) ? find : null
  const wanted = number === null ? { alias: find || undefined } : { number }
  const query = { limit, offset, status, group_id, ...wanted }
  const list: UseQueryResult<Orders> = useList(
    'listPortOrders',
    { query },
    { enabled: id === null, refetchInterval: listRefresh_ms },
  )
  const one: UseQueryResult<Orders> = useQuery({
    ...q('getPortOrder', { params: { portorder_id: id ?? '' } }),
    enabled: id !== null,
    select: ({ data, links }): Orders => ({ data: [data], links }),
  })
  return { orders: id === null ? list : one, query }
}

function NoOrders({ filtered }: { filtered: boolean }) {
  if (filtered)
    return (
      <EmptyState title="No matching port orders">
        Search by full number, order id, or part of the order’s name.
      </EmptyState>
    )
  return (
    <EmptyState title="Keep your numbers" verb={<PortNumbers />}>
      A port order moves numbers from another carrier to this account. You need the numbers and your latest bill. Most
      ports take three to ten business days, and your service keeps working until the port date.
    </EmptyState>
  )
}

import { useQuery, type UseQueryResult } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useCallback } from 'react'
import { portOrderStatuses, readNumber, type PortOrderStatus } from '@demarc/client/rules'
import { q, qList, type Body } from '../api.ts'
import { ShowAsApiCall } from '../shell/api-call.tsx'
import { PagedList } from '../shell/paged-list.tsx'
import { useChangeSearch } from '../shell/change-search.ts'
import { FilterBar, SearchField } from '../ui/filter-bar.tsx'
import { EmptyState, PageHead, Stack } from '../ui/panels.tsx'
import { Select } from '../ui/select.tsx'
import { CalendarLink } from './calendar.tsx'
import { GroupSummary } from './group.tsx'
import css from './list.module.css'
import { NeedsYou } from './needs-you.tsx'
import { OrdersTable } from './orders-table.tsx'
import { listRefresh_ms } from './queries.ts'
import type { PortOrdersSearch } from '../search.ts'
import { statusText } from './words.ts'
import { PortNumbers } from '../shell/if-allowed.tsx'

const limit = 50

/** Where are my ports? */
export function PortOrdersPage() {
  const search = useSearch({ from: '/signed-in/port-orders' })
  const change: (next: PortOrdersSearch) => void = useChangeSearch('/port-orders')
  const find = useCallback((text: string) => change({ find: text, offset: undefined }), [change])
  const { orders, query } = useOrders(search)
  const filtered = [search.find, search.status, search.group_id].some((each) => each !== undefined)
  return (
    <Stack>
      <ListHead query={query} />
      <NeedsYou shown={!filtered && search.offset === undefined}>
        {search.group_id !== undefined && <GroupSummary id={search.group_id} />}
        <FilterBar
          onClear={
            filtered
              ? () => change({ find: undefined, status: undefined, group_id: undefined, offset: undefined })
              : null
          }
        >
          <SearchField
            label="Search port orders"
            placeholder="Search by number, order id, or name"
            value={search.find ?? ''}
            onChange={find}
          />
          <StatusFilter value={search.status} onChange={(status) => change({ status, offset: undefined })} />
        </FilterBar>
        <PagedList
          query={orders}
          limit={limit}
          offset={search.offset}
          onOffset={(offset) => change({ offset })}
          skeleton_rows={8}
          empty={<NoOrders filtered={filtered} />}
        >
          {(rows, busy) => <OrdersTable orders={rows} busy={busy} />}
        </PagedList>
      </NeedsYou>
    </Stack>
  )
}

function ListHead({ query }: { query: ReturnType<typeof useOrders>['query'] }) {
  return (
    <PageHead
      title="Port orders"
      facts="Numbers moving to your account, and what each order is waiting on."
      verb={
        <>
          <ShowAsApiCall operation="listPortOrders" input={{ query }} command="demarc port list" />
          <CalendarLink />
          <PortNumbers />
        </>
      }
    />
  )
}

function StatusFilter({
  value,
  onChange,
}: {
  value: PortOrderStatus | undefined
  onChange(status: PortOrderStatus | undefined): void
}) {
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
  const query = {
    limit,
    ...(offset === undefined ? {} : { offset }),
    ...(status === undefined ? {} : { status }),
    ...(group_id === undefined ? {} : { group_id }),
    ...(number === null ? (find === '' ? {} : { alias: find }) : { number }),
  }
  const list: UseQueryResult<Orders> = useQuery({
    ...qList('listPortOrders', { query }),
    enabled: id === null,
    refetchInterval: listRefresh_ms,
  })
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
        <p>Search by full number, order id, or part of the order’s name.</p>
      </EmptyState>
    )
  return (
    <EmptyState title="Keep your numbers" verb={<PortNumbers />}>
      <p>
        A port order moves numbers from another carrier to this account. You need the numbers and your latest bill. Most
        ports take three to ten business days, and your service keeps working until the port date.
      </p>
    </EmptyState>
  )
}

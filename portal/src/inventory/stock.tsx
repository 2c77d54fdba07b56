import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { qList, type Body } from '../api.ts'
import { placeText } from '../numbers/rate-center.ts'
import type { InventorySearch } from '../operator/search.ts'
import { useChangeSearch } from '../shell/change-search.ts'
import { PagedList } from '../shell/paged-list.tsx'
import { FilterBar, FilterChips } from '../ui/filter-bar.tsx'
import { Link } from '../ui/link.tsx'
import { EmptyState, Stack } from '../ui/panels.tsx'
import { Status } from '../ui/status.tsx'
import { Table, type Column } from '../ui/table.tsx'
import { Count } from '../ui/values.tsx'

type RateCenter = Body<'listInventoryStock'>['data'][number]
type Counted = 'available' | 'reserved' | 'active' | 'aging' | 'held'

const limit = 50

/** Numbers by rate center, with how long they last. */
export function Stock() {
  const { stock, offset } = useSearch({ from: '/signed-in/operator/inventory' })
  const change: (next: InventorySearch) => void = useChangeSearch('/operator/inventory')
  const query = { limit, ...(offset && { offset }), ...(stock && { is_low: true }) }
  const rateCenters = useQuery(qList('listInventoryStock', { query }))
  return (
    <Stack gap="narrow">
      <FilterBar>
        <FilterChips
          label="Stock"
          options={[{ value: 'low', label: 'Running short' }]}
          value={stock ?? null}
          onChange={(next) => change({ stock: next ?? undefined, offset: undefined })}
        />
      </FilterBar>
      <PagedList
        query={rateCenters}
        {...{ limit, offset }}
        onOffset={(next) => change({ offset: next })}
        skeleton_rows={6}
        empty={stock === undefined ? <NoStock /> : <NothingLow />}
      >
        {(rows, busy) => <Table label="Stock by rate center" columns={columns} rows={rows} busy={busy} />}
      </PagedList>
    </Stack>
  )
}

const NothingLow = () => (
  <EmptyState title="No rate center runs short">
    <p>Rate centers with few available numbers appear here.</p>
  </EmptyState>
)

export const NoStock = () => (
  <EmptyState title="No numbers in the inventory yet">
    <p>Load a CSV with your numbers, their rate centers, and their prices. Customers can then search and order them.</p>
  </EmptyState>
)

const count = (name: Counted, title: string, minor = false): Column<RateCenter> => ({
  title,
  align: 'end',
  ...(minor && { minor }),
  cell: ({ attributes }) => <Count of={attributes[name]} />,
})

const columns: Column<RateCenter>[] = [
  {
    title: 'Rate center',
    head: true,
    cell: ({ attributes }) => (
      <Link
        to="/operator/inventory/numbers"
        search={attributes.rate_center === null ? { type: 'toll-free' } : { find: placeText(attributes) }}
      >
        {placeText(attributes)}
      </Link>
    ),
  },
  {
    title: 'Stock',
    cell: ({ attributes: { is_low } }) =>
      is_low ? <Status meaning="needs-you">Running short</Status> : <Status meaning="done">In stock</Status>,
  },
  count('available', 'Available'),
  { title: 'Ordered, 30 days', align: 'end', cell: ({ attributes }) => <Count of={attributes.ordered_30_days} /> },
  {
    title: 'Lasts',
    align: 'end',
    cell: ({ attributes: { days_left } }) =>
      days_left === null ? '—' : days_left === 1 ? '1 day' : `${days_left.toLocaleString('en-US')} days`,
  },
  count('active', 'Active'),
  count('reserved', 'Reserved', true),
  count('aging', 'Aging', true),
  count('held', 'Held', true),
]

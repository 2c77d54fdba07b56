import { countText } from '@demarc/client/rules'
import { useList, type Body } from '../api.ts'
import { placeText } from '../numbers/rate-center.ts'
import { usePageSearch } from '../shell/change-search.ts'
import { PagedList } from '../shell/paged-list.tsx'
import { Count, EmptyState, FilterBar, FilterBy, Link, Stack, Status, Table, type Column } from '../ui/index.ts'

type RateCenter = Body<'listInventoryStock'>['data'][number]
type Counted = 'available' | 'ordered_30_days' | 'reserved' | 'active' | 'aging' | 'held'

/** Numbers by rate center, with how long they last. */
export function Stock() {
  const { search, filter, page, paging } = usePageSearch('/operator/inventory')
  const { stock } = search
  const rateCenters = useList('listInventoryStock', { query: { ...page, is_low: stock && true } })
  return (
    <Stack gap="narrow">
      <FilterBar>
        <FilterBy
          label="Stock"
          labels={{ low: 'Running short' }}
          value={stock}
          onChange={(next) => filter({ stock: next })}
        />
      </FilterBar>
      <PagedList query={rateCenters} {...paging} empty={stock === undefined ? <NoStock /> : <NothingLow />}>
        {(rows, busy) => <Table label="Stock by rate center" columns={columns} rows={rows} busy={busy} />}
      </PagedList>
    </Stack>
  )
}

const NothingLow = () => (
  <EmptyState title="No rate centers are running short">
    Rate centers with few available numbers appear here.
  </EmptyState>
)

export const NoStock = () => (
  <EmptyState title="No numbers in the inventory yet">
    Load a CSV with your numbers, their rate centers, and their prices. Customers can then search and order them.
  </EmptyState>
)

const count = (name: Counted, title: string): Column<RateCenter> => ({
  title,
  align: 'end',
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
  count('ordered_30_days', 'Ordered, 30 days'),
  {
    title: 'Lasts',
    align: 'end',
    cell: ({ attributes: { days_left } }) => (days_left === null ? '—' : countText(days_left, 'day')),
  },
  count('active', 'Active'),
  { ...count('reserved', 'Reserved'), minor: true },
  { ...count('aging', 'Aging'), minor: true },
  { ...count('held', 'Held'), minor: true },
]

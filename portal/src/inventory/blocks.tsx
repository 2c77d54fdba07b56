import { csvCell } from '@demarc/client/rules'
import { useMutation } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { everything, useList, type Body } from '../api.ts'
import { saveFile } from '../files.ts'
import { placeText } from '../numbers/rate-center.ts'
import { usePageSearch } from '../shell/change-search.ts'
import { PagedList } from '../shell/paged-list.tsx'
import { toastRefusal } from '../shell/change-buttons.tsx'
import { Button, Count, EmptyState, FilterBar, SearchField, Stack, Table, TwoLines, type Column } from '../ui/index.ts'

type Block = Body<'listInventoryUtilization'>['data'][number]

/** The categories of the NRUF report, in its order. */
const categories = {
  assigned: 'Assigned',
  intermediate: 'Intermediate',
  reserved: 'Reserved',
  aging: 'Aging',
  administrative: 'Administrative',
  available: 'Available',
} as const
// Object.keys loses the type of the keys
const names = Object.keys(categories) as (keyof typeof categories)[]

/** The utilization of thousands-blocks. */
export function Blocks() {
  const { search, filter, page, paging } = usePageSearch('/operator/inventory', 50, '/operator/inventory/blocks')
  const starts_with = search.find?.replace(/\D/g, '') || undefined
  const blocks = useList('listInventoryUtilization', { query: { ...page, starts_with } })
  return (
    <Stack gap="narrow">
      <FilterBar>
        <SearchField
          label="Leading digits"
          placeholder="Area code and exchange"
          value={search.find ?? ''}
          onChange={(find) => filter({ find })}
        />
        <DownloadButton starts_with={starts_with} />
      </FilterBar>
      <PagedList query={blocks} {...paging} empty={<NoBlocks filtered={starts_with !== undefined} />}>
        {(rows, busy) => <Table label="Thousands-blocks" columns={columns} rows={rows} busy={busy} />}
      </PagedList>
    </Stack>
  )
}

const NoBlocks = ({ filtered }: { filtered: boolean }) => (
  <EmptyState title={filtered ? 'No matching thousands-blocks' : 'No long codes in the inventory yet'}>
    Each block of the inventory’s long codes appears here with its counts. Recalled numbers are left out.
  </EmptyState>
)

/** Saves the report as CSV, with the API's names as columns. */
function DownloadButton({ starts_with }: { starts_with: string | undefined }) {
  const save = useMutation({
    mutationFn: async () => {
      const blocks = await everything('listInventoryUtilization', { query: { starts_with } })
      const titles = ['npa', 'nxx', 'x', 'state', 'rate_center', ...names, 'utilization'] as const
      const lines = blocks.map(({ attributes }) => titles.map((name) => csvCell(String(attributes[name] ?? ''))).join())
      saveFile('utilization.csv', 'text/csv', [titles.join(), ...lines, ''].join('\r\n'))
    },
    onError: toastRefusal,
  })
  return (
    <Button isPending={save.isPending} onPress={() => save.mutate()}>
      <Download aria-hidden="true" />
      Download CSV
    </Button>
  )
}

const columns: Column<Block>[] = [
  {
    title: 'Block',
    head: true,
    cell: ({ attributes }) => (
      <TwoLines below={placeText({ number_type: 'longcode', ...attributes })}>
        {attributes.npa}-{attributes.nxx}-{attributes.x}
      </TwoLines>
    ),
  },
  { title: 'Utilization', align: 'end', cell: ({ attributes }) => <>{attributes.utilization}%</> },
  ...names.map((name): Column<Block> => ({
    title: categories[name],
    align: 'end',
    ...(name === 'intermediate' && { minor: true }),
    cell: ({ attributes }) => <Count of={attributes[name]} />,
  })),
]

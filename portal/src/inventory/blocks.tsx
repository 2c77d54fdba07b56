import { csvCell } from '@demarc/client/rules'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { Download } from 'lucide-react'
import { useCallback } from 'react'
import { everything, qList, refusalOf, type Body } from '../api.ts'
import { saveFile } from '../files.ts'
import { placeText } from '../numbers/rate-center.ts'
import type { InventorySearch } from '../operator/search.ts'
import { useChangeSearch } from '../shell/change-search.ts'
import { PagedList } from '../shell/paged-list.tsx'
import { Button } from '../ui/button.tsx'
import { FilterBar, SearchField } from '../ui/filter-bar.tsx'
import { EmptyState, Soft, Stack } from '../ui/panels.tsx'
import { Table, type Column } from '../ui/table.tsx'
import { toast } from '../ui/toast.tsx'
import { Count } from '../ui/values.tsx'

type Block = Body<'listInventoryUtilization'>['data'][number]

const limit = 50

/** The categories of the NRUF report, in its order. */
const categories = ['assigned', 'intermediate', 'reserved', 'aging', 'administrative', 'available'] as const

/** The utilization of thousands-blocks. */
export function Blocks() {
  const { find, offset } = useSearch({ from: '/signed-in/operator/inventory' })
  const change: (next: InventorySearch) => void = useChangeSearch('/operator/inventory/blocks')
  const search = useCallback((text: string) => change({ find: text, offset: undefined }), [change])
  const digits = find?.replace(/\D/g, '') ?? ''
  const filter = digits === '' ? {} : { starts_with: digits }
  const blocks = useQuery(qList('listInventoryUtilization', { query: { limit, ...(offset && { offset }), ...filter } }))
  return (
    <Stack gap="narrow">
      <FilterBar>
        <SearchField label="Leading digits" placeholder="Area code and exchange" value={find ?? ''} onChange={search} />
        <DownloadButton filter={filter} />
      </FilterBar>
      <PagedList
        query={blocks}
        {...{ limit, offset }}
        onOffset={(next) => change({ offset: next })}
        skeleton_rows={6}
        empty={
          <EmptyState title={digits === '' ? 'No long codes in the inventory yet' : 'No matching thousands-blocks'}>
            <p>Each block of the inventory’s long codes appears here with its counts. Recalled numbers are left out.</p>
          </EmptyState>
        }
      >
        {(rows, busy) => <Table label="Thousands-blocks" columns={columns} rows={rows} busy={busy} />}
      </PagedList>
    </Stack>
  )
}

/** Saves the report as CSV, with the API's names as columns. */
function DownloadButton({ filter }: { filter: { starts_with?: string } }) {
  const save = useMutation({
    mutationFn: async () => {
      const blocks = await everything('listInventoryUtilization', { query: filter })
      const names = ['npa', 'nxx', 'x', 'state', 'rate_center', ...categories, 'utilization'] as const
      const lines = blocks.map(({ attributes }) => names.map((name) => csvCell(String(attributes[name] ?? ''))).join())
      saveFile('utilization.csv', 'text/csv', [names.join(), ...lines, ''].join('\r\n'))
    },
    onError: (error) => toast(refusalOf(error).title, { kind: 'refused' }),
  })
  return (
    <Button isPending={save.isPending} onPress={() => save.mutate()}>
      <Download aria-hidden="true" />
      Download CSV
    </Button>
  )
}

const titles: Readonly<Record<(typeof categories)[number], string>> = {
  assigned: 'Assigned',
  intermediate: 'Intermediate',
  reserved: 'Reserved',
  aging: 'Aging',
  administrative: 'Administrative',
  available: 'Available',
}

const columns: Column<Block>[] = [
  {
    title: 'Block',
    head: true,
    cell: ({ attributes }) => (
      <>
        {attributes.npa}-{attributes.nxx}-{attributes.x}
        <Soft below>{placeText({ number_type: 'longcode', ...attributes })}</Soft>
      </>
    ),
  },
  {
    title: 'Utilization',
    align: 'end',
    cell: ({ attributes }) => <>{attributes.utilization}%</>,
  },
  ...categories.map((name): Column<Block> => ({
    title: titles[name],
    align: 'end',
    ...(name === 'intermediate' && { minor: true }),
    cell: ({ attributes }) => <Count of={attributes[name]} />,
  })),
]

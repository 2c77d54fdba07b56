import { useList } from '../api.ts'
import { PagedList } from '../shell/paged-list.tsx'
import { usePageSearch } from '../shell/change-search.ts'
import { type Column, Count, EmptyState, FilterBar, FilterBy, Stack, StatusOf, Table } from '../ui/index.ts'
import { coverageWords, titleOf, type Dataset, type DatasetPlace } from './words.ts'

/** A dataset's places with their coverage. */
export function Places({ dataset }: { dataset: Dataset }) {
  const { search, filter, page, paging } = usePageSearch('/operator/street-data', 20)
  const query = { ...page, coverage: search.covered }
  const places = useList('listE911DatasetPlaces', { params: { dataset_id: dataset.id }, query })
  return (
    <Stack gap="narrow">
      <FilterBar count={`Places of ${titleOf(dataset)}`}>
        <FilterBy
          label="Coverage"
          labels={coverageWords}
          value={search.covered}
          onChange={(covered) => filter({ covered })}
        />
      </FilterBar>
      <PagedList
        query={places}
        {...paging}
        skeleton_rows={4}
        empty={<EmptyState title="No matching places">Choose another filter or clear it.</EmptyState>}
      >
        {(rows, busy) => <Table label="Places" columns={columns} rows={rows} keyOf={keyOf} busy={busy} />}
      </PagedList>
    </Stack>
  )
}

const keyOf = ({ country, state, postal, city }: DatasetPlace) => `${country} ${state} ${postal} ${city}`

const columns: readonly Column<DatasetPlace>[] = [
  {
    title: 'Place',
    head: true,
    cell: ({ city, state, postal }) => `${city}, ${state}${postal === '' ? '' : ` ${postal}`}`,
  },
  {
    title: 'Coverage',
    cell: ({ coverage }) => <StatusOf words={coverageWords} value={coverage} />,
  },
  { title: 'Unknown addresses are', cell: ({ coverage }) => coverageWords[coverage].missing },
  { title: 'Streets', align: 'end', cell: ({ streets }) => <Count of={streets} /> },
  { title: 'Numbers or ranges', align: 'end', cell: ({ numbers }) => <Count of={numbers} /> },
]

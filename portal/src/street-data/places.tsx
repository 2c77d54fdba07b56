import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { qList } from '../api.ts'
import { PagedList } from '../shell/paged-list.tsx'
import { useChangeSearch } from '../shell/change-search.ts'
import { FilterBar, FilterChips } from '../ui/filter-bar.tsx'
import { EmptyState, Stack } from '../ui/panels.tsx'
import { Status } from '../ui/status.tsx'
import { Table, type Column } from '../ui/table.tsx'
import { Count } from '../ui/values.tsx'
import { coverages, type StreetDataSearch } from '../operator/search.ts'
import { coverageWords, titleOf, type Dataset, type DatasetPlace } from './words.ts'

const limit = 20

/** A dataset's places with their coverage. */
export function Places({ dataset }: { dataset: Dataset }) {
  const { covered: coverage, offset } = useSearch({ from: '/signed-in/operator/street-data' })
  const change: (next: StreetDataSearch) => void = useChangeSearch('/operator/street-data')
  const query = { limit, ...(offset && { offset }), ...(coverage && { coverage }) }
  const places = useQuery(qList('listE911DatasetPlaces', { params: { dataset_id: dataset.id }, query }))
  return (
    <Stack gap="narrow">
      <FilterBar count={`Places of ${titleOf(dataset)}`}>
        <FilterChips
          label="Coverage"
          options={coverages.map((value) => ({ value, label: coverageWords[value].label }))}
          value={coverage ?? null}
          onChange={(next) => change({ covered: next ?? undefined, offset: undefined })}
        />
      </FilterBar>
      <PagedList
        query={places}
        {...{ limit, offset }}
        onOffset={(next) => change({ offset: next })}
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
    cell: ({ coverage }) => <Status meaning={coverageWords[coverage].meaning}>{coverageWords[coverage].label}</Status>,
  },
  { title: 'Unknown addresses are', cell: ({ coverage }) => coverageWords[coverage].missing },
  { title: 'Streets', align: 'end', cell: ({ streets }) => <Count of={streets} /> },
  { title: 'Numbers or ranges', align: 'end', cell: ({ numbers }) => <Count of={numbers} /> },
]

import { useQuery } from '@tanstack/react-query'
import type { CdrFilterInput } from '@demarc/client'
import { qList, type Body } from '../api.ts'
import { Loaded } from '../shell/loaded.tsx'
import { Stack } from '../ui/panels.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { Soft } from '../ui/soft.tsx'
import { Table, type Column } from '../ui/table.tsx'
import { Money, PhoneNumber, Time } from '../ui/values.tsx'

type Call = Body<'sampleCdrs'>['data'][number]

/** A look at what is in the file; all of it is for the export. */
const shown_max = 10

const columns: readonly Column<Call>[] = [
  {
    id: 'began',
    title: 'Began',
    head: true,
    cell: ({ attributes: { start_time, direction, result } }) => (
      <>
        <Time at={start_time} />
        <Soft as="div">
          {direction}, {result}
        </Soft>
      </>
    ),
  },
  { id: 'from', title: 'From', cell: ({ attributes }) => <PhoneNumber value={attributes.callerid} /> },
  {
    id: 'to',
    title: 'To',
    cell: ({ attributes: { destination, destination_name } }) => (
      <>
        <PhoneNumber value={destination} />
        <Soft as="div">{destination_name}</Soft>
      </>
    ),
  },
  {
    id: 'duration',
    title: 'Length',
    align: 'end',
    cell: ({ attributes: { duration } }) => `${Math.floor(duration / 60)}:${String(duration % 60).padStart(2, '0')}`,
  },
  { id: 'cost', title: 'Cost', align: 'end', cell: ({ attributes }) => <Money amount={attributes.total_cost} /> },
]

/** The last calls that match. */
export function NewestCalls({ parameters }: { parameters: CdrFilterInput }) {
  const body = { data: { type: 'cdrsample' as const, attributes: { filter_parameters: parameters } } }
  const calls = useQuery(qList('sampleCdrs', { body }))
  return (
    <Stack gap="narrow">
      <h2>Newest of these calls</h2>
      <Loaded query={calls} skeleton={<Skeleton rows={6} tall />}>
        {({ data }) =>
          data.length === 0 ? (
            <Soft as="p">No call matches. Take a longer period, or clear a filter.</Soft>
          ) : (
            <Table
              label="Newest of these calls"
              columns={columns}
              rows={data.slice(0, shown_max)}
              keyOf={({ id }) => id}
              busy={calls.isPlaceholderData}
            />
          )
        }
      </Loaded>
    </Stack>
  )
}

import type { CdrFilterInput } from '@demarc/client'
import { type Body, useList } from '../api.ts'
import { Loaded } from '../shell/loaded.tsx'
import { type Column, Money, PhoneNumber, Skeleton, Soft, Stack, Table, Time } from '../ui/index.ts'

type Call = Body<'sampleCdrs'>['data'][number]

/** Rows in the preview; the export has all of them. */
const shown_max = 10

const columns: readonly Column<Call>[] = [
  {
    title: 'Started',
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
  { title: 'From', cell: ({ attributes }) => <PhoneNumber value={attributes.callerid} /> },
  {
    title: 'To',
    cell: ({ attributes: { destination, destination_name } }) => (
      <>
        <PhoneNumber value={destination} />
        <Soft as="div">{destination_name}</Soft>
      </>
    ),
  },
  {
    title: 'Duration',
    align: 'end',
    cell: ({ attributes: { duration } }) => `${Math.floor(duration / 60)}:${String(duration % 60).padStart(2, '0')}`,
  },
  { title: 'Cost', align: 'end', cell: ({ attributes }) => <Money amount={attributes.total_cost} /> },
]

/** The most recent calls that match. */
export function NewestCalls({ parameters }: { parameters: CdrFilterInput }) {
  const body = { data: { type: 'cdrsample' as const, attributes: { filter_parameters: parameters } } }
  const calls = useList('sampleCdrs', { body })
  return (
    <Stack gap="narrow">
      <h2>Most recent calls</h2>
      <Loaded query={calls} skeleton={<Skeleton rows={6} tall />}>
        {({ data }) =>
          data.length === 0 ? (
            <Soft as="p">No calls match. Choose a longer period or clear a filter.</Soft>
          ) : (
            <Table
              label="Most recent calls"
              columns={columns}
              rows={data.slice(0, shown_max)}
              busy={calls.isPlaceholderData}
            />
          )
        }
      </Loaded>
    </Stack>
  )
}

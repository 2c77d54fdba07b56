import { useList } from '../api.ts'
import { PagedList, type Paging } from '../shell/paged-list.tsx'
import { Bytes, type Column, Count, Link, Money, Soft, Stack, Status, Table, Time } from '../ui/index.ts'
import { formatLabels, stateOf, type CdrExport } from './words.ts'

/** Polling interval while an export is in progress. */
export const making_ms = 1_000

const columns: readonly Column<CdrExport>[] = [
  {
    title: 'Export',
    head: true,
    cell: ({ id, attributes: { format } }) => (
      <>
        <Link to="/call-records/exports/$export_id" params={{ export_id: id }}>
          Export {id}
        </Link>{' '}
        <Soft>{formatLabels[format]}</Soft>
      </>
    ),
  },
  { title: 'Status', cell: (each) => <State of={each} /> },
  { title: 'Requested', cell: ({ attributes }) => <Time at={attributes.requested_at} /> },
  {
    title: 'Calls',
    align: 'end',
    cell: ({ attributes: { num_calls } }) => (num_calls === null ? '–' : <Count of={num_calls} />),
  },
  {
    title: 'Cost',
    align: 'end',
    cell: ({ attributes: { total_cost } }) => (total_cost === null ? '–' : <Money amount={total_cost} />),
  },
  {
    title: 'File',
    align: 'end',
    minor: true,
    cell: ({ attributes: { bytes } }) => (bytes === null ? '–' : <Bytes of={bytes} />),
  },
]

/** The account's exports, newest first. */
export function ExportsCard(paging: Paging) {
  const { limit, offset } = paging
  const exports = useList(
    'listCdrExports',
    { query: { limit, offset } },
    { refetchInterval: ({ state }) => (state.data?.data.some(isMaking) ? making_ms : false) },
  )
  return (
    <Stack gap="narrow">
      <h2>Exports</h2>
      <PagedList
        query={exports}
        {...paging}
        skeleton_rows={limit}
        empty={
          <Soft as="p">
            No exports yet. An export is a file of all calls that match the filters above, with a checksum. Files are
            kept for a few days, and you can run an export again at any time.
          </Soft>
        }
      >
        {(rows, busy) => <Table label="Exports" columns={columns} rows={rows} busy={busy} />}
      </PagedList>
    </Stack>
  )
}

export const isMaking = ({ attributes: { status } }: CdrExport): boolean => status === 'processing'

/** An export's state, with its progress. */
export function State({ of }: { of: CdrExport }) {
  const [meaning, word] = stateOf(of)
  return (
    <Status meaning={meaning}>{isMaking(of) ? `${word}, ${Math.floor(of.attributes.progress * 100)}%` : word}</Status>
  )
}

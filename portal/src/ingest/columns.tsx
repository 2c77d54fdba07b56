import { countText } from '@demarc/client/rules'
import type { Body } from '../api.ts'
import { actorText } from '../operator/audit/words.ts'
import type { PersonName } from '../operator/staff.ts'
import { AccountName } from '../shell/account-search.ts'
import { Bytes, type Column, Count, Link, Soft, Status, Time, TwoLines } from '../ui/index.ts'
import { durationText } from '../ui/text.ts'

type Ingest = Body<'listCdrIngests'>['data'][number]

export const ingestColumns = (personName: PersonName): readonly Column<Ingest>[] => [
  deliveryColumn(personName),
  ...others,
]

/** When the delivery arrived and who sent it. */
const deliveryColumn = (personName: PersonName): Column<Ingest> => ({
  title: 'Delivery',
  head: true,
  cell: ({ id, attributes: { received_at, actor } }) => (
    <>
      <Time at={received_at} />
      <Soft below>
        {id} · {actorText(actor, personName)}
      </Soft>
    </>
  ),
})

const others: readonly Column<Ingest>[] = [
  {
    title: 'Content',
    minor: true,
    cell: ({ attributes: { bytes, content_type, content_encoding, mapping, account_id } }) => (
      <>
        <Bytes of={bytes} /> {content_type.includes('csv') ? 'CSV' : 'NDJSON'}
        {content_encoding !== null && `, ${content_encoding}`}
        {(mapping !== null || account_id !== null) && (
          <Soft below>
            {mapping}
            {mapping !== null && account_id !== null && ', '}
            {account_id !== null && <AccountName of={account_id} />}
          </Soft>
        )}
      </>
    ),
  },
  { title: 'Accepted', align: 'end', cell: ({ attributes }) => <Count of={attributes.accepted} /> },
  {
    title: 'Duplicates',
    align: 'end',
    cell: ({ attributes: { duplicates } }) => (duplicates === 0 ? '—' : <Count of={duplicates} />),
  },
  { title: 'Rejected', align: 'end', cell: (ingest) => <Rejected of={ingest} /> },
  {
    title: 'Delay',
    minor: true,
    cell: ({ attributes: { received_at, newest_call_at } }) =>
      newest_call_at === null
        ? '—'
        : durationText(Math.max(0, Date.parse(received_at) - Date.parse(newest_call_at)) / 1000),
  },
  {
    title: 'Outcome',
    cell: ({ attributes: { failure } }) =>
      failure === null ? (
        <Status meaning="done">Complete</Status>
      ) : (
        <TwoLines below={failure}>
          <Status meaning="refused">Ended early</Status>
        </TwoLines>
      ),
  },
]

function Rejected({ of: { id, attributes } }: { of: Ingest }) {
  const { rejected, refused } = attributes
  if (rejected === 0) return '—'
  const lines = countText(rejected, 'line')
  if (refused === null) return lines
  return (
    <Link
      to="/operator/ingest"
      search={(before) => ({ ...before, refused: id })}
      aria-label={`${lines} rejected in delivery ${id}`}
    >
      {lines}
    </Link>
  )
}

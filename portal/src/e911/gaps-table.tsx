import { type Body, useList } from '../api.ts'
import { PagedList, type Paging } from '../shell/paged-list.tsx'
import { type Column, EmptyState, Link, PhoneNumber, Table } from '../ui/index.ts'
import { LevelStatus } from './levels.tsx'
import type { Gap } from '../search.ts'

type Entry = Body<'listE911Coverage'>['data'][number]

/** How to fix each gap. */
const remedies: Readonly<Record<Gap, string>> = {
  no_address: 'Open the number and assign an address.',
  below_level: 'Open the address and complete its street and house number.',
  recheck_due: 'No action needed. The service rechecks these automatically and notifies you if one is no longer valid.',
  no_unit: 'Open the address and add the floor or suite.',
}

/** Numbers and addresses that have this gap. */
export function GapsTable({ gap, paging }: { gap: Gap; paging: Paging }) {
  const { limit, offset } = paging
  const entries = useList('listE911Coverage', { query: { gap, limit, offset } })
  return (
    <PagedList
      query={entries}
      {...paging}
      empty={<EmptyState title="No gaps found">Choose another filter, or clear it to see all addresses.</EmptyState>}
    >
      {(rows, busy) => (
        <>
          <p>{remedies[gap]}</p>
          <Table label="Gaps" columns={columns} rows={rows} keyOf={({ type, id }) => `${type} ${id}`} busy={busy} />
        </>
      )}
    </PagedList>
  )
}

const columns: Column<Entry>[] = [
  {
    title: 'Number or address',
    head: true,
    cell: (entry) =>
      entry.type === 'number' ? (
        <Link to="/numbers/$number" params={{ number: entry.attributes.value }}>
          <PhoneNumber value={entry.attributes.value} />
        </Link>
      ) : (
        <Link to="/e911/$e911_id" params={{ e911_id: entry.id }}>
          {entry.attributes.label}
        </Link>
      ),
  },
  {
    title: 'Where',
    cell: ({ type, attributes: a }) =>
      type === 'number' ? (a.alias ?? '—') : `${a.street_number} ${a.street_name}, ${a.city}, ${a.state}`,
  },
  {
    title: 'Evidence',
    cell: ({ type, attributes: a }) => (type === 'number' ? '—' : <LevelStatus level={a.level} />),
  },
]

import { useMemo } from 'react'
import type { Body } from '../api.ts'
import { type Column, Link, PhoneNumber, type Selection, Soft, Status, Table } from '../ui/index.ts'
import { related, useRelated, type Related } from './related.ts'

type NumberRow = Body<'listNumbers'>['data'][number]

interface NumbersTableProps {
  rows: readonly NumberRow[]
  busy: boolean
  selection: Selection
}

/** The table of numbers. */
export function NumbersTable({ rows, busy, selection }: NumbersTableProps) {
  const facts = useRelated(rows)
  const columns = useMemo(() => columnsOf(facts), [facts])
  return <Table label="Numbers" columns={columns} rows={rows} keyOf={valueOf} busy={busy} selection={selection} />
}

const valueOf = ({ attributes }: NumberRow) => attributes.value

const columnsOf = (facts: Related): Column<NumberRow>[] => [
  {
    title: 'Number',
    head: true,
    cell: ({ attributes: { value } }) => (
      <Link to="/numbers/$number" params={{ number: value }}>
        <PhoneNumber value={value} />
      </Link>
    ),
  },
  { title: 'Alias', cell: ({ attributes: { alias } }) => alias ?? '—' },
  {
    title: 'Route',
    cell: ({ relationships: { primary_route, failover_route } }) => (
      <>
        {related(facts.routes, primary_route) ?? 'Default'}
        {failover_route.data !== null && <Soft below>then {related(facts.routes, failover_route)}</Soft>}
      </>
    ),
  },
  {
    title: 'Caller ID',
    minor: true,
    cell: ({ relationships: { cnam_preset } }) => related(facts.cnams, cnam_preset) ?? '—',
  },
  {
    title: 'E911 address',
    cell: ({ attributes: { number_type }, relationships: { e911_address } }) =>
      number_type === 'toll-free'
        ? '—'
        : (related(facts.e911s, e911_address) ?? <Status meaning="needs-you">No address</Status>),
  },
  {
    title: 'Status',
    minor: true,
    cell: ({ attributes: { status } }) => <InService status={status} />,
  },
]

/** Whether calls to a number are routed. */
export const InService = ({ status }: Pick<NumberRow['attributes'], 'status'>) => (
  <Status meaning={status === 'active' ? 'done' : 'quiet'}>
    {status === 'active' ? 'In service' : 'Not in service'}
  </Status>
)

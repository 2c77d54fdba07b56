import type { Body } from '../../api.ts'
import { type Column, Link, Soft, Table, Time, TwoLines } from '../../ui/index.ts'
import { AccountName } from '../../shell/account-search.ts'
import css from '../operator.module.css'
import type { AuditSearch } from '../search.ts'
import { actorText, eventText, personText, subjectText } from './words.ts'

export type AuditEvent = Body<'listEvents'>['data'][number]

interface EventsTableProps {
  events: readonly AuditEvent[]
  /** The current filters, kept when an entry opens. */
  search: AuditSearch
  busy: boolean
}

/** Audit entries, newest first; one may be open. */
export function EventsTable({ events, search, busy }: EventsTableProps) {
  return <Table label="Audit log" columns={columnsOf(search)} rows={events} current={search.event} busy={busy} />
}

/** The account of an entry. */
export const AccountOf = ({ account_id }: { account_id: string | null }) =>
  account_id === null ? 'Operator' : <AccountName of={account_id} />

/** The actor, as far as known. */
export const Who = ({ of: { account_id, actor, person } }: { of: AuditEvent['attributes'] }) => (
  <span className={css.wrap}>
    {actorText(actor, () => person?.name)}
    {person !== null && <Soft below>{personText(person, account_id)}</Soft>}
  </span>
)

const columnsOf = (search: AuditSearch): Column<AuditEvent>[] => [
  {
    title: 'Event',
    head: true,
    cell: ({ id, attributes: { event_type } }) => (
      <TwoLines below={event_type}>
        <Link to="/operator/audit" search={{ ...search, event: id }}>
          {eventText(event_type)}
        </Link>
      </TwoLines>
    ),
  },
  { title: 'When', cell: ({ attributes: { occurred_at } }) => <Time at={occurred_at} /> },
  {
    title: 'About',
    minor: true,
    cell: ({ attributes: { subject_type, subject_id } }) => (
      <span className={css.wrap}>
        {subjectText(subject_type)} {subject_id}
      </span>
    ),
  },
  { title: 'Account', cell: ({ attributes: { account_id } }) => <AccountOf account_id={account_id} /> },
  { title: 'Who', cell: ({ attributes }) => <Who of={attributes} /> },
]

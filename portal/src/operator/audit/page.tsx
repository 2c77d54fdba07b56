import { useList } from '../../api.ts'
import { commandWith } from '../../shell/api-call.tsx'
import { usePageSearch } from '../../shell/change-search.ts'
import { Page } from '../../shell/page.tsx'
import { PagedList } from '../../shell/paged-list.tsx'
import { EmptyState } from '../../ui/index.ts'
import { auditLimit, type AuditSearch } from '../search.ts'
import { CheckButton, CheckOutcome, useChainCheck } from './chain-check.tsx'
import { EventDialog } from './event-dialog.tsx'
import { EventsTable } from './events-table.tsx'
import { AuditFilters } from './filters.tsx'

/** Who did what, and when? */
export function AuditPage() {
  const { search, change, filter, page, paging } = usePageSearch('/operator/audit', auditLimit)
  const select = (next: AuditSearch) => filter({ event: undefined, ...next })
  const { of, actor, what, subject, subject_id, from, before, event } = search
  const query = { ...page, account_id: of, actor, event_type: what, subject_type: subject, subject_id, from, before }
  const check = useChainCheck(of)
  const events = useList('listEvents', { query })
  const opened = events.data?.data.find(({ id }) => id === event)
  return (
    <Page
      title="Audit log"
      facts="Who changed what, and when. Each entry includes a digest of the previous one, so tampering with the log is detectable."
      call={{ operation: 'listEvents', input: { query }, command: commandOf(query) }}
      verb={<CheckButton of={of} check={check} />}
    >
      <CheckOutcome check={check} />
      <AuditFilters search={search} error={events.error} onChange={select} />
      <PagedList
        query={events}
        {...paging}
        empty={<EmptyState title="No matching entries">Remove a filter or choose a longer period.</EmptyState>}
      >
        {(rows, busy) => <EventsTable events={rows} search={search} busy={busy} />}
      </PagedList>
      {opened !== undefined && (
        <EventDialog event={opened} onClose={() => change({ event: undefined })} onFilter={select} />
      )}
    </Page>
  )
}

const commandOf = ({ account_id, ...query }: { account_id: string | undefined }) =>
  commandWith('demarc audit list', { account: account_id, ...query })

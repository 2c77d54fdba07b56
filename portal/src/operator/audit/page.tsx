import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback } from 'react'
import { qList } from '../../api.ts'
import { ShowAsApiCall } from '../../shell/api-call.tsx'
import { PagedList } from '../../shell/paged-list.tsx'
import { shellQuoted } from '../../ui/text.ts'
import { EmptyState, PageHead, Stack } from '../../ui/panels.tsx'
import { auditLimit as limit, type AuditSearch } from '../search.ts'
import { CheckButton, CheckOutcome, useChainCheck } from './chain-check.tsx'
import { EventDialog } from './event-dialog.tsx'
import { EventsTable } from './events-table.tsx'
import { AuditFilters } from './filters.tsx'
import { replacesEntry } from '../../search.ts'

/** Who did what, and when? */
export function AuditPage() {
  const search = useSearch({ from: '/signed-in/operator/audit' })
  const navigate = useNavigate()
  const change = useCallback(
    (next: AuditSearch) =>
      void navigate({
        to: '/operator/audit',
        search: (before) => ({ ...before, offset: undefined, event: undefined, ...next }),
        replace: replacesEntry(next),
      }),
    [navigate],
  )
  const query = queryOf(search)
  const check = useChainCheck(search.of)
  const events = useQuery(qList('listEvents', { query }))
  const opened = events.data?.data.find(({ id }) => id === search.event)
  return (
    <Stack>
      <PageHead
        title="Audit log"
        facts="Who changed what, and when. Each entry includes a digest of the previous one, so tampering with the log is detectable."
        verb={
          <>
            <ShowAsApiCall operation="listEvents" input={{ query }} command={commandOf(query)} />
            <CheckButton of={search.of} check={check} />
          </>
        }
      />
      <CheckOutcome check={check} />
      <AuditFilters search={search} error={events.error} onChange={change} />
      <PagedList
        query={events}
        limit={limit}
        offset={search.offset}
        onOffset={(offset) => change({ offset })}
        skeleton_rows={10}
        empty={
          <EmptyState title="No matching entries">
            <p>Remove a filter or choose a longer period.</p>
          </EmptyState>
        }
      >
        {(rows, busy) => <EventsTable events={rows} search={search} busy={busy} />}
      </PagedList>
      {opened !== undefined && (
        <EventDialog
          event={opened}
          onClose={() => change({ offset: search.offset, event: undefined })}
          onFilter={change}
        />
      )}
    </Stack>
  )
}

const queryOf = ({ of, actor, what, subject, subject_id, from, before, offset }: AuditSearch) => {
  const filters = {
    account_id: of,
    actor,
    event_type: what,
    subject_type: subject,
    subject_id,
    from,
    before,
    offset,
  }
  const set = Object.entries(filters).filter(([, value]) => value !== undefined)
  return { limit, ...Object.fromEntries(set) } as { limit: number } & { [K in keyof typeof filters]?: string }
}

const commandOf = (query: Record<string, string | number | undefined>) =>
  [
    'demarc audit list',
    ...Object.entries(query).map(
      ([name, value]) =>
        `--${name === 'account_id' ? 'account' : name.replaceAll('_', '-')} ${shellQuoted(String(value))}`,
    ),
  ].join(' ')

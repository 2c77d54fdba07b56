import { countText } from '@demarc/client/rules'
import type { UseQueryResult } from '@tanstack/react-query'
import { useState } from 'react'
import { useReadOnlyReason } from '../account.ts'
import { type Body, useList } from '../api.ts'
import { Loaded } from '../shell/loaded.tsx'
import { PagedList } from '../shell/paged-list.tsx'
import { usePageSearch } from '../shell/change-search.ts'
import { Button, EmptyState, FilterBar, FilterBy, Skeleton, Stack, Table } from '../ui/index.ts'
import { jobColumns, kindColumns, LaterKinds, splitKinds, kindTitle, stateWords, type Job } from './columns.tsx'
import { useEach } from './use-each.ts'

const refresh_ms = 10_000

/** Jobs by kind, and the list of jobs. */
export function Jobs({ kinds }: { kinds: UseQueryResult<Body<'listJobKinds'>> }) {
  return (
    <Stack>
      <Loaded query={kinds} skeleton={<Skeleton rows={3} tall />}>
        {({ data }) => <Kinds {...splitKinds(data)} />}
      </Loaded>
      <JobList />
    </Stack>
  )
}

const Kinds = ({ now, later }: ReturnType<typeof splitKinds>) => (
  <Stack gap="narrow">
    {now.length > 0 && <Table label="Jobs by kind" columns={kindColumns} rows={now} />}
    <LaterKinds kinds={later} />
  </Stack>
)

function JobList() {
  const { search, filter, page, paging } = usePageSearch('/operator/jobs', 25)
  const { job: state, kind } = search
  const jobs = useList('listJobs', { query: { ...page, state, kind } }, { refetchInterval: refresh_ms })
  const filtered = state !== undefined || kind !== undefined
  return (
    <Stack gap="narrow">
      <FilterBar
        onClear={filtered ? () => filter({ job: undefined, kind: undefined }) : null}
        count={kind === undefined ? undefined : `Only: ${kindTitle(kind)}`}
      >
        <FilterBy label="Status" labels={stateWords} value={state} onChange={(job) => filter({ job })} />
      </FilterBar>
      <PagedList query={jobs} {...paging} empty={<NoJobs filtered={filtered} />}>
        {(rows, busy) => <JobTable rows={rows} busy={busy} selectable={state === 'dead'} />}
      </PagedList>
    </Stack>
  )
}

function JobTable({ rows, busy, selectable }: { rows: readonly Job[]; busy: boolean; selectable: boolean }) {
  const disabledReason = useReadOnlyReason()
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const retry = useEach('retryJob', (count) => `${countText(count, 'job is', 'jobs are')} due again.`)
  const send = (ids: readonly string[]) => retry.mutate(ids.map((job_id) => ({ params: { job_id } })))
  const chosen = rows.filter(({ id }) => selected.has(id)).map(({ id }) => id)
  return (
    <Stack gap="narrow">
      <Table
        label="Jobs"
        columns={jobColumns({
          disabledReason: retry.isPending ? 'A retry is in progress.' : disabledReason,
          onRetry: send,
        })}
        rows={rows}
        busy={busy}
        {...(selectable && { selection: { selected, onChange: setSelected } })}
      />
      {selectable && chosen.length > 0 && (
        <div>
          <Button
            kind="primary"
            isPending={retry.isPending}
            disabledReason={disabledReason}
            onPress={() => send(chosen)}
          >
            Retry {countText(chosen.length, 'job')}
          </Button>
        </div>
      )}
    </Stack>
  )
}

function NoJobs({ filtered }: { filtered: boolean }) {
  if (filtered)
    return <EmptyState title="No matching jobs">Choose another status or kind, or clear the filters.</EmptyState>
  return (
    <EmptyState title="No open jobs">
      Work that outlasts a request runs as a job: exports, notifications, email, street data. Finished jobs disappear. A
      job stays here after its last attempt fails. You can retry it.
    </EmptyState>
  )
}

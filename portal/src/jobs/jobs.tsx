import { useQuery, type UseQueryResult } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useReadOnlyReason } from '../account.ts'
import { qList, type Body } from '../api.ts'
import { Loaded } from '../shell/loaded.tsx'
import { PagedList } from '../shell/paged-list.tsx'
import { useChangeSearch } from '../shell/change-search.ts'
import { Button } from '../ui/button.tsx'
import { FilterBar, FilterChips } from '../ui/filter-bar.tsx'
import { EmptyState, Stack, Skeleton } from '../ui/panels.tsx'
import { Table } from '../ui/table.tsx'
import { jobColumns, kindColumns, LaterKinds, splitKinds, kindTitle, stateWords, type Job } from './columns.tsx'
import { jobStates, type JobsSearch } from '../operator/search.ts'
import { useEach } from './use-each.ts'

const limit = 25
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
  const { job: state, kind, offset } = useSearch({ from: '/signed-in/operator/jobs' })
  const change: (next: JobsSearch) => void = useChangeSearch('/operator/jobs')
  const query = { limit, ...(offset && { offset }), ...(state && { state }), ...(kind !== undefined && { kind }) }
  const jobs = useQuery({ ...qList('listJobs', { query }), refetchInterval: refresh_ms })
  const filtered = state !== undefined || kind !== undefined
  return (
    <Stack gap="narrow">
      <FilterBar
        onClear={filtered ? () => change({ job: undefined, kind: undefined, offset: undefined }) : null}
        count={kind === undefined ? undefined : `Only: ${kindTitle(kind)}`}
      >
        <FilterChips
          label="Status"
          options={jobStates.map((value) => ({ value, label: stateWords[value].label }))}
          value={state ?? null}
          onChange={(next) => change({ job: next ?? undefined, offset: undefined })}
        />
      </FilterBar>
      <PagedList
        query={jobs}
        {...{ limit, offset }}
        onOffset={(next) => change({ offset: next })}
        skeleton_rows={6}
        empty={<NoJobs filtered={filtered} />}
      >
        {(rows, busy) => <JobTable rows={rows} busy={busy} selectable={state === 'dead'} />}
      </PagedList>
    </Stack>
  )
}

function JobTable({ rows, busy, selectable }: { rows: readonly Job[]; busy: boolean; selectable: boolean }) {
  const disabledReason = useReadOnlyReason()
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const retry = useEach('retryJob', (count) => (count === 1 ? '1 job is due again.' : `${count} jobs are due again.`))
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
            {chosen.length === 1 ? 'Retry 1 job' : `Retry ${chosen.length} jobs`}
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
      <p>
        Work that outlasts a request runs as a job: exports, notifications, email, street data. Finished jobs disappear.
        A job stays here after its last attempt fails. You can retry it.
      </p>
    </EmptyState>
  )
}

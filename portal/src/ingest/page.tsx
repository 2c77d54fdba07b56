import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { Upload } from 'lucide-react'
import { useState } from 'react'
import { useReadOnlyReason } from '../account.ts'
import { q, qList } from '../api.ts'
import { ShowAsApiCall } from '../shell/api-call.tsx'
import { Loaded } from '../shell/loaded.tsx'
import { PagedList } from '../shell/paged-list.tsx'
import { useChangeSearch } from '../shell/change-search.ts'
import { Button } from '../ui/button.tsx'
import { FilterBar, FilterChips } from '../ui/filter-bar.tsx'
import { EmptyState, PageHead, Stack, Skeleton, SkeletonLike } from '../ui/panels.tsx'
import { Table } from '../ui/table.tsx'
import { Arrivals } from './arrivals.tsx'
import { ingestColumns, usePersonName } from './columns.tsx'
import { RejectedLinesDialog } from './rejected-lines-dialog.tsx'
import { ingestOutcomes, type IngestSearch } from '../operator/search.ts'
import { UploadDialog } from './upload-dialog.tsx'
import { arrivalText } from './words.ts'

const limit = 25
/** Deliveries arrive about once a minute, so a stopped switch shows quickly. */
const refresh_ms = 20_000

const arrivalExample = (
  <SkeletonLike>
    The last delivery arrived 40 seconds ago; the usual interval is 60 seconds. No lines were rejected in the last 30
    days.
  </SkeletonLike>
)

const outcomeWords = { rejected: 'With rejected lines', failed: 'Ended early' } as const

/** Are call records arriving, and what was rejected? */
export function IngestPage() {
  const { outcome, refused, offset } = useSearch({ from: '/signed-in/operator/ingest' })
  const change: (next: IngestSearch) => void = useChangeSearch('/operator/ingest')
  const summary = useQuery({ ...q('getCdrIngestSummary'), refetchInterval: refresh_ms })
  const query = { limit, ...(offset && { offset }), ...(outcome && { outcome }) }
  const ingests = useQuery({ ...qList('listCdrIngests', { query }), refetchInterval: refresh_ms })
  const columns = ingestColumns(usePersonName())
  const hasAny = summary.data?.data.attributes.last_received_at !== null
  return (
    <Stack>
      <PageHead
        title="Call-record ingest"
        facts={summary.data === undefined ? arrivalExample : arrivalText(summary.data.data.attributes)}
        verb={<HeadVerbs query={query} />}
      />
      <Loaded query={summary} skeleton={<Skeleton rows={4} />}>
        {({ data }) => <Arrivals of={data.attributes} />}
      </Loaded>
      <Stack gap="narrow">
        {hasAny && (
          <FilterBar>
            <FilterChips
              label="Outcome"
              options={ingestOutcomes.map((value) => ({ value, label: outcomeWords[value] }))}
              value={outcome ?? null}
              onChange={(next) => change({ outcome: next ?? undefined, offset: undefined })}
            />
          </FilterBar>
        )}
        <PagedList
          query={ingests}
          {...{ limit, offset }}
          onOffset={(next) => change({ offset: next })}
          skeleton_rows={8}
          empty={<NoIngests filtered={outcome !== undefined} />}
        >
          {(rows, busy) => <Table label="Deliveries" columns={columns} rows={rows} busy={busy} />}
        </PagedList>
      </Stack>
      {refused !== undefined && <RejectedLinesDialog id={refused} onClose={() => change({ refused: undefined })} />}
    </Stack>
  )
}

function HeadVerbs({ query }: { query: { limit: number; offset?: number; outcome?: 'rejected' | 'failed' } }) {
  const [uploading, setUploading] = useState(false)
  const command = `demarc cdr ingests${query.outcome === undefined ? '' : ` --outcome ${query.outcome}`}`
  return (
    <>
      <ShowAsApiCall operation="listCdrIngests" input={{ query }} command={command} />
      <Button kind="primary" disabledReason={useReadOnlyReason()} onPress={() => setUploading(true)}>
        <Upload aria-hidden="true" />
        Deliver a file
      </Button>
      {uploading && <UploadDialog onClose={() => setUploading(false)} />}
    </>
  )
}

function NoIngests({ filtered }: { filtered: boolean }) {
  if (filtered)
    return <EmptyState title="No matching deliveries">Choose another outcome or clear the filter.</EmptyState>
  return (
    <EmptyState title="No call records yet">
      <p>
        Your switch or rating system sends them to <code>POST /operator/cdrs</code> as NDJSON or CSV. You can also send
        a file with <code>demarc cdr import</code>. Each delivery then appears here with its rejected lines.
      </p>
    </EmptyState>
  )
}

import { Upload } from 'lucide-react'
import { useRead, useList } from '../api.ts'
import { Loaded } from '../shell/loaded.tsx'
import { PagedList } from '../shell/paged-list.tsx'
import { usePageSearch } from '../shell/change-search.ts'
import { Page } from '../shell/page.tsx'
import { DialogButton } from '../shell/change-buttons.tsx'
import { EmptyState, FilterBar, FilterBy, Skeleton, SkeletonLike, Stack, Table } from '../ui/index.ts'
import { Arrivals } from './arrivals.tsx'
import { usePersonName } from '../operator/staff.ts'
import { ingestColumns } from './columns.tsx'
import { RejectedLinesDialog } from './rejected-lines-dialog.tsx'
import { UploadDialog } from './upload-dialog.tsx'
import { arrivalText } from './words.ts'

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
  const { search, change, filter, page, paging } = usePageSearch('/operator/ingest', 25)
  const { outcome, refused } = search
  const summary = useRead('getCdrIngestSummary', {}, { refetchInterval: refresh_ms })
  const query = { ...page, outcome }
  const ingests = useList('listCdrIngests', { query }, { refetchInterval: refresh_ms })
  const columns = ingestColumns(usePersonName())
  const hasAny = summary.data?.data.attributes.last_received_at !== null
  const command = `demarc cdr ingests${outcome === undefined ? '' : ` --outcome ${outcome}`}`
  return (
    <Page
      title="Call-record ingest"
      facts={summary.data === undefined ? arrivalExample : arrivalText(summary.data.data.attributes)}
      call={{ operation: 'listCdrIngests', input: { query }, command }}
      verb={
        <DialogButton kind="primary" dialog={(close) => <UploadDialog onClose={close} />}>
          <Upload aria-hidden="true" />
          Deliver a file
        </DialogButton>
      }
    >
      <Loaded query={summary} skeleton={<Skeleton rows={4} />}>
        {({ data }) => <Arrivals of={data.attributes} />}
      </Loaded>
      <Stack gap="narrow">
        {hasAny && (
          <FilterBar>
            <FilterBy
              label="Outcome"
              labels={outcomeWords}
              value={outcome}
              onChange={(next) => filter({ outcome: next })}
            />
          </FilterBar>
        )}
        <PagedList query={ingests} {...paging} empty={<NoIngests filtered={outcome !== undefined} />}>
          {(rows, busy) => <Table label="Deliveries" columns={columns} rows={rows} busy={busy} />}
        </PagedList>
      </Stack>
      {refused !== undefined && <RejectedLinesDialog id={refused} onClose={() => change({ refused: undefined })} />}
    </Page>
  )
}

function NoIngests({ filtered }: { filtered: boolean }) {
  if (filtered)
    return <EmptyState title="No matching deliveries">Choose another outcome or clear the filter.</EmptyState>
  return (
    <EmptyState title="No call records yet">
      Your switch or rating system sends them to <code>POST /operator/cdrs</code> as NDJSON or CSV. You can also send a
      file with <code>demarc cdr import</code>. Each delivery then appears here with its rejected lines.
    </EmptyState>
  )
}

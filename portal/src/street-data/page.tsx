import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { Upload } from 'lucide-react'
import { useState } from 'react'
import { useReadOnlyReason } from '../account.ts'
import { q } from '../api.ts'
import { ShowAsApiCall } from '../shell/api-call.tsx'
import { Loaded } from '../shell/loaded.tsx'
import { Button } from '../ui/button.tsx'
import { EmptyState, PageHead, Stack, Skeleton } from '../ui/panels.tsx'
import { Table } from '../ui/table.tsx'
import { datasetColumns } from './columns.tsx'
import { DatasetDialog, type Act } from './dataset-dialog.tsx'
import { Report } from './report.tsx'
import { States } from './states.tsx'
import { UploadDialog } from './upload-dialog.tsx'
import { streetDataText, type Dataset } from './words.ts'

/** Polling interval while a dataset loads. */
const loading_ms = 1_000

const isLoading = ({ attributes: { status } }: Dataset) => status === 'loading'
const newestFirst = (a: Dataset, b: Dataset) => Number(b.id) - Number(a.id)

/** Which addresses can we validate, and how good is the data? */
export function StreetDataPage() {
  const { dataset } = useSearch({ from: '/signed-in/operator/street-data' })
  const datasets = useQuery({
    ...q('listE911Datasets'),
    refetchInterval: ({ state }) => (state.data?.data.some(isLoading) ? loading_ms : false),
  })
  return (
    <Stack>
      <PageHead
        title="Street data"
        facts={
          datasets.data === undefined ? 'Data used to validate emergency addresses.' : streetDataText(datasets.data)
        }
        verb={<HeadVerbs />}
      />
      <Loaded query={datasets} skeleton={<Skeleton rows={8} tall />}>
        {({ data, meta }) =>
          data.length === 0 ? (
            <NoDatasets />
          ) : (
            <>
              <Datasets rows={data.toSorted(newestFirst)} />
              <Shown of={data.find(({ id }) => id === dataset) ?? data.toSorted(newestFirst)[0]} />
              <States rows={meta.coverage} />
            </>
          )
        }
      </Loaded>
    </Stack>
  )
}

function HeadVerbs() {
  const [loading, setLoading] = useState(false)
  return (
    <>
      <ShowAsApiCall operation="listE911Datasets" command="demarc e911-dataset list" />
      <Button kind="primary" disabledReason={useReadOnlyReason()} onPress={() => setLoading(true)}>
        <Upload aria-hidden="true" />
        Load a file
      </Button>
      {loading && <UploadDialog onClose={() => setLoading(false)} />}
    </>
  )
}

function Datasets({ rows }: { rows: readonly Dataset[] }) {
  const disabledReason = useReadOnlyReason()
  const [act, setAct] = useState<Act | null>(null)
  return (
    <>
      <Table label="Datasets" columns={datasetColumns(setAct, disabledReason)} rows={rows} />
      {act !== null && <DatasetDialog {...act} onClose={() => setAct(null)} />}
    </>
  )
}

const Shown = ({ of }: { of: Dataset | undefined }) => (of === undefined ? null : <Report key={of.id} of={of} />)

const NoDatasets = () => (
  <EmptyState title="No street data yet">
    <p>
      Addresses are validated against data you load: a master street address guide, your counties’ address points or
      road centerlines, or public data such as OpenAddresses and TIGER. Load a file here, or run{' '}
      <code>npm run e911:import</code> on the database host.
    </p>
  </EmptyState>
)

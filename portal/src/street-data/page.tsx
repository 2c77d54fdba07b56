import { useSearch } from '@tanstack/react-router'
import { Upload } from 'lucide-react'
import { useRead } from '../api.ts'
import { Loaded } from '../shell/loaded.tsx'
import { Page } from '../shell/page.tsx'
import { DialogButton } from '../shell/change-buttons.tsx'
import { EmptyState, Skeleton, Table } from '../ui/index.ts'
import { datasetColumns } from './columns.tsx'
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
  const datasets = useRead(
    'listE911Datasets',
    {},
    { refetchInterval: ({ state }) => (state.data?.data.some(isLoading) ? loading_ms : false) },
  )
  return (
    <Page
      title="Street data"
      facts={datasets.data === undefined ? 'Data used to validate emergency addresses.' : streetDataText(datasets.data)}
      call={{ operation: 'listE911Datasets', command: 'demarc e911-dataset list' }}
      verb={
        <DialogButton kind="primary" dialog={(close) => <UploadDialog onClose={close} />}>
          <Upload aria-hidden="true" />
          Load a file
        </DialogButton>
      }
    >
      <Loaded query={datasets} skeleton={<Skeleton rows={8} tall />}>
        {({ data, meta }) =>
          data.length === 0 ? (
            <NoDatasets />
          ) : (
            <>
              <Table label="Datasets" columns={datasetColumns} rows={data.toSorted(newestFirst)} />
              <Shown of={data.find(({ id }) => id === dataset) ?? data.toSorted(newestFirst)[0]} />
              <States rows={meta.coverage} />
            </>
          )
        }
      </Loaded>
    </Page>
  )
}

const Shown = ({ of }: { of: Dataset | undefined }) => (of === undefined ? null : <Report key={of.id} of={of} />)

const NoDatasets = () => (
  <EmptyState title="No street data yet">
    Addresses are validated against data you load: a master street address guide, your counties’ address points or road
    centerlines, or public data such as OpenAddresses and TIGER. Load a file here, or run{' '}
    <code>npm run e911:import</code> on the database host.
  </EmptyState>
)

import { Button } from '../ui/button.tsx'
import { Link } from '../ui/link.tsx'
import { RowVerbs } from '../ui/panels.tsx'
import { Soft } from '../ui/soft.tsx'
import { Status } from '../ui/status.tsx'
import type { Column } from '../ui/table.tsx'
import { Count, Time } from '../ui/values.tsx'
import type { Act } from './dataset-dialog.tsx'
import css from './street-data.module.css'
import { percentText, statusWords, titleOf, type Dataset } from './words.ts'

export const datasetColumns = (open: (act: Act) => void, readOnly: string | null): Column<Dataset>[] => [
  {
    id: 'name',
    title: 'Dataset',
    head: true,
    cell: (dataset) => (
      <>
        <Link
          to="/operator/street-data"
          search={(before) => ({ ...before, dataset: dataset.id, covered: undefined, offset: undefined })}
        >
          {titleOf(dataset)}
        </Link>
        <Soft below>
          {dataset.attributes.format}, {dataset.attributes.authority}
        </Soft>
      </>
    ),
  },
  { id: 'status', title: 'Status', cell: (dataset) => <DatasetStatus of={dataset} /> },
  {
    id: 'rows',
    title: 'Rows read',
    align: 'end',
    minor: true,
    cell: ({ attributes: { rows_read, rows_skipped } }) => (
      <>
        <Count of={rows_read} />
        {rows_skipped > 0 && <Soft below>{rows_skipped.toLocaleString('en-US')} skipped</Soft>}
      </>
    ),
  },
  { id: 'streets', title: 'Streets', align: 'end', cell: ({ attributes }) => <Count of={attributes.streets} /> },
  {
    id: 'at',
    title: 'Activated',
    minor: true,
    cell: ({ attributes: { activated_at } }) => (activated_at === null ? '—' : <Time at={activated_at} date />),
  },
  verbs(open, readOnly),
]

const verbs = (open: (act: Act) => void, readOnly: string | null): Column<Dataset> => ({
  id: 'verbs',
  title: 'Change',
  verbs: true,
  cell: (dataset) => (
    <RowVerbs>
      <Button
        size="small"
        aria-label={`Activate ${titleOf(dataset)}`}
        disabledReason={readOnly ?? whyNotActivate(dataset)}
        onPress={() => open({ act: 'activate', dataset })}
      >
        Activate
      </Button>
      <Button
        size="small"
        kind="plain"
        aria-label={`Remove ${titleOf(dataset)}`}
        disabledReason={readOnly}
        onPress={() => open({ act: 'remove', dataset })}
      >
        Remove
      </Button>
    </RowVerbs>
  ),
})

function whyNotActivate({ attributes: { status } }: Dataset): string | null {
  if (status === 'active') return 'Already active.'
  if (status === 'loading') return 'Still loading.'
  return status === 'failed' ? 'Loading failed. Upload the file again.' : null
}

function DatasetStatus({ of: { attributes } }: { of: Dataset }) {
  const { status, progress, failure_reason } = attributes
  const { label, meaning } = statusWords[status]
  return (
    <>
      <Status meaning={meaning}>{label}</Status>
      {status === 'loading' && (
        <Soft as="div">
          <progress className={css.progress} aria-label="Loaded" max={1} value={progress} /> {percentText(progress)}
        </Soft>
      )}
      {failure_reason !== null && <Soft below>{failure_reason}</Soft>}
    </>
  )
}

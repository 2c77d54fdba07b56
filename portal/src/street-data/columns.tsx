import { type Column, Count, Link, RowVerbs, Soft, Status, Time } from '../ui/index.ts'
import { RowDialog } from '../shell/change-buttons.tsx'
import { ActivateDialog, RemoveDialog } from './dataset-dialog.tsx'
import css from './street-data.module.css'
import { percentText, statusWords, titleOf, type Dataset } from './words.ts'

export const datasetColumns: Column<Dataset>[] = [
  {
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
  { title: 'Status', cell: (dataset) => <DatasetStatus of={dataset} /> },
  {
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
  { title: 'Streets', align: 'end', cell: ({ attributes }) => <Count of={attributes.streets} /> },
  {
    title: 'Activated',
    minor: true,
    cell: ({ attributes: { activated_at } }) => (activated_at === null ? '—' : <Time at={activated_at} date />),
  },
  {
    title: 'Change',
    verbs: true,
    cell: (dataset) => (
      <RowVerbs>
        <RowDialog
          verb="Activate"
          of={titleOf(dataset)}
          disabledReason={whyNotActivate(dataset)}
          dialog={(close) => <ActivateDialog dataset={dataset} onClose={close} />}
        />
        <RowDialog
          verb="Remove"
          of={titleOf(dataset)}
          kind="plain"
          dialog={(close) => <RemoveDialog dataset={dataset} onClose={close} />}
        />
      </RowVerbs>
    ),
  },
]

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

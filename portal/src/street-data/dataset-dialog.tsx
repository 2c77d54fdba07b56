import { useChange } from '../api.ts'
import { ConsequenceDialog } from '../shell/consequence-dialog.tsx'
import { FormDialog } from '../shell/form-dialog.tsx'
import { toast } from '../ui/toast.tsx'
import css from './street-data.module.css'
import { titleOf, type Dataset } from './words.ts'

export interface Act {
  act: 'activate' | 'remove'
  dataset: Dataset
}

/** Confirms the activation or removal of a dataset. */
export const DatasetDialog = ({ act, ...rest }: Act & { onClose(): void }) =>
  act === 'activate' ? <ActivateDialog {...rest} /> : <RemoveDialog {...rest} />

interface DialogProps {
  dataset: Dataset
  onClose(): void
}

function ActivateDialog({ dataset, onClose }: DialogProps) {
  const activate = useChange('activateE911Dataset')
  const { status, report } = dataset.attributes
  const title = titleOf(dataset)
  const held = status === 'held'
  const onSuccess = () => {
    toast(`${title} activated.`, { kind: 'done' })
    onClose()
  }
  const input = { params: { dataset_id: dataset.id }, query: held ? { force: 'true' as const } : {} }
  return (
    <FormDialog
      title={`Activate ${title}`}
      verb={held ? 'Activate anyway' : 'Activate'}
      danger={held}
      autoFocus
      isPending={activate.isPending}
      error={activate.error}
      onSend={() => activate.mutate(input, { onSuccess })}
      onClose={onClose}
    >
      {held && (
        <>
          <p>The report has warnings:</p>
          <ul className={css.reasons}>
            {report?.held.map((reason) => (
              <li key={reason}>{reason}</li>
            ))}
          </ul>
        </>
      )}
      <p>
        Addresses will be checked against this dataset, and every stored address will be rechecked. The previously
        active vintage is kept, so you can switch back.
      </p>
    </FormDialog>
  )
}

function RemoveDialog({ dataset, onClose }: DialogProps) {
  const remove = useChange('deleteE911Dataset')
  const title = titleOf(dataset)
  const onSuccess = () => {
    toast(`${title} removed.`, { kind: 'done' })
    onClose()
  }
  return (
    <ConsequenceDialog
      title={`Remove ${title}`}
      verb="Remove the dataset"
      {...remove}
      onDo={() => remove.mutate({ params: { dataset_id: dataset.id }, query: { force: 'true' } }, { onSuccess })}
      onClose={onClose}
    >
      {dataset.attributes.status === 'active'
        ? 'Stored addresses in its places will be checked again, only by city, state, and postal code unless other data covers them.'
        : 'Its streets will be deleted. To restore the dataset, load its file again.'}
    </ConsequenceDialog>
  )
}

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

/** Asks before a dataset begins to count, or is removed. */
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
    toast(`${title} is active.`, { kind: 'done' })
    onClose()
  }
  const input = { params: { dataset_id: dataset.id }, query: held ? { force: 'true' as const } : {} }
  return (
    <FormDialog
      title={`Activate ${title}`}
      verb={held ? 'Activate it all the same' : 'Activate'}
      danger={held}
      autoFocus
      isPending={activate.isPending}
      error={activate.error}
      onSend={() => activate.mutate(input, { onSuccess })}
      onClose={onClose}
    >
      {held && (
        <>
          <p>Its report says that something is unusual:</p>
          <ul className={css.reasons}>
            {report?.held.map((reason) => (
              <li key={reason}>{reason}</li>
            ))}
          </ul>
        </>
      )}
      <p>
        From now on addresses are checked against it, and every stored address is checked again. An active vintage of
        its name is kept, so that you can go back to it.
      </p>
    </FormDialog>
  )
}

function RemoveDialog({ dataset, onClose }: DialogProps) {
  const remove = useChange('deleteE911Dataset')
  const title = titleOf(dataset)
  const onSuccess = () => {
    toast(`${title} is removed.`, { kind: 'done' })
    onClose()
  }
  return (
    <ConsequenceDialog
      title={`Remove ${title}`}
      verb="Remove the dataset"
      {...remove}
      onDo={() => remove.mutate({ params: { dataset_id: dataset.id } }, { onSuccess })}
      onClose={onClose}
    >
      {dataset.attributes.status === 'active'
        ? 'Addresses of its places are then checked by city, state and postal code alone, unless other data has them.'
        : 'Its streets are deleted. To have it again, load its file again.'}
    </ConsequenceDialog>
  )
}

import { useChange } from '../api.ts'
import { ConsequenceDialog } from '../shell/consequence-dialog.tsx'
import { FormDialog } from '../shell/form-dialog.tsx'
import { Stack, toast } from '../ui/index.ts'
import { titleOf, type Dataset } from './words.ts'

interface DialogProps {
  dataset: Dataset
  onClose(): void
}

/** Confirms the activation of a dataset, which may have been held. */
export function ActivateDialog({ dataset, onClose }: DialogProps) {
  const { status, report } = dataset.attributes
  const title = titleOf(dataset)
  const activate = useChange('activateE911Dataset', () => {
    toast(`${title} activated.`, { kind: 'done' })
    onClose()
  })
  const held = status === 'held'
  const input = { params: { dataset_id: dataset.id }, query: held ? { force: 'true' as const } : {} }
  return (
    <FormDialog
      title={`Activate ${title}`}
      verb={held ? 'Activate anyway' : 'Activate'}
      danger={held}
      autoFocus
      {...activate}
      onSend={() => activate.mutate(input)}
      onClose={onClose}
    >
      {held && (
        <>
          <p>The report has warnings:</p>
          <Stack as="ul" gap="tight">
            {report?.held.map((reason) => (
              <li key={reason}>{reason}</li>
            ))}
          </Stack>
        </>
      )}
      <p>
        Addresses will be checked against this dataset, and every stored address will be rechecked. The previously
        active vintage is kept, so you can switch back.
      </p>
    </FormDialog>
  )
}

export function RemoveDialog({ dataset, onClose }: DialogProps) {
  const title = titleOf(dataset)
  const remove = useChange('deleteE911Dataset', () => {
    toast(`${title} removed.`, { kind: 'done' })
    onClose()
  })
  return (
    <ConsequenceDialog
      title={`Remove ${title}`}
      verb="Remove the dataset"
      {...remove}
      onDo={() => remove.mutate({ params: { dataset_id: dataset.id }, query: { force: 'true' } })}
      onClose={onClose}
    >
      {dataset.attributes.status === 'active'
        ? 'Stored addresses in its places will be checked again, only by city, state, and postal code unless other data covers them.'
        : 'Its streets will be deleted. To restore the dataset, load its file again.'}
    </ConsequenceDialog>
  )
}

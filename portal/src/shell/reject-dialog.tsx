import { useState } from 'react'
import { fieldError } from '../api.ts'
import { TextField } from '../ui/field.tsx'
import { FormDialog } from './form-dialog.tsx'

/** Rejects a request with a reason for the customer. */
export function RejectDialog({
  title,
  verb,
  hint,
  field,
  error,
  isPending,
  onSend,
  onClose,
}: {
  title: string
  /** The label of the confirm button. */
  verb: string
  hint: string
  /** The reason's field in the body. */
  field: string
  error: Error | null
  isPending: boolean
  onSend(reason: string): void
  onClose(): void
}) {
  const [reason, setReason] = useState('')
  const refused = fieldError(error, field)
  return (
    <FormDialog
      title={title}
      verb={verb}
      danger
      isPending={isPending}
      disabledReason={reason.trim() === '' ? 'Enter a reason first. The customer will see it.' : null}
      error={refused === null ? error : null}
      onSend={() => onSend(reason.trim())}
      onClose={onClose}
    >
      <TextField label="Reason" value={reason} onChange={setReason} autoFocus hint={hint} error={refused} />
    </FormDialog>
  )
}

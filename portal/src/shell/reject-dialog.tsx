import { useState } from 'react'
import { fieldError } from '../api.ts'
import { TextField } from '../ui/index.ts'
import { FormDialog } from './form-dialog.tsx'

interface RejectDialogProps {
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
}

/** Rejects a request with a reason for the customer. */
export function RejectDialog({ hint, field, onSend, ...rest }: RejectDialogProps) {
  const [reason, setReason] = useState('')
  return (
    <FormDialog
      {...rest}
      danger
      fields={[field]}
      disabledReason={reason.trim() === '' ? 'Enter a reason first. The customer will see it.' : null}
      onSend={() => onSend(reason.trim())}
    >
      <TextField
        label="Reason"
        value={reason}
        onChange={setReason}
        autoFocus
        hint={hint}
        error={fieldError(rest.error, field)}
      />
    </FormDialog>
  )
}

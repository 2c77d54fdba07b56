import type { ReactNode } from 'react'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Stack } from '../ui/panels.tsx'
import { Refused } from './refused.tsx'

interface FormDialogProps {
  title: string
  /** The label of the submit button. */
  verb: string
  danger?: boolean
  wide?: boolean
  /** For dialogs without fields: Enter submits. */
  autoFocus?: boolean
  isPending: boolean
  /** Why the form can't be submitted yet. */
  disabledReason?: string | null
  /** A refusal that is not shown at a field. */
  error: Error | null
  onSend(): void
  onClose(): void
  children: ReactNode
}

/** A dialog with a short form; Enter submits. */
export function FormDialog({ title, wide = false, error, onSend, onClose, children, ...rest }: FormDialogProps) {
  const { verb, danger = false, autoFocus = false, isPending, disabledReason = null } = rest
  const button = (
    <Button
      kind={danger ? 'danger' : 'primary'}
      isPending={isPending}
      disabledReason={disabledReason}
      onPress={onSend}
      autoFocus={autoFocus}
    >
      {verb}
    </Button>
  )
  return (
    <Dialog title={title} isOpen onClose={onClose} wide={wide} verbs={button}>
      <Stack gap="narrow">
        <form
          onSubmit={(event) => {
            event.preventDefault()
            if (disabledReason === null && !isPending) onSend()
          }}
        >
          <Stack gap="narrow">
            {children}
            {/* Enter in a field of a form without a button of its own */}
            <input type="submit" hidden />
          </Stack>
        </form>
        {/* it can have a form of its own */}
        <Refused error={error} onConfirmed={onSend} />
      </Stack>
    </Dialog>
  )
}

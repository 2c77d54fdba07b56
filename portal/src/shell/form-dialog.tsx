import type { ReactNode } from 'react'
import { Button, Dialog, Form, Stack } from '../ui/index.ts'
import { isShownAt } from '../api.ts'
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
  error: Error | null
  /** The fields that show their errors themselves. */
  fields?: readonly string[]
  onSend(): void
  onClose(): void
  children: ReactNode
}

/** A dialog with a short form; Enter submits. */
export function FormDialog({ title, wide = false, onSend, onClose, children, ...rest }: FormDialogProps) {
  const { error, fields = [], verb, danger = false, autoFocus = false, isPending, disabledReason = null } = rest
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
        <Form disabledReason={isPending ? 'It is being sent.' : disabledReason} onSend={onSend}>
          <Stack gap="narrow">
            {children}
            {/* Enter in a field of a form without its own button */}
            <input type="submit" hidden />
          </Stack>
        </Form>
        {/* it can have its own form */}
        <Refused error={isShownAt(fields, error) ? null : error} onConfirmed={onSend} />
      </Stack>
    </Dialog>
  )
}

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { createContext, use, useCallback, useState, type ReactNode } from 'react'
import { useReadOnlyReason } from '../account.ts'
import { refusalOf } from '../api.ts'
import { Button, RowVerb, toast, type ButtonProps } from '../ui/index.ts'

/** Buttons that change something, and their dialogs. They are disabled for people with read-only access. */

/** Shows the API's refusal in the corner, for changes without a form. */
export const toastRefusal = (error: unknown): void => toast(refusalOf(error).title, { kind: 'refused' })

/** Opens a dialog, given how to render it: `open((close) => <RevokeDialog accessKey={key} onClose={close} />)`. */
export type OpenDialog = (dialog: (close: () => void) => ReactNode) => void

/** The open dialog, and the function that opens one. */
export function useDialog(): [dialog: ReactNode, open: OpenDialog] {
  const [opened, setOpened] = useState<Parameters<OpenDialog>[0] | null>(null)
  // the setter would call a function
  const open: OpenDialog = useCallback((dialog) => setOpened(() => dialog), [])
  return [opened?.(() => setOpened(null)), open]
}

const DialogContext = createContext<OpenDialog>(() => {
  throw new Error('A dialog was opened outside of a page.')
})

/** Shows the dialog that a button in it opens. The dialog stays when the button's row leaves the page. */
export function DialogHost({ children }: { children: ReactNode }) {
  const [dialog, open] = useDialog()
  return (
    <DialogContext value={open}>
      {children}
      {dialog}
    </DialogContext>
  )
}

interface DialogProps {
  dialog(close: () => void): ReactNode
}

/** Opens a dialog. */
export function DialogButton({ dialog, disabledReason = null, ...rest }: Omit<ButtonProps, 'onPress'> & DialogProps) {
  const open = use(DialogContext)
  return <Button {...rest} disabledReason={useReadOnlyReason() ?? disabledReason} onPress={() => open(dialog)} />
}

interface RowVerbProps extends Pick<ButtonProps, 'kind' | 'disabledReason'> {
  verb: string
  /** The row, for screen readers. */
  of: string
}

/** Opens a dialog from a table row. */
export const RowDialog = ({ verb, of, ...rest }: RowVerbProps & DialogProps) => (
  <DialogButton size="small" aria-label={`${verb} ${of}`} {...rest}>
    {verb}
  </DialogButton>
)

interface RowChangeProps extends RowVerbProps {
  send(): Promise<unknown>
  /** Shown in the corner after success. */
  done?: string
}

/** Changes something from a table row, without a dialog. A refusal is shown in the corner. */
export function RowChange({ send, done, disabledReason = null, ...rest }: RowChangeProps) {
  const cache = useQueryClient()
  const change = useMutation({
    mutationFn: send,
    onSuccess: () => {
      if (done !== undefined) toast(done, { kind: 'done' })
      return cache.invalidateQueries()
    },
    onError: toastRefusal,
  })
  return (
    <RowVerb
      {...rest}
      isPending={change.isPending}
      disabledReason={useReadOnlyReason() ?? disabledReason}
      onPress={() => change.mutate()}
    />
  )
}

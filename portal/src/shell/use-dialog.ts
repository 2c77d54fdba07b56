import { useCallback, useState, type ReactNode } from 'react'

/** Opens a dialog, given how to render it: `open((close) => <RevokeDialog accessKey={key} onClose={close} />)`. */
export type OpenDialog = (dialog: (close: () => void) => ReactNode) => void

/** The open dialog, and the function that opens one. */
export function useDialog(): [dialog: ReactNode, open: OpenDialog] {
  const [opened, setOpened] = useState<Parameters<OpenDialog>[0] | null>(null)
  // the setter would call a function
  const open: OpenDialog = useCallback((dialog) => setOpened(() => dialog), [])
  return [opened?.(() => setOpened(null)), open]
}

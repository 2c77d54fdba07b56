import type { ReactElement, ReactNode } from 'react'
import { useReadOnlyReason } from '../account.ts'
import { Button } from '../ui/button.tsx'

/** A link that starts a change; with read-only access, a disabled button with the reason. */
export function IfAllowed({ children }: { children: ReactElement<{ children?: ReactNode }> }) {
  const disabledReason = useReadOnlyReason()
  return disabledReason === null ? children : <Button disabledReason={disabledReason}>{children.props.children}</Button>
}

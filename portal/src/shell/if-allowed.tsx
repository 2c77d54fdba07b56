import type { ReactElement, ReactNode } from 'react'
import { useReadOnlyReason } from '../account.ts'
import { Button } from '../ui/button.tsx'

/** A link to where a change begins: for somebody who may only read, a verb that says why it cannot be done. */
export function IfAllowed({ children }: { children: ReactElement<{ children?: ReactNode }> }) {
  const disabledReason = useReadOnlyReason()
  return disabledReason === null ? children : <Button disabledReason={disabledReason}>{children.props.children}</Button>
}

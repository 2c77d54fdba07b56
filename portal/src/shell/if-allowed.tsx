import type { ReactElement, ReactNode } from 'react'
import { useReadOnlyReason } from '../account.ts'
import { Button, PrimaryLink } from '../ui/index.ts'

/** A link that starts a change; with read-only access, a disabled button with the reason. */
export function IfAllowed({ children }: { children: ReactElement<{ children?: ReactNode }> }) {
  const disabledReason = useReadOnlyReason()
  return disabledReason === null ? children : <Button disabledReason={disabledReason}>{children.props.children}</Button>
}

/** The link to a new port order. */
export const PortNumbers = () => (
  <IfAllowed>
    <PrimaryLink to="/port-orders/new">Port numbers</PrimaryLink>
  </IfAllowed>
)

/** The link to the numbers for sale. */
export const GetNumbers = () => (
  <IfAllowed>
    <PrimaryLink to="/numbers/get">Get numbers</PrimaryLink>
  </IfAllowed>
)

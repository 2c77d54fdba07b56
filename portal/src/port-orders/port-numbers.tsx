import { IfAllowed } from '../shell/if-allowed.tsx'
import { PrimaryLink } from '../ui/link.tsx'

/** The link to a new port order. */
export const PortNumbers = () => (
  <IfAllowed>
    <PrimaryLink to="/port-orders/new">Port numbers</PrimaryLink>
  </IfAllowed>
)

import { IfAllowed } from '../shell/if-allowed.tsx'
import { PrimaryLink } from '../ui/link.tsx'

/** To where a port order begins. */
export const PortNumbers = () => (
  <IfAllowed>
    <PrimaryLink to="/port-orders/new">Port numbers</PrimaryLink>
  </IfAllowed>
)

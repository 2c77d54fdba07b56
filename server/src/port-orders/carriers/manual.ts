import { leftToPeople } from './carrier.ts'
import type { LosingCarrier } from './carrier.ts'

/** A real losing carrier: people talk to it, and the operator enters its answers. Nothing moves by itself. */
export const manualCarrier: LosingCarrier = {
  name: 'manual',
  plays: () => true,
  holdings: () => new Map(),
  next: ({ status }) => leftToPeople(status),
}

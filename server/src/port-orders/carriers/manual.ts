import { manualStep, usualPin } from './carrier.ts'
import type { LosingCarrier } from './carrier.ts'

/** A real losing carrier: people communicate with it, and the operator enters its responses. No transition is automatic. */
export const manualCarrier: LosingCarrier = {
  name: 'manual',
  pin_form: usualPin,
  handles: () => true,
  holdings: () => new Map(),
  next: ({ status }) => manualStep(status),
}

import { portOrders } from '@demarc/client'
import type { CivilDate } from '@demarc/client'
import type { Holding } from '../portability.ts'

/**
 * The interface to a losing carrier. An adapter has no database and no clock. It derives the next step and its time from the
 * order alone, so that the step can be derived again after a crash. It acts for the operator, and its transitions are
 * validated as the operator's.
 */
export interface LosingCarrier {
  readonly name: string
  /** The format of its PINs; null when it accepts any text. */
  readonly pin_form: RegExp | null
  /** Is this the adapter for the order's provider? */
  handles(provider: string): boolean
  /** The current carriers of these numbers (`+1` and ten digits), if known. */
  holdings(numbers: readonly string[]): ReadonlyMap<string, Holding>
  next(order: CarrierOrder): CarrierStep
}

/** The data of an order that the losing carrier receives. */
export interface CarrierOrder {
  readonly status: portOrders.PortOrderStatus
  /** When the order entered this status, or when the date of an accepted order was last changed. */
  readonly entered_at: Date
  readonly numbers: readonly string[]
  /** Decrypted. Never store or log it. */
  readonly pin: string | null
  readonly desired_completion_date: CivilDate | null
  readonly completion_date: CivilDate | null
  /** How often the order was rejected, and how often its date was changed since it was last accepted. */
  readonly rejections: number
  readonly reschedules: number
}

/** Either someone else acts next, or the carrier makes a transition at `at`, or now if that is past. */
export type CarrierStep = { waits_for: 'operator' | 'account' | 'nobody' } | { transition: CarrierTransition }

export interface CarrierTransition {
  to: portOrders.PortOrderStatus
  at: Date
  reason_code?: portOrders.RejectCode
  completion_date?: CivilDate
  /** Numbers that were not ported when the order completed. */
  left_behind?: readonly string[]
  comment?: string
}

/** The PINs that real carriers issue. */
export const usualPin = /^[A-Za-z0-9]{4,15}$/

/** A real losing carrier. The operator contacts it and enters its responses; no transition is automatic. */
export const manualCarrier: LosingCarrier = {
  name: 'manual',
  pin_form: usualPin,
  handles: () => true,
  holdings: () => new Map(),
  next: ({ status }) => manualStep(status),
}

/** The first adapter that handles the provider. The manual one handles all, so it comes last. */
export function carrierFor(provider: string, carriers: readonly LosingCarrier[]): LosingCarrier {
  const found = carriers.find((c) => c.handles(provider))
  if (!found) throw new RangeError(`no losing carrier handles ${JSON.stringify(provider)}`)
  return found
}

/** The next step of an order that is handled by people. */
export function manualStep(status: portOrders.PortOrderStatus): CarrierStep {
  const { who } = portOrders.nextSteps[status]
  return { waits_for: who === 'carrier' ? 'operator' : who }
}

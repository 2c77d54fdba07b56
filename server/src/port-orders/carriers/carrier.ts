import { portOrders } from '@demarc/client'
import type { CivilDate } from '@demarc/client'
import type { Holding } from '../portability.ts'

/**
 * The interface to a losing carrier. An adapter has neither database nor clock: from an order it derives the next step and
 * its time, deterministically, so that the step can be derived again after a crash. Its transitions are validated as the
 * operator's, in whose place it acts.
 */
export interface LosingCarrier {
  readonly name: string
  /** The form of its PINs; null when it takes any text. */
  readonly pin_form: RegExp | null
  /** Is this the adapter for the provider of an order? */
  handles(provider: string): boolean
  /** The current carriers of these numbers (`+1` and ten digits); unknown ones are left out. */
  holdings(numbers: readonly string[]): ReadonlyMap<string, Holding>
  next(order: CarrierOrder): CarrierStep
}

/** The data of an order that the losing carrier gets. */
export interface CarrierOrder {
  readonly status: portOrders.PortOrderStatus
  /** When it came into this status; for an accepted order also the time of the last new date. */
  readonly entered_at: Date
  readonly numbers: readonly string[]
  /** Decrypted, for immediate use. */
  readonly pin: string | null
  readonly desired_completion_date: CivilDate | null
  readonly completion_date: CivilDate | null
  /** How often it was rejected so far, and how often an accepted date was changed since the last acceptance. */
  readonly rejections: number
  readonly reschedules: number
}

/** Somebody else has to act, or the carrier makes a transition at a time: now if `at` is past. */
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

/** The PINs that real carriers give out. */
export const usualPin = /^[A-Za-z0-9]{4,15}$/

/** A real losing carrier: people communicate with it, and the operator enters its responses. No transition is automatic. */
export const manualCarrier: LosingCarrier = {
  name: 'manual',
  pin_form: usualPin,
  handles: () => true,
  holdings: () => new Map(),
  next: ({ status }) => manualStep(status),
}

/** The adapter for a provider: the first that handles it. The manual one handles all, so it is last. */
export function carrierFor(provider: string, carriers: readonly LosingCarrier[]): LosingCarrier {
  const found = carriers.find((c) => c.handles(provider))
  if (!found) throw new RangeError(`no losing carrier handles ${JSON.stringify(provider)}`)
  return found
}

/** The step of an order that people work on; the operator enters the carrier's responses. */
export function manualStep(status: portOrders.PortOrderStatus): CarrierStep {
  const { who } = portOrders.nextSteps[status]
  return { waits_for: who === 'carrier' ? 'operator' : who }
}

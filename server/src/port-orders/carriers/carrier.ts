import { portOrders } from '@demarc/client'
import type { CivilDate } from '@demarc/client'
import type { Holding } from '../portability.ts'

/**
 * The losing carrier as port orders see it. An adapter knows nothing of the database and has no clock: it is shown an
 * order and says what comes next and when. Asked twice, it says the same, so whoever plays the moves may ask again
 * after a crash. Its moves are judged as the operator's, in whose place it acts.
 */
export interface LosingCarrier {
  readonly name: string
  /** Does this adapter speak for the provider named on an order? */
  plays(provider: string): boolean
  /** What is known of who holds these numbers (`+1` and ten digits); those it knows nothing of are left out. */
  holdings(numbers: readonly string[]): ReadonlyMap<string, Holding>
  next(order: CarrierOrder): Next
}

/** An order as the losing carrier sees it. */
export interface CarrierOrder {
  readonly status: portOrders.PortOrderStatus
  /** When it came into this status; for an accepted order also the time of the last new date. */
  readonly entered_at: Date
  readonly numbers: readonly string[]
  /** In the clear: whoever asks unseals it for the question and keeps it nowhere. */
  readonly pin: string | null
  readonly desired_completion_date: CivilDate | null
  readonly completion_date: CivilDate | null
  /** How often it was rejected so far, and how often an accepted date was changed since the last acceptance. */
  readonly rejections: number
  readonly reschedules: number
}

/** Somebody else has to act, or the carrier moves the order by itself at a time: now if `at` is past. */
export type Next = { waits_for: 'operator' | 'account' | 'nobody' } | { move: CarrierMove }

export interface CarrierMove {
  to: portOrders.PortOrderStatus
  at: Date
  reason_code?: portOrders.RejectCode
  completion_date?: CivilDate
  /** Numbers that did not come across when the order completed. */
  left_behind?: readonly string[]
  comment?: string
}

/** The adapter for a provider: the first that plays it. The manual one plays all, so it goes last. */
export function carrierFor(provider: string, carriers: readonly LosingCarrier[]): LosingCarrier {
  const found = carriers.find((c) => c.plays(provider))
  if (!found) throw new RangeError(`no losing carrier plays ${JSON.stringify(provider)}`)
  return found
}

/** Where an adapter leaves an order to people: whose turn it is, the carrier's answers being entered by the operator. */
export function leftToPeople(status: portOrders.PortOrderStatus): Next {
  const { who } = portOrders.nextSteps[status]
  return { waits_for: who === 'carrier' ? 'operator' : who }
}

import { portOrders } from '@demarc/client'

/**
 * Scenarios of the simulated carrier, chosen by the PIN or a number of the order, as test card numbers choose the result of
 * a payment. Without either it accepts.
 */
export type Scenario =
  | { does: 'accept' | 'stay_silent' | 'respond_late' | 'change_date' | 'leave_behind' | 'refuse_port' }
  | { does: 'reject' | 'withdraw'; code: portOrders.RejectCode }

interface Row {
  /** A PIN, in any case; or the last four digits of a number. */
  readonly key: string
  readonly scenario: Scenario
  readonly description: string
}

export const simulatedPins = [
  {
    key: 'SILENT',
    scenario: { does: 'stay_silent' },
    description: 'Never responds: the order stays Submitted until the operator acts.',
  },
  { key: 'LATE', scenario: { does: 'respond_late' }, description: 'Responds after ten days, then accepts.' },
  {
    key: 'DELAY',
    scenario: { does: 'change_date' },
    description: 'Accepts, and one business day before the completion date moves it two business days.',
  },
  {
    key: 'PARTIAL',
    scenario: { does: 'leave_behind' },
    description: 'Completes with the first number only; the others stay behind.',
  },
  {
    key: 'WITHDRAW',
    scenario: { does: 'withdraw', code: 'pending_order' },
    description: 'Accepts, and a day later withdraws because of another order; accepts after the resubmission.',
  },
  {
    key: 'NOPORT',
    scenario: { does: 'refuse_port' },
    description: 'The numbers turn out not to be portable: the order is canceled.',
  },
] as const satisfies readonly Row[]

export const simulatedNumbers = [
  {
    key: '0190',
    scenario: { does: 'refuse_port' },
    description: 'Not portable: refused by the portability check, and an order with it is canceled.',
  },
  { key: '0191', scenario: { does: 'stay_silent' }, description: 'Never responds.' },
  {
    key: '0192',
    scenario: { does: 'leave_behind' },
    description: 'Stays behind when the order completes; alone on an order it is rejected once as not found.',
  },
  { key: '0193', scenario: { does: 'change_date' }, description: 'Accepts, then moves the completion date once.' },
  {
    key: '0194',
    scenario: { does: 'reject', code: 'account_number_mismatch' },
    description: 'Rejects once because of the account number, then accepts.',
  },
  {
    key: '0195',
    scenario: { does: 'accept' },
    description: 'Is held by Simulated Other Carrier, so that it is split off into an order of its own.',
  },
  { key: '0196', scenario: { does: 'respond_late' }, description: 'Responds after ten days, then accepts.' },
] as const satisfies readonly Row[]

/** Numbers with this ending are with another simulated carrier. */
export const otherCarrierNumbers = { ending: '0195', carrier: 'Simulated Other Carrier' } as const

/** The scenario of an order: by its PIN, else by the lowest number that has one. */
export function scenarioOf(order: { readonly pin: string | null; readonly numbers: readonly string[] }): Scenario {
  const pin = (order.pin ?? '').trim()
  const byPin = simulatedPins.find((row) => row.key === pin.toUpperCase())
  if (byPin) return byPin.scenario
  const { code } = portOrders.classify(pin)
  if (code !== 'unclassified') return { does: 'reject', code }
  return (
    [...order.numbers]
      .sort()
      .map(scenarioOfNumber)
      .find((s) => s !== null) ?? { does: 'accept' }
  )
}

/** The scenario of one number; null when it has none. */
export function scenarioOfNumber(number: string): Scenario | null {
  const found = simulatedNumbers.find((row) => number.endsWith(row.key))?.scenario
  return found === undefined || found.does === 'accept' ? null : found
}

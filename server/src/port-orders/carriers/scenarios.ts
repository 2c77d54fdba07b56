import { portOrders } from '@demarc/client'

/** Scenarios of the simulated carrier. The PIN or a number of the order selects one, like test card numbers for payments. By default it accepts. */
export type Scenario =
  | { does: 'accept' | 'stay_silent' | 'respond_late' | 'change_date' | 'leave_behind' | 'refuse_port' }
  | { does: 'reject' | 'withdraw'; code: portOrders.RejectCode }

interface Row {
  /** A PIN in any case, or the last four digits of a number. */
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
  { key: 'LATE', scenario: { does: 'respond_late' }, description: 'Responds after ten days and accepts.' },
  {
    key: 'DELAY',
    scenario: { does: 'change_date' },
    description: 'Accepts. One business day before the completion date, postpones it by two business days.',
  },
  {
    key: 'PARTIAL',
    scenario: { does: 'leave_behind' },
    description: 'Completes with only the first number. The others stay behind.',
  },
  {
    key: 'WITHDRAW',
    scenario: { does: 'withdraw', code: 'pending_order' },
    description:
      'Accepts, withdraws a day later because of another order, and accepts again after the order is resubmitted.',
  },
  {
    key: 'NOPORT',
    scenario: { does: 'refuse_port' },
    description: 'The numbers turn out not to be portable, and the order is canceled.',
  },
] as const satisfies readonly Row[]

export const simulatedNumbers = [
  {
    key: '0190',
    scenario: { does: 'refuse_port' },
    description: 'Not portable. The portability check reports it, and an order with it is canceled.',
  },
  { key: '0191', scenario: { does: 'stay_silent' }, description: 'Never responds.' },
  {
    key: '0192',
    scenario: { does: 'leave_behind' },
    description:
      'Stays behind when the order completes. If it is the only number, the order is rejected once as not found.',
  },
  { key: '0193', scenario: { does: 'change_date' }, description: 'Accepts, then postpones the completion date once.' },
  {
    key: '0194',
    scenario: { does: 'reject', code: 'account_number_mismatch' },
    description: 'Rejects once because of the account number, then accepts.',
  },
  {
    key: '0195',
    scenario: { does: 'accept' },
    description: 'Belongs to Simulated Other Carrier, so it is split into a separate order.',
  },
  { key: '0196', scenario: { does: 'respond_late' }, description: 'Responds after ten days and accepts.' },
] as const satisfies readonly Row[]

/** Numbers with this ending belong to another simulated carrier. */
export const otherCarrierNumbers = { ending: '0195', carrier: 'Simulated Other Carrier' } as const

/** The scenario of an order: selected by its PIN, or else by its lowest number with a scenario. */
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

/** The scenario that a number selects; null when it selects none. */
export function scenarioOfNumber(number: string): Scenario | null {
  const found = simulatedNumbers.find((row) => number.endsWith(row.key))?.scenario
  return found === undefined || found.does === 'accept' ? null : found
}

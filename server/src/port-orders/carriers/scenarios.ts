import { portOrders } from '@demarc/client'

/**
 * What the simulated carrier can be made to do, chosen by the PIN or a number of the order, as test card numbers choose
 * what a card does. Without either it accepts.
 */
export type Scenario =
  | { does: 'accept' | 'stay_silent' | 'answer_late' | 'change_date' | 'leave_behind' | 'refuse_port' }
  | { does: 'reject' | 'withdraw'; code: portOrders.RejectCode }

interface Row {
  /** A PIN, in any case; or the last four digits of a number. */
  readonly given: string
  readonly scenario: Scenario
  readonly words: string
}

export const simulatedPins = [
  {
    given: 'SILENT',
    scenario: { does: 'stay_silent' },
    words: 'Never answers: the order stays Submitted until the operator acts.',
  },
  { given: 'LATE', scenario: { does: 'answer_late' }, words: 'Answers after ten days, then accepts.' },
  {
    given: 'DELAY',
    scenario: { does: 'change_date' },
    words: 'Accepts, and one business day before the completion date moves it two business days.',
  },
  {
    given: 'PARTIAL',
    scenario: { does: 'leave_behind' },
    words: 'Completes with the first number only; the others stay behind.',
  },
  {
    given: 'WITHDRAW',
    scenario: { does: 'withdraw', code: 'pending_order' },
    words: 'Accepts, and a day later takes it back because of another order; accepts after the resubmission.',
  },
  {
    given: 'NOPORT',
    scenario: { does: 'refuse_port' },
    words: 'The numbers turn out not to be portable: the order is canceled.',
  },
] as const satisfies readonly Row[]

export const simulatedNumbers = [
  {
    given: '0190',
    scenario: { does: 'refuse_port' },
    words: 'Not portable: refused by the portability check, and an order with it is canceled.',
  },
  { given: '0191', scenario: { does: 'stay_silent' }, words: 'Never answers.' },
  {
    given: '0192',
    scenario: { does: 'leave_behind' },
    words: 'Stays behind when the order completes; alone on an order it is rejected once as not found.',
  },
  { given: '0193', scenario: { does: 'change_date' }, words: 'Accepts, then moves the completion date once.' },
  {
    given: '0194',
    scenario: { does: 'reject', code: 'account_number_mismatch' },
    words: 'Rejects once because of the account number, then accepts.',
  },
  {
    given: '0195',
    scenario: { does: 'accept' },
    words: 'Is held by Simulated Other Carrier, so that it is split off into an order of its own.',
  },
  { given: '0196', scenario: { does: 'answer_late' }, words: 'Answers after ten days, then accepts.' },
] as const satisfies readonly Row[]

/** The ending of numbers that are with another simulated carrier, and its name. */
export const heldElsewhere = { ending: '0195', carrier: 'Simulated Other Carrier' } as const

/** What the simulated carrier does with an order: by its PIN, else by the lowest number that means something. */
export function scenarioOf(order: { readonly pin: string | null; readonly numbers: readonly string[] }): Scenario {
  const pin = (order.pin ?? '').trim()
  const byPin = simulatedPins.find((row) => row.given === pin.toUpperCase())
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

/** What one number makes the simulated carrier do; null when nothing special. */
export function scenarioOfNumber(number: string): Scenario | null {
  const found = simulatedNumbers.find((row) => number.endsWith(row.given))?.scenario
  return found === undefined || found.does === 'accept' ? null : found
}

/** The tables as Markdown, for the guide. */
export function scenariosMarkdown(): string {
  const pins: [string, string][] = [
    [
      'none, or any other',
      'Accepts after an hour, with a completion date three business days on or the desired one if later; completes at 08:00 on it.',
    ],
    ...simulatedPins.map((row): [string, string] => [`\`${row.given}\``, row.words]),
    [
      'a code of the catalogue',
      'Rejects once with this code (`7401`, `8A` or `account_number_mismatch`), then accepts.',
    ],
  ]
  const numbers = simulatedNumbers.map((row): [string, string] => [`…\`${row.given}\``, row.words])
  return `${table('PIN', pins)}\n\n${table('Number ends in', numbers)}\n`
}

const table = (head: string, rows: readonly (readonly [string, string])[]) =>
  [`| ${head} | What happens |`, '|---|---|', ...rows.map(([given, words]) => `| ${given} | ${words} |`)].join('\n')

import { addBusinessDays, businessDayFrom, dateIn } from '@demarc/client'
import { morningOf } from '../calendar/porting-interval.ts'
import type { Place } from '../calendar/porting-interval.ts'
import type { Holding } from '../portability.ts'
import { leftToPeople } from './carrier.ts'
import type { CarrierMove, CarrierOrder, LosingCarrier, Next } from './carrier.ts'
import { heldElsewhere, scenarioOf, scenarioOfNumber } from './scenarios.ts'
import type { Scenario } from './scenarios.ts'

/** Providers with this beginning are played. */
export const simulatedPrefix = 'Simulated '

const hour_ms = 60 * 60 * 1000
const answers_after_ms = hour_ms
const answers_late_after_ms = 10 * 24 * hour_ms
const withdraws_after_ms = 24 * hour_ms
const foc_business_days = 3
const delay_business_days = 2

/** A losing carrier that plays by script: every good and bad end can be tried, in no time under a clock that is moved. */
export function simulatedCarrier(place: Place): LosingCarrier {
  return {
    name: 'simulated',
    plays: (provider) => provider.startsWith(simulatedPrefix),
    holdings: (numbers) => new Map(numbers.flatMap((n) => holding(n).map((h) => [n, h] as const))),
    next: (order) => next(order, place),
  }
}

function holding(number: string): Holding[] {
  if (number.endsWith(heldElsewhere.ending)) return [{ carrier: heldElsewhere.carrier, released: true }]
  const refuses = scenarioOfNumber(number)?.does === 'refuse_port'
  return refuses
    ? [
        {
          carrier: `${simulatedPrefix}Carrier`,
          released: false,
          because: 'The simulated carrier does not release this number.',
        },
      ]
    : []
}

function next(order: CarrierOrder, place: Place): Next {
  const scenario = scenarioFor(order)
  switch (order.status) {
    case 'Processing':
      return { move: scenario.does === 'refuse_port' ? refused(order) : { to: 'Submitted', at: order.entered_at } }
    case 'Review':
      return { move: { to: 'Submitted', at: order.entered_at } }
    case 'Submitted':
      return scenario.does === 'stay_silent' ? leftToPeople('Submitted') : { move: answer(order, scenario, place) }
    case 'Accepted':
      return order.completion_date === null
        ? leftToPeople('Accepted')
        : { move: afterAcceptance(order, order.completion_date, scenario, place) }
    default:
      return leftToPeople(order.status)
  }
}

/** A carrier that leaves every number behind has found none of them. */
function scenarioFor(order: CarrierOrder): Scenario {
  const scenario = scenarioOf(order)
  const none = scenario.does === 'leave_behind' && staying(order).length === order.numbers.length
  return none ? { does: 'reject', code: 'number_not_found' } : scenario
}

function refused(order: CarrierOrder): CarrierMove {
  return {
    to: 'Canceled',
    at: order.entered_at,
    reason_code: 'number_not_portable',
    comment: 'The losing carrier does not release these numbers.',
  }
}

function answer(order: CarrierOrder, scenario: Scenario, { zone, calendar }: Place): CarrierMove {
  const after_ms = scenario.does === 'answer_late' ? answers_late_after_ms : answers_after_ms
  const at = new Date(order.entered_at.getTime() + after_ms)
  if (scenario.does === 'reject' && order.rejections === 0) return { to: 'Rejected', at, reason_code: scenario.code }
  const first = addBusinessDays(dateIn(at, zone), foc_business_days, calendar)
  const desired = order.desired_completion_date
  return {
    to: 'Accepted',
    at,
    completion_date: desired !== null && desired > first ? businessDayFrom(desired, calendar) : first,
  }
}

function afterAcceptance(
  order: CarrierOrder,
  date: string,
  scenario: Scenario,
  { zone, calendar }: Place,
): CarrierMove {
  if (scenario.does === 'withdraw' && order.rejections === 0)
    return { to: 'Rejected', at: new Date(order.entered_at.getTime() + withdraws_after_ms), reason_code: scenario.code }
  if (scenario.does === 'change_date' && order.reschedules === 0) {
    const at = notBefore(order.entered_at, morningOf(addBusinessDays(date, -1, calendar), zone))
    return {
      to: 'Accepted',
      at,
      completion_date: addBusinessDays(date, delay_business_days, calendar),
      comment: 'The losing carrier moved the date.',
    }
  }
  const left_behind = scenario.does === 'leave_behind' ? staying(order) : []
  const at = notBefore(order.entered_at, morningOf(date, zone))
  return { to: 'Completed', at, ...(left_behind.length > 0 ? { left_behind } : {}) }
}

/** By the numbers that say so; by the PIN, all but the first. */
function staying(order: CarrierOrder): string[] {
  const named = order.numbers.filter((n) => scenarioOfNumber(n)?.does === 'leave_behind')
  return named.length > 0 ? named : [...order.numbers].sort().slice(1)
}

const notBefore = (earliest: Date, at: Date): Date => (at < earliest ? earliest : at)

import { addBusinessDays, businessDayFrom, dateIn } from '@demarc/client'
import { activationTime } from '../calendar/porting-interval.ts'
import type { BusinessHours } from '../calendar/porting-interval.ts'
import type { Holding } from '../portability.ts'
import { manualStep } from './carrier.ts'
import type { CarrierTransition, CarrierOrder, LosingCarrier, CarrierStep } from './carrier.ts'
import { otherCarrierNumbers, scenarioOf, scenarioOfNumber } from './scenarios.ts'
import type { Scenario } from './scenarios.ts'

/** Providers whose name begins with this are simulated. */
export const simulatedPrefix = 'Simulated '

const hour_ms = 60 * 60 * 1000
const response_after_ms = hour_ms
const late_response_after_ms = 10 * 24 * hour_ms
const withdrawal_after_ms = 24 * hour_ms
const foc_business_days = 3
const delay_business_days = 2

/** A losing carrier with scripted scenarios. Moving the clock shows every outcome without waiting. */
export function simulatedCarrier(hours: BusinessHours): LosingCarrier {
  return {
    name: 'simulated',
    // a PIN is the name of a scenario
    pin_form: null,
    handles: (provider) => provider.startsWith(simulatedPrefix),
    holdings: (numbers) => new Map(numbers.flatMap((n) => holding(n).map((h) => [n, h] as const))),
    next: (order) => next(order, hours),
  }
}

function holding(number: string): Holding[] {
  if (number.endsWith(otherCarrierNumbers.ending)) return [{ carrier: otherCarrierNumbers.carrier, released: true }]
  const refuses = scenarioOfNumber(number)?.does === 'refuse_port'
  return refuses
    ? [
        {
          carrier: `${simulatedPrefix}Carrier`,
          released: false,
          reason: 'The simulated carrier does not release this number.',
        },
      ]
    : []
}

function next(order: CarrierOrder, hours: BusinessHours): CarrierStep {
  const scenario = scenarioFor(order)
  switch (order.status) {
    case 'Processing':
      return {
        transition: scenario.does === 'refuse_port' ? refused(order) : { to: 'Submitted', at: order.entered_at },
      }
    case 'Review':
      return { transition: { to: 'Submitted', at: order.entered_at } }
    case 'Submitted':
      return scenario.does === 'stay_silent'
        ? manualStep('Submitted')
        : { transition: response(order, scenario, hours) }
    case 'Accepted':
      return order.completion_date === null
        ? manualStep('Accepted')
        : { transition: afterAcceptance(order, order.completion_date, scenario, hours) }
    default:
      return manualStep(order.status)
  }
}

/** Rejects a port that would leave every number behind, because a completed order has at least one number. */
function scenarioFor(order: CarrierOrder): Scenario {
  const scenario = scenarioOf(order)
  const all = scenario.does === 'leave_behind' && numbersLeftBehind(order).length === order.numbers.length
  return all ? { does: 'reject', code: 'number_not_found' } : scenario
}

function refused(order: CarrierOrder): CarrierTransition {
  return {
    to: 'Canceled',
    at: order.entered_at,
    reason_code: 'number_not_portable',
    comment: 'The losing carrier does not release these numbers.',
  }
}

function response(order: CarrierOrder, scenario: Scenario, { zone, calendar }: BusinessHours): CarrierTransition {
  const after_ms = scenario.does === 'respond_late' ? late_response_after_ms : response_after_ms
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
  { zone, calendar }: BusinessHours,
): CarrierTransition {
  if (scenario.does === 'withdraw' && order.rejections === 0)
    return {
      to: 'Rejected',
      at: new Date(order.entered_at.getTime() + withdrawal_after_ms),
      reason_code: scenario.code,
    }
  if (scenario.does === 'change_date' && order.reschedules === 0) {
    const at = notBefore(order.entered_at, activationTime(addBusinessDays(date, -1, calendar), zone))
    return {
      to: 'Accepted',
      at,
      completion_date: addBusinessDays(date, delay_business_days, calendar),
      comment: 'The losing carrier postponed the completion date.',
    }
  }
  const left_behind = scenario.does === 'leave_behind' ? numbersLeftBehind(order) : []
  const at = notBefore(order.entered_at, activationTime(date, zone))
  return { to: 'Completed', at, ...(left_behind.length > 0 ? { left_behind } : {}) }
}

/** The numbers with that scenario. If the PIN selected it, all numbers but the first. */
function numbersLeftBehind(order: CarrierOrder): string[] {
  const named = order.numbers.filter((n) => scenarioOfNumber(n)?.does === 'leave_behind')
  return named.length > 0 ? named : [...order.numbers].sort().slice(1)
}

const notBefore = (earliest: Date, at: Date): Date => (at < earliest ? earliest : at)

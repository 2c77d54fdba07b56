import {
  addBusinessDays,
  addDays,
  businessDayFrom,
  dateIn,
  daysBetween,
  holidayOn,
  instantAt,
  isBusinessDay,
  isDate,
  wallTime,
  weekdayOf,
} from '@demarc/client'
import type { Calendar, CivilDate } from '@demarc/client'

/**
 * Porting intervals, by regulation and industry practice. Pure: time, zone and calendar are arguments.
 * Source unless stated otherwise: 47 CFR 52.35 (porting intervals).
 */

/** The time zone (IANA name) and holidays for business hours. The rule means the time zone of the number's region. */
export interface BusinessHours {
  readonly zone: string
  readonly calendar: Calendar
}

/** A request as the losing carrier received it. `simple`: see `isSimple`. */
export interface Received extends BusinessHours {
  readonly received_at: Date
  readonly simple: boolean
}

const hour = 60
/** Minimum business hours, in minutes since midnight. A simple request received after `simple_until` counts as received the next day. */
const opens = 8 * hour
const simple_until = 13 * hour
const closes = 17 * hour

const simple_business_days = 1
const other_business_days = 4

/** Industry practice for the response (FOC) to a request: four hours for a simple port, one business day for others. */
const simple_response_ms = 4 * 60 * 60 * 1000

/**
 * An order with one local number is assumed to be a simple port. Only the losing carrier knows about switch features and
 * resellers. Toll-free numbers move by a change of responsible organization and are never simple ports.
 */
export function isSimple(order: { readonly numbers: number; readonly tollfree: boolean }): boolean {
  return order.numbers === 1 && !order.tollfree
}

/**
 * When the interval of a request begins: immediately if received during business hours (a simple one until 13:00), at 08:00 if
 * received earlier that day, and otherwise at 08:00 on the next business day.
 */
export function countsFrom({ received_at, simple, zone, calendar }: Received): { date: CivilDate; at: Date } {
  const { date, minutes } = wallTime(received_at, zone)
  const until = simple ? simple_until : closes
  if (isBusinessDay(date, calendar) && minutes < until)
    return { date, at: minutes < opens ? instantAt(date, opens, zone) : received_at }
  const next = addBusinessDays(date, 1, calendar)
  return { date: next, at: instantAt(next, opens, zone) }
}

/** When the losing carrier is expected to respond. After that the order is overdue. */
export function responseDueAt(received: Received): Date {
  const { date, at } = countsFrom(received)
  if (received.simple) return new Date(at.getTime() + simple_response_ms)
  const { minutes } = wallTime(at, received.zone)
  return instantAt(addBusinessDays(date, 1, received.calendar), minutes, received.zone)
}

/** The first midnight at which the rule allows activation: the end of the last day of the interval. */
export function earliestActivation(received: Received): Date {
  const { date } = countsFrom(received)
  const days = (received.simple ? simple_business_days : other_business_days) - 1
  return instantAt(addDays(addBusinessDays(date, days, received.calendar), 1), 0, received.zone)
}

/** The expected completion date (FOC date): the first business day on which the numbers can be active in the morning, or the desired date if it is later. */
export function focDate(received: Received, desired: CivilDate | null = null): CivilDate {
  const first = businessDayFrom(dateIn(earliestActivation(received), received.zone), received.calendar)
  return desired !== null && desired > first ? businessDayFrom(desired, received.calendar) : first
}

/** When numbers, emergency addresses and caller ID names are activated: at 08:00 in the zone. */
export function activationTime(date: CivilDate, zone: string): Date {
  return instantAt(date, opens, zone)
}

/** When the scheduled presets of a completed order are applied: at 08:00, or immediately if it is later. */
export function activationTimeOrNow(completed_at: Date, zone: string): Date {
  const morning = activationTime(dateIn(completed_at, zone), zone)
  return morning > completed_at ? morning : completed_at
}

/** How far ahead the desired completion date can be. Losing carriers refuse later ones. */
export const desiredDateLimit_days = 30

export type DateError = {
  code: 'malformed' | 'past' | 'too_far' | 'weekend' | 'holiday'
  reason: string
  suggestion: CivilDate
}

/** The validation error of a desired completion date; null when it is valid. `today`: the current date in the zone. */
export function desiredDateError(desired: string, today: CivilDate, calendar: Calendar): DateError | null {
  const last = addDays(today, desiredDateLimit_days)
  const near = (date: CivilDate) => {
    const next = businessDayFrom(date, calendar)
    return next <= last ? next : addBusinessDays(addDays(last, 1), -1, calendar)
  }
  const first = addBusinessDays(today, 1, calendar)
  if (!isDate(desired)) return { code: 'malformed', reason: 'Must be a date, YYYY-MM-DD.', suggestion: first }
  const ahead = daysBetween(today, desired)
  if (ahead < 0) return { code: 'past', reason: `${desired} is in the past.`, suggestion: first }
  if (ahead > desiredDateLimit_days)
    return {
      code: 'too_far',
      reason: `Must be within ${desiredDateLimit_days} days: ${last} at the latest.`,
      suggestion: near(last),
    }
  if (weekdayOf(desired) % 6 === 0)
    return {
      code: 'weekend',
      reason: `${desired} is a ${weekdayOf(desired) === 0 ? 'Sunday' : 'Saturday'}. Choose a business day.`,
      suggestion: near(desired),
    }
  const holiday = holidayOn(desired, calendar)
  return holiday === null
    ? null
    : {
        code: 'holiday',
        reason: `${desired} is a holiday (${holiday}). Choose a business day.`,
        suggestion: near(desired),
      }
}

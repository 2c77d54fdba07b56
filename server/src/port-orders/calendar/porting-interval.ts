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
 * Porting intervals, by the rules and customs of carriers. Pure: time, zone and calendar are arguments.
 * Source where nothing else is said: 47 CFR 52.35 (porting intervals).
 */

/** The zone and holidays by which business hours are counted. `zone` is an IANA name; the rule means the zone of the number's region. */
export interface BusinessHours {
  readonly zone: string
  readonly calendar: Calendar
}

/** A request as the losing carrier received it. `simple`: one line, see `isSimple`. */
export interface Received extends BusinessHours {
  readonly received_at: Date
  readonly simple: boolean
}

const hour = 60
/** Minimum business hours, minutes since midnight. A simple request counts for the day only until `simple_until`. */
const opens = 8 * hour
const simple_until = 13 * hour
const closes = 17 * hour

const simple_business_days = 1
const other_business_days = 4

/** Custom of the trade for the response (FOC) to a request: four hours for a simple port, a business day for others. */
const simple_response_ms = 4 * 60 * 60 * 1000

/**
 * One local number is a simple port as far as an order can tell; only the losing carrier knows of switch features and
 * resellers behind it. Toll-free numbers move by change of the responsible organization, never as a simple port.
 */
export function isSimple(order: { readonly numbers: number; readonly tollfree: boolean }): boolean {
  return order.numbers === 1 && !order.tollfree
}

/**
 * When the interval of a request begins. Received while the carrier is open, at once (a simple one until 13:00); before, at 08:00
 * of the day; later, or on a day off, at 08:00 of the next business day.
 */
export function countsFrom({ received_at, simple, zone, calendar }: Received): { date: CivilDate; at: Date } {
  const { date, minutes } = wallTime(received_at, zone)
  const until = simple ? simple_until : closes
  if (isBusinessDay(date, calendar) && minutes < until)
    return { date, at: minutes < opens ? instantAt(date, opens, zone) : received_at }
  const next = addBusinessDays(date, 1, calendar)
  return { date: next, at: instantAt(next, opens, zone) }
}

/** When the losing carrier is expected to respond to a request; the order is overdue after it. */
export function responseDueAt(received: Received): Date {
  const { date, at } = countsFrom(received)
  if (received.simple) return new Date(at.getTime() + simple_response_ms)
  const { minutes } = wallTime(at, received.zone)
  return instantAt(addBusinessDays(date, 1, received.calendar), minutes, received.zone)
}

/** The first midnight at which the numbers may be activated by the rule: the one that ends the last day of the interval. */
export function earliestActivation(received: Received): Date {
  const { date } = countsFrom(received)
  const days = (received.simple ? simple_business_days : other_business_days) - 1
  return instantAt(addDays(addBusinessDays(date, days, received.calendar), 1), 0, received.zone)
}

/**
 * The completion date (FOC date) to expect: the first business day on whose morning the numbers can be active,
 * or the desired date where that is later and a business day.
 */
export function focDate(received: Received, desired: CivilDate | null = null): CivilDate {
  const first = businessDayFrom(dateIn(earliestActivation(received), received.zone), received.calendar)
  return desired !== null && desired > first ? businessDayFrom(desired, received.calendar) : first
}

/** When numbers, emergency addresses and caller-ID names are activated on a day: 08:00 in the zone. */
export function activationTime(date: CivilDate, zone: string): Date {
  return instantAt(date, opens, zone)
}

/** When the scheduled presets of a completed order are applied: at 08:00, or at once when that is past. */
export function activationTimeOrNow(completed_at: Date, zone: string): Date {
  const morning = activationTime(dateIn(completed_at, zone), zone)
  return morning > completed_at ? morning : completed_at
}

/** How far ahead a completion date may be desired; losing carriers refuse later ones. */
export const desiredDateLimit_days = 30

export type DateError = {
  code: 'malformed' | 'past' | 'too_far' | 'weekend' | 'holiday'
  reason: string
  suggestion: CivilDate
}

/** The validation error of a desired completion date, seen from `today` in the zone; null when it is valid. */
export function desiredDateError(desired: string, today: CivilDate, calendar: Calendar): DateError | null {
  const last = addDays(today, desiredDateLimit_days)
  const near = (date: CivilDate) => {
    const next = businessDayFrom(date, calendar)
    return next <= last ? next : addBusinessDays(addDays(last, 1), -1, calendar)
  }
  const first = addBusinessDays(today, 1, calendar)
  if (!isDate(desired)) return { code: 'malformed', reason: 'Must be a date, YYYY-MM-DD.', suggestion: first }
  const ahead = daysBetween(today, desired)
  if (ahead < 0) return { code: 'past', reason: `${desired} is past.`, suggestion: first }
  if (ahead > desiredDateLimit_days)
    return {
      code: 'too_far',
      reason: `At most ${desiredDateLimit_days} days ahead: ${last} at the latest.`,
      suggestion: near(last),
    }
  if (weekdayOf(desired) % 6 === 0)
    return {
      code: 'weekend',
      reason: `${desired} is a ${weekdayOf(desired) === 0 ? 'Sunday' : 'Saturday'}; must be a business day.`,
      suggestion: near(desired),
    }
  const holiday = holidayOn(desired, calendar)
  return holiday === null
    ? null
    : {
        code: 'holiday',
        reason: `${desired} is a holiday (${holiday}); must be a business day.`,
        suggestion: near(desired),
      }
}

import { addBusinessDays, businessDayFrom, portouts, wallTime, type Calendar } from '@demarc/client'
import type { PortoutRow } from './tables.ts'

/** A request after this minute of the day counts as received on the next business day at 8 a.m. (47 CFR 52.35(a)). */
const received_until = 13 * 60
/** In how many business days a port must be complete (47 CFR 52.35(a) and (d)). */
const businessDays = { simple: 1, other: 4 } as const
const calendar: Calendar = { country: 'US' }

/** The date by which a port must be complete. The gaining carrier can ask for a later one. */
export function completeBy(
  { is_simple, requested_due_date }: { is_simple: boolean; requested_due_date: string },
  received_at: Date,
  zone: string,
): string {
  const { date, minutes } = wallTime(received_at, zone)
  const day = businessDayFrom(date, calendar)
  const received = day === date && minutes >= received_until ? addBusinessDays(day, 1, calendar) : day
  const due = addBusinessDays(received, is_simple ? businessDays.simple : businessDays.other, calendar)
  return requested_due_date > due ? requested_due_date : due
}

/** What prevents the release of a number on a port-out, and moving it away twice. */
export const portoutError = (number: string, { id, gaining_carrier }: Pick<PortoutRow, 'id' | 'gaining_carrier'>) =>
  `Number ${number} is on port-out ${id} to ${gaining_carrier} and cannot be released until the port-out is final.`

export interface PortoutChange {
  status: Exclude<portouts.PortoutStatus, 'open'>
  foc_date?: string | undefined
  reason_code?: portouts.PortoutReason | undefined
  reason?: string | undefined
  passcode_result?: PortoutRow['passcode_result'] | undefined
}

/** The transition, or why it is not possible. */
export function transitionTo(
  { id, status }: Pick<PortoutRow, 'id' | 'status'>,
  to: PortoutChange['status'],
): portouts.PortoutTransition | string {
  const possible = portouts.portoutTransitionsFrom(status)
  const found = possible.find((each) => each.to === to)
  if (found) return found
  const targets = possible.map((each) => each.to).join(', ')
  return `Port-out ${id} is ${status} and cannot be ${to}. ${targets === '' ? 'That is final.' : `It can be: ${targets}.`}`
}

/** Errors of a transition's input, by field. `today` is in the service's time zone. */
export function changeErrors(
  row: Pick<PortoutRow, 'passcode_result' | 'customer_response'>,
  { needs }: portouts.PortoutTransition,
  { foc_date, reason_code, reason, ...change }: PortoutChange,
  today: string,
): Record<string, string[]> {
  const passcode_result = change.passcode_result ?? row.passcode_result
  const errors: Record<string, string | false> = {
    foc_date:
      needs !== 'foc_date'
        ? foc_date !== undefined && 'Only to confirm.'
        : foc_date === undefined
          ? 'Is required to confirm.'
          : foc_date < today && 'Must not be in the past.',
    reason_code:
      needs !== 'reason_code'
        ? reason_code !== undefined && 'Only to reject.'
        : reason_code === undefined
          ? 'Is required to reject.'
          : reason_code === 'passcode' && passcode_result !== 'mismatched'
            ? 'A passcode counts only if the customer asked for one and it does not match (47 CFR 52.36(c)).'
            : reason_code === 'disputed' &&
              row.customer_response !== 'disputed' &&
              'The customer has not disputed the port-out. Silence is no reason to reject it.',
    reason: needs !== 'reason_code' && reason !== undefined && 'Only to reject.',
  }
  return Object.fromEntries(Object.entries(errors).flatMap(([field, error]) => (error ? [[field, [error]]] : [])))
}

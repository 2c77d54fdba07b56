import {
  addBusinessDays,
  addDays,
  businessDaysUntil,
  holidayOn,
  isBusinessDay,
  isDate,
  weekdayOf,
  type Calendar,
} from '@demarc/client/rules'

/** Days for a FOC date, as the picker shows them. */

export interface FocDay {
  date: string
  /** Why carriers move nothing on it; null on a business day. */
  disabledReason: string | null
}

const weeks_count = 4

/** Weeks from the one of today, Sunday first. */
export function weeksFrom(today: string, calendar: Calendar): readonly (readonly FocDay[])[] {
  const sunday = addDays(today, -weekdayOf(today))
  return Array.from({ length: weeks_count }, (_, week) =>
    Array.from({ length: 7 }, (_, day) => dayOf(addDays(sunday, week * 7 + day), today, calendar)),
  )
}

function dayOf(date: string, today: string, calendar: Calendar): FocDay {
  return { date, disabledReason: date < today ? 'It is past.' : dayOff(date, calendar) }
}

const dayOff = (date: string, calendar: Calendar): string | null =>
  isBusinessDay(date, calendar) ? null : (holidayOn(date, calendar) ?? 'Weekend')

/** The day that was asked for where carriers can keep it; otherwise the third business day from today. */
export function suggestedDay(asked: string | null, today: string, calendar: Calendar): string {
  if (asked !== null && asked > today && isBusinessDay(asked, calendar)) return asked
  return addBusinessDays(today, 3, calendar)
}

/** What there is to say about a day: how far it is, or why carriers do not keep it. Null: it is not a day. */
export function dayText(date: string, today: string, calendar: Calendar): { text: string; good: boolean } | null {
  if (!isDate(date)) return null
  if (date < today) return { text: 'This day is past.', good: false }
  const off = dayOff(date, calendar)
  if (off !== null) return { text: `${off}: carriers move no numbers on it.`, good: false }
  const count = businessDaysUntil(today, date, calendar)
  return { text: count === 0 ? 'Today.' : `${count} business day${count === 1 ? '' : 's'} from today.`, good: true }
}

import {
  addBusinessDays,
  addDays,
  businessDaysUntil,
  countText,
  holidayOn,
  isBusinessDay,
  isDate,
  weekdayOf,
  type Calendar,
} from '@demarc/client/rules'

/** The FOC date picker's days. */

export interface FocDay {
  date: string
  /** Why carriers don't port on this day; null on a business day. */
  disabledReason: string | null
}

const weeks_count = 4

/** Weeks starting with the current one, Sunday first. */
export function weeksFrom(today: string, calendar: Calendar): readonly (readonly FocDay[])[] {
  const sunday = addDays(today, -weekdayOf(today))
  return Array.from({ length: weeks_count }, (_, week) =>
    Array.from({ length: 7 }, (_, day) => dayOf(addDays(sunday, week * 7 + day), today, calendar)),
  )
}

function dayOf(date: string, today: string, calendar: Calendar): FocDay {
  return { date, disabledReason: date < today ? 'In the past' : dayOff(date, calendar) }
}

const dayOff = (date: string, calendar: Calendar): string | null =>
  isBusinessDay(date, calendar) ? null : (holidayOn(date, calendar) ?? 'Weekend')

/** The requested day if it is a valid FOC date; otherwise the third business day from today. */
export function suggestedDay(asked: string | null, today: string, calendar: Calendar): string {
  if (asked !== null && asked > today && isBusinessDay(asked, calendar)) return asked
  return addBusinessDays(today, 3, calendar)
}

/** A note on a day: how far away it is, or why carriers don't port then. Null if it is not a date. */
export function dayText(date: string, today: string, calendar: Calendar): { text: string; good: boolean } | null {
  if (!isDate(date)) return null
  if (date < today) return { text: 'This date is in the past.', good: false }
  const off = dayOff(date, calendar)
  if (off !== null) return { text: `${off}: carriers don’t port numbers on this day.`, good: false }
  const count = businessDaysUntil(today, date, calendar)
  return { text: count === 0 ? 'Today.' : `${countText(count, 'business day')} from today.`, good: true }
}

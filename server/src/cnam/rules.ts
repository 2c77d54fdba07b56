import { businessDayWindow, dateIn, type Calendar, type CivilDate } from '@demarc/client'

/** Where a caller-ID name record stands, seen from an account. `unknown`: not on it. */
export type CnamStanding = 'unknown' | 'waiting' | 'rejected' | 'approved'

export function standingOf(
  record: { is_approved: boolean; rejection_reason: string | null } | undefined,
): CnamStanding {
  if (!record) return 'unknown'
  if (record.is_approved) return 'approved'
  return record.rejection_reason === null ? 'waiting' : 'rejected'
}

const whyNot = {
  unknown: (id: string) => `No caller-ID name ${id} is on this account.`,
  waiting: (id: string) => `Caller-ID name ${id} is not approved yet.`,
  rejected: (id: string) => `Caller-ID name ${id} was rejected. Change it, and wait for its approval.`,
  approved: () => null,
} as const satisfies Record<CnamStanding, (id: string) => string | null>

/** Why no number can be given the record of this id; null when it can be. */
export const whyNotAssignable = (standing: CnamStanding, id: string): string | null => whyNot[standing](id)

/** How many business days after its approval a name is on the network: "5 to 7". */
export const appliedAfter_days = { least: 5, most: 7 } as const

/** The name databases are kept in the United States. */
const calendar: Calendar = { country: 'US' }

/** First and last day on which an approved name is expected on the network; nulls while it is not approved. */
export function expectedDays(
  approved_at: Date | null,
  time_zone: string,
): { expected_from: CivilDate | null; expected_by: CivilDate | null } {
  if (!approved_at) return { expected_from: null, expected_by: null }
  const { earliest, latest } = windowFrom(dateIn(approved_at, time_zone))
  return { expected_from: earliest, expected_by: latest }
}

type Window = ReturnType<typeof businessDayWindow>

/** Counting the days takes far longer than writing the rest of a record, and a list has many records of the same day. */
const windows = new Map<CivilDate, Window>()
const windows_max = 2_000

function windowFrom(date: CivilDate): Window {
  const known = windows.get(date)
  if (known) return known
  const counted = businessDayWindow(date, appliedAfter_days.least, appliedAfter_days.most, calendar)
  if (windows.size >= windows_max) windows.clear()
  windows.set(date, counted)
  return counted
}

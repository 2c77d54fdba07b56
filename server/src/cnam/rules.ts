import { businessDayWindow, dateIn, type Calendar, type CivilDate } from '@demarc/client'

/** Status of a caller ID name as an account sees it. `unknown`: not on this account. */
export type CnamStatus = 'unknown' | 'waiting' | 'rejected' | 'approved'

export function cnamStatusOf(
  record: { is_approved: boolean; rejection_reason: string | null } | undefined,
): CnamStatus {
  if (!record) return 'unknown'
  if (record.is_approved) return 'approved'
  return record.rejection_reason === null ? 'waiting' : 'rejected'
}

const assignmentErrors = {
  unknown: (id: string) => `No caller ID name ${id} is on this account.`,
  waiting: (id: string) => `Caller ID name ${id} is not approved yet.`,
  rejected: (id: string) => `Caller ID name ${id} was rejected. Change it and wait for approval.`,
  approved: () => null,
} as const satisfies Record<CnamStatus, (id: string) => string | null>

/** Why the record cannot be assigned to a number; null when it can. */
export const cnamAssignmentError = (status: CnamStatus, id: string): string | null => assignmentErrors[status](id)

/** The operator's decision on a record. */
export interface Decision {
  is_approved: boolean
  rejection_reason?: string | null | undefined
}

/**
 * Validates a decision on a record whose current rejection reason is `current`. Returns errors by field. An approval may repeat
 * that reason, because a rejected record's document contains it.
 */
export function decisionErrors(
  { is_approved, rejection_reason = null }: Decision,
  current: string | null,
): Record<string, string[]> {
  if (is_approved && rejection_reason !== null && rejection_reason !== current)
    return { rejection_reason: ['Only a rejection can have a reason.'] }
  if (!is_approved && rejection_reason === null)
    return { rejection_reason: ['Required for a rejection: tell the customer what to change.'] }
  return {}
}

/** A document lists at most this many of a name's numbers; its count covers all of them. */
export const listedNumbers_max = 200

/** Business days from approval until a name is on the network: 5 to 7. */
export const appliedAfter_days = { least: 5, most: 7 } as const

/** Caller ID name databases follow US business days. */
const calendar: Calendar = { country: 'US' }

/** First and last day an approved name is expected on the network; nulls until approved. */
export function expectedDays(
  approved_at: Date | null,
  time_zone: string,
): { expected_from: CivilDate | null; expected_by: CivilDate | null } {
  if (!approved_at) return { expected_from: null, expected_by: null }
  const { earliest, latest } = windowFrom(dateIn(approved_at, time_zone))
  return { expected_from: earliest, expected_by: latest }
}

type Window = ReturnType<typeof businessDayWindow>

/** Cached: counting business days costs far more than the rest of a record, and lists contain many records of the same day. */
const windows = new Map<CivilDate, Window>()
const windows_max = 2_000

function windowFrom(date: CivilDate): Window {
  const cached = windows.get(date)
  if (cached) return cached
  const counted = businessDayWindow(date, appliedAfter_days.least, appliedAfter_days.most, calendar)
  if (windows.size >= windows_max) windows.clear()
  windows.set(date, counted)
  return counted
}

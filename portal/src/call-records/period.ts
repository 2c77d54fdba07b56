import { dateIn, instantAt, wallTime } from '@demarc/client/rules'
import type { Period } from './search.ts'

/** Calendar periods in the reader's time zone, converted to API times. */

export const periodLabels = {
  today: 'Today',
  '7d': '7 days',
  '30d': '30 days',
  month: 'This month',
  last_month: 'Last month',
} as const satisfies Record<Period, string>

/** Uses whole days in the reader's zone, so the period is stable until midnight. */
export function timesOf(period: Period, now: Date, zone: string): { start: string; end: string } {
  const today = dateIn(now, zone)
  const tomorrow = daysAfter(today, 1)
  const month = `${today.slice(0, 7)}-01`
  const [first, end] = {
    today: [today, tomorrow],
    '7d': [daysAfter(today, -6), tomorrow],
    '30d': [daysAfter(today, -29), tomorrow],
    month: [month, tomorrow],
    last_month: [`${daysAfter(month, -1).slice(0, 7)}-01`, month],
  }[period] as [string, string]
  return { start: utcText(instantAt(first, 0, zone)), end: utcText(instantAt(end, 0, zone)) }
}

const daysAfter = (date: string, days: number): string =>
  new Date(Date.parse(date) + days * 86_400_000).toISOString().slice(0, 10)

/** `2026-11-01T07:00Z`, which the API accepts. */
const utcText = (instant: Date): string => `${instant.toISOString().slice(0, 16)}Z`

/** A time from the URL as a `datetime-local` value in the reader's zone; empty if it is not a time. */
export function localText(utc: string, zone: string): string {
  const instant = new Date(utc)
  if (Number.isNaN(instant.getTime())) return ''
  const { date, minutes } = wallTime(instant, zone)
  return `${date}T${[Math.floor(minutes / 60), minutes % 60].map((n) => String(n).padStart(2, '0')).join(':')}`
}

/** A `datetime-local` value as a time for the URL; undefined while incomplete. */
export function instantOfLocal(text: string, zone: string): string | undefined {
  const [, date, hour, minute] = /^(\d{4}-\d\d-\d\d)T(\d\d):(\d\d)/.exec(text) ?? []
  return date === undefined ? undefined : utcText(instantAt(date, Number(hour) * 60 + Number(minute), zone))
}

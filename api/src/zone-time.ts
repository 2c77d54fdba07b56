import type { CivilDate } from './business-days.ts'

/** Wall-clock time in an IANA zone, by the platform's own zone data. Pure: the time comes in as a value. */

/** A local date and time of day. */
export interface WallTime {
  date: CivilDate
  /** Minutes since 00:00, local time. */
  minutes: number
}

/** Does the platform know this IANA zone? */
export function isZone(zone: string): boolean {
  try {
    formatter(zone)
    return true
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}

/** The local date and time in `zone` at an instant. Throws RangeError on an unknown zone. */
export function wallTime(instant: Date, zone: string): WallTime {
  const shown = wallClockMs(instant.getTime(), zone)
  return { date: new Date(shown).toISOString().slice(0, 10), minutes: Math.floor((shown % day_ms) / minute_ms) }
}

/** The date in `zone` at an instant. */
export const dateIn = (instant: Date, zone: string): CivilDate => wallTime(instant, zone).date

/**
 * The instant of a local date and time in `zone`. An ambiguous time (clocks go back) is the first of the two; one that is
 * skipped (clocks go forward) is later by the length of the gap.
 */
export function instantAt(date: CivilDate, minutes: number, zone: string): Date {
  const wanted = Date.parse(date) + minutes * minute_ms
  const offsets = [wanted - day_ms, wanted + day_ms].map((near) => wallClockMs(near, zone) - near)
  const fits = offsets.map((o) => wanted - o).filter((t) => wallClockMs(t, zone) === wanted)
  return new Date(fits.length > 0 ? Math.min(...fits) : wanted - (offsets[0] ?? 0))
}

const minute_ms = 60 * 1000
const day_ms = 24 * 60 * minute_ms

/** Wall time as if it were UTC, in milliseconds, to the second. */
function wallClockMs(instant_ms: number, zone: string): number {
  const part: Record<string, number> = {}
  for (const { type, value } of formatter(zone).formatToParts(instant_ms)) part[type] = Number(value)
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = part
  return Date.UTC(year, month - 1, day, hour, minute, second)
}

/**
 * Cached because construction is expensive. Bounded by the number of zones: names are lowercased and
 * unknown zones throw.
 */
const formatters = new Map<string, Intl.DateTimeFormat>()

function formatter(zone: string): Intl.DateTimeFormat {
  const name = zone.toLowerCase()
  const cached = formatters.get(name)
  if (cached) return cached
  const created = new Intl.DateTimeFormat('en-US-u-ca-iso8601-nu-latn-hc-h23', {
    timeZone: zone,
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  formatters.set(name, created)
  return created
}

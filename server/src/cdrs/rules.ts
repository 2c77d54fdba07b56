import { addDays, dateIn, instantAt, type CdrFilters, type CivilDate } from '@demarc/client'
import type { CdrFilter } from '../engines/call-records/index.ts'

/** Limits, formats, file names, failure reasons and byte ranges of exports. Pure. */

export const limits = {
  /** Exports of one account that may wait or be built at once. */
  processing_per_account: 100,
  /** Attempts at one export before it fails: about ten minutes of an unavailable store. */
  attempts: 12,
  /** Attempts at one for which the engine returns an error. */
  attempts_refused: 3,
  /** Attempts at one whose workers were killed: building it would kill the next one too. */
  attempts_without_end: 24,
  /** How often progress is written while a file is built. */
  progress_ms: 1000,
} as const

export const ingestLimits = {
  /** Deliveries that are kept: the last ones, of this time. */
  kept: 10_000n,
  life_ms: 90 * 24 * 3_600_000,
  /** Older ones are deleted with every so many-th. */
  prune_every: 100n,
  /** Deliveries whose refused lines are kept, and for how long: they have telephone numbers. */
  refused_files: 100,
  refused_life_ms: 7 * 24 * 3_600_000,
  failure_chars: 2000,
  /** Days whose deliveries are counted, with today. */
  summary_days: 14,
} as const

/** The validated filters as the warehouse accepts them. */
export function warehouseFilter(filters: CdrFilters): CdrFilter {
  const { start_call_start_time, start_call_end_time, ...rest } = filters
  const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined))
  return {
    ...given,
    start_call_start_time: new Date(start_call_start_time),
    start_call_end_time: new Date(start_call_end_time),
  }
}

/** A stored filter, its times read back. The row was written from `warehouseFilter`, which is what it holds. */
export function storedFilter(stored: Record<string, unknown>): CdrFilter {
  const { start_call_start_time, start_call_end_time, ...rest } = stored
  return {
    ...rest,
    start_call_start_time: new Date(String(start_call_start_time)),
    start_call_end_time: new Date(String(start_call_end_time)),
  }
}

/** Money as responses show it: six decimal places, more where they are not zero. `value` is an exact decimal. */
export function moneyText(value: string): string {
  const [whole = '0', fraction = ''] = value.split('.')
  return `${whole}.${fraction.replace(/0+$/, '').padEnd(6, '0')}`
}

/** Seconds as minutes, exact to six places, rounded half up. */
export function minutesText(seconds: string): string {
  const millionths = (BigInt(seconds) * 1_000_000n * 2n + 60n) / 120n
  return `${millionths / 1_000_000n}.${String(millionths % 1_000_000n).padStart(6, '0')}`
}

/** A day or month of a summary: how it is named, and when it begins. */
export interface Period {
  key: string
  start: Date
}

/** Call records are of these years. */
const first_ms = Date.UTC(1900, 0, 1)
const end_ms = Date.UTC(2300, 0, 1)

/** The days or months in `zone` in which calls of the filter's time can have begun, in order. */
export function periodsOf(
  by: 'day' | 'month',
  { start_call_start_time, start_call_end_time }: Pick<CdrFilter, 'start_call_start_time' | 'start_call_end_time'>,
  zone: string,
): Period[] {
  const from = Math.max(start_call_start_time.getTime(), first_ms)
  const to = Math.min(start_call_end_time.getTime(), end_ms) - 1
  if (from > to) return []
  const last = dateIn(new Date(to), zone)
  const periods: Period[] = []
  for (let date = firstOf(by, dateIn(new Date(from), zone)); date <= last; date = firstOf(by, nextOf(by, date)))
    periods.push({ key: by === 'day' ? date : date.slice(0, 7), start: instantAt(date, 0, zone) })
  // a day that a zone left out, by going over the date line, begins when the next one does
  return periods.filter(({ start }, n) => start.getTime() !== periods[n + 1]?.start.getTime())
}

const firstOf = (by: 'day' | 'month', date: CivilDate): CivilDate => (by === 'day' ? date : `${date.slice(0, 7)}-01`)
const nextOf = (by: 'day' | 'month', date: CivilDate): CivilDate => addDays(date, by === 'day' ? 1 : 31)

/** The file of each `format` of the API. */
export const files = {
  csv: { format: 'csv', compression: 'gzip', extension: 'csv.gz', type: 'application/gzip' },
  'csv.zst': { format: 'csv', compression: 'zstd', extension: 'csv.zst', type: 'application/zstd' },
  ndjson: { format: 'ndjson', compression: 'gzip', extension: 'ndjson.gz', type: 'application/gzip' },
  parquet: { format: 'parquet', compression: 'none', extension: 'parquet', type: 'application/vnd.apache.parquet' },
} as const

export const fileName = (id: string, format: keyof typeof files): string =>
  `demarc-cdrs-${id}.${files[format].extension}`

export const fileType = (format: keyof typeof files): string => files[format].type

/** Why an export failed, with the remedy. `code` is the engine's error code where there is one. */
export function failureReason(code: string | null): string {
  if (code === '241')
    return 'The export needs more memory than the service allows. Ask for a shorter period, or for csv instead of parquet.'
  if (code === '159' || code === '160')
    return 'The export took longer than the service allows. Ask for a shorter period or narrower filters.'
  if (code === 'UNAVAILABLE')
    return 'The call-record store could not be reached for several minutes. Ask for the export again later; if it fails again, tell the operator its id.'
  if (code === 'STORAGE')
    return 'The file is larger than the storage that the account has left. Wait until older files expire, ask for a shorter period, or ask the operator for more.'
  if (code === 'ENOSPC')
    return 'The service had no room to build the file. Tell the operator, then ask for the export again.'
  return 'The file could not be built. Ask for the export again; if it fails again, tell the operator its id.'
}

/** The request headers Range and If-Range. */
export interface RangeHeaders {
  range: string | undefined
  if_range: string | string[] | undefined
}

/**
 * The requested byte range of a file of `bytes`, end excluded: null for all of it, which several ranges at once and ranges of
 * another file get as well; `unsatisfiable` past the end (RFC 9110, 13.1.5 and 14.2).
 */
export function byteRange(
  { range, if_range }: RangeHeaders,
  etag: string,
  bytes: number,
): { start: number; end: number } | 'unsatisfiable' | null {
  if (if_range !== undefined && if_range !== etag) return null
  const [, first, last] = /^bytes=(\d{0,15})-(\d{0,15})$/i.exec(range?.trim() ?? '') ?? []
  if (first === undefined || last === undefined || (first === '' && last === '')) return null
  // an end before its start is not a valid range, and invalid ranges are ignored
  if (first !== '' && last !== '' && Number(last) < Number(first)) return null
  const start = first === '' ? Math.max(0, bytes - Number(last)) : Number(first)
  const end = first === '' || last === '' ? bytes : Math.min(bytes, Number(last) + 1)
  return start < end ? { start, end } : 'unsatisfiable'
}

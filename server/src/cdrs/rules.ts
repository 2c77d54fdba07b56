import { addDays, dateIn, instantAt, type CdrFilters, type CivilDate } from '@demarc/client'
import type { CdrFilter, CdrSums, MonthSums } from '../engines/call-records/index.ts'

/** Limits, formats, file names, failure reasons and byte ranges of exports. Pure. */

export const limits = {
  /** Unfinished exports per account. */
  processing_per_account: 100,
  /** Attempts while the store is unavailable: about ten minutes. */
  attempts: 12,
  /** Attempts after the engine returns an error. */
  attempts_refused: 3,
  /** Attempts after a worker was killed: the export may be what kills it. */
  attempts_without_end: 24,
  /** How often progress is written while a file is built. */
  progress_ms: 1000,
} as const

export const coldLimits = {
  /** How long a month stays in the call-record store after it was read. */
  kept_ms: 24 * 3_600_000,
  /** How long a request waits for months to be loaded, and how often it looks. */
  request_ms: 10_000,
  poll_ms: 100,
  /** Reads, if months become cold meanwhile. */
  attempts: 5,
  /** Calls of months that are loaded to be read, of all accounts together. */
  loaded_calls: 200_000_000,
  /** Months that become cold together: one statement deletes them. */
  months_at_once: 50,
  /** Months in one run of the nightly job; the next run continues. */
  months_per_run: 1000,
} as const

export const ingestLimits = {
  /** How many deliveries are kept, and for how long. */
  kept: 10_000n,
  life_ms: 90 * 24 * 3_600_000,
  /** Older deliveries are deleted on every nth delivery. */
  prune_every: 100n,
  /** How many deliveries keep their rejected lines, and for how long: they contain telephone numbers. */
  refused_files: 100,
  refused_life_ms: 7 * 24 * 3_600_000,
  failure_chars: 2000,
  /** Days in the delivery statistics, including today. */
  summary_days: 14,
} as const

/** The validated filters for the warehouse. */
export function warehouseFilter(filters: CdrFilters): CdrFilter {
  const { start_call_start_time, start_call_end_time, ...rest } = filters
  const present = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined))
  return {
    ...present,
    start_call_start_time: new Date(start_call_start_time),
    start_call_end_time: new Date(start_call_end_time),
  }
}

/** A stored `warehouseFilter` with its times parsed. */
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
  const [integer = '0', fraction = ''] = value.split('.')
  return `${integer}.${fraction.replace(/0+$/, '').padEnd(6, '0')}`
}

/** Seconds as minutes, exact to six places, rounded half up. */
export function minutesText(seconds: string): string {
  const millionths = (BigInt(seconds) * 1_000_000n * 2n + 60n) / 120n
  return `${millionths / 1_000_000n}.${String(millionths % 1_000_000n).padStart(6, '0')}`
}

/** A day or month of a summary: its name and start. */
export interface Period {
  key: string
  start: Date
}

/** Years that call records may have. */
const first_ms = Date.UTC(1900, 0, 1)
const end_ms = Date.UTC(2300, 0, 1)

/** The days or months in `zone` that the filter's time range covers, in order. */
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
  // a day that a zone skipped by crossing the date line starts with the next day
  return periods.filter(({ start }, n) => start.getTime() !== periods[n + 1]?.start.getTime())
}

const firstOf = (by: 'day' | 'month', date: CivilDate): CivilDate => (by === 'day' ? date : `${date.slice(0, 7)}-01`)
const nextOf = (by: 'day' | 'month', date: CivilDate): CivilDate => addDays(date, by === 'day' ? 1 : 31)

/** The first and last UTC month that a filter's time range touches; null if the range is empty. */
export function monthsOf({
  start_call_start_time,
  start_call_end_time,
}: Pick<CdrFilter, 'start_call_start_time' | 'start_call_end_time'>): { first: string; last: string } | null {
  const from = Math.max(start_call_start_time.getTime(), first_ms)
  const to = Math.min(start_call_end_time.getTime(), end_ms) - 1
  if (from > to) return null
  const [first = '', last = ''] = [from, to].map((ms) => new Date(ms).toISOString().slice(0, 7))
  return { first, last }
}

/**
 * Whether the store has what the ledger says. `more`: also records that the ledger lacks. The same number with other sums means
 * that records were replaced.
 */
export function compareSums(expected: CdrSums, found: CdrSums): 'complete' | 'more' | 'missing' {
  if (found.num_calls !== expected.num_calls) return found.num_calls > expected.num_calls ? 'more' : 'missing'
  const isSame = found.billed_seconds === expected.billed_seconds && found.total_cost === expected.total_cost
  return isSame ? 'complete' : 'missing'
}

/** What is missing, in a sentence. */
export function missingText(expected: MonthSums, found: MonthSums): string {
  const [all, some] = [expected, found].map(({ num_calls }) => num_calls.toLocaleString('en-US'))
  if (all !== some) return `Call records of ${expected.month} are missing: the store has ${some} of ${all} calls.`
  return `Call records of ${expected.month} were altered: the ${all} calls cost ${found.total_cost} instead of ${expected.total_cost}, for ${found.billed_seconds} instead of ${expected.billed_seconds} billed seconds.`
}

/** The file format for each `format` of the API. */
export const files = {
  csv: { format: 'csv', compression: 'gzip', extension: 'csv.gz', type: 'application/gzip' },
  'csv.zst': { format: 'csv', compression: 'zstd', extension: 'csv.zst', type: 'application/zstd' },
  ndjson: { format: 'ndjson', compression: 'gzip', extension: 'ndjson.gz', type: 'application/gzip' },
  parquet: { format: 'parquet', compression: 'none', extension: 'parquet', type: 'application/vnd.apache.parquet' },
} as const

export const fileName = (id: string, format: keyof typeof files): string =>
  `demarc-cdrs-${id}.${files[format].extension}`

export const fileType = (format: keyof typeof files): string => files[format].type

/** Why an export with missing call records failed. */
export const missingReason = (expected: MonthSums, found: MonthSums): string =>
  `${missingText(expected, found)} The operator has been alerted. Request the export again when they are restored.`

/** Why an export failed whose call records are in a damaged file. */
export const damagedReason = (month: string, damage: string): string =>
  `A file with call records of ${month} is ${damage}. The operator has been alerted. Request the export again when it is restored.`

/** The first month that is too recent to become cold: months before it ended at least `months` months ago. */
export function coldBefore(now: Date, months: number): string {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months)).toISOString().slice(0, 7)
}

/** Why an export failed, and what to do. `code` is the engine's error code, if any. */
export function failureReason(code: string | null): string {
  if (code === '241')
    return 'The export needs more memory than the service allows. Request a shorter period, or csv instead of parquet.'
  if (code === '159' || code === '160')
    return 'The export took longer than the service allows. Request a shorter period or use narrower filters.'
  if (code === 'UNAVAILABLE')
    return 'The call-record store was unavailable for several minutes. Request the export again later. If it fails again, send its ID to the operator.'
  if (code === 'STORAGE')
    return 'The file does not fit into the remaining storage of the account. Wait for older files to expire, request a shorter period, or ask the operator for more storage.'
  if (code === 'ENOSPC')
    return 'The service ran out of disk space. Contact the operator, then request the export again.'
  return 'The file could not be built. Request the export again. If it fails again, send its ID to the operator.'
}

/** The request headers Range and If-Range. */
export interface RangeHeaders {
  range: string | undefined
  if_range: string | string[] | undefined
}

/**
 * The requested byte range, end excluded. Null for the whole file, also for several ranges or a range of another file; `unsatisfiable` past
 * the end (RFC 9110, 13.1.5 and 14.2).
 */
export function byteRange(
  { range, if_range }: RangeHeaders,
  etag: string,
  bytes: number,
): { start: number; end: number } | 'unsatisfiable' | null {
  if (if_range !== undefined && if_range !== etag) return null
  const [, first, last] = /^bytes=(\d{0,15})-(\d{0,15})$/i.exec(range?.trim() ?? '') ?? []
  if (first === undefined || last === undefined || (first === '' && last === '')) return null
  // an end before the start is invalid, and invalid ranges are ignored
  if (first !== '' && last !== '' && Number(last) < Number(first)) return null
  const start = first === '' ? Math.max(0, bytes - Number(last)) : Number(first)
  const end = first === '' || last === '' ? bytes : Math.min(bytes, Number(last) + 1)
  return start < end ? { start, end } : 'unsatisfiable'
}

/** The emptiest of `shards` shards for each account, one after the other. `load`: records by shard. A new account counts as one record. */
export function chooseShards(
  load: ReadonlyMap<number, number>,
  shards: number,
  accounts: readonly string[],
): { account_id: string; shard: number }[] {
  const loads = Array.from({ length: shards }, (_, shard) => load.get(shard) ?? 0)
  return accounts.map((account_id) => {
    const shard = loads.indexOf(Math.min(...loads))
    loads[shard] = (loads[shard] ?? 0) + 1
    return { account_id, shard }
  })
}

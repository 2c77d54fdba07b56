/**
 * Divides an account's records into time slices that each fit into memory, regardless of the number of records and parts. Each slice is sorted
 * and the slices are in order, so their joined files are sorted too.
 *
 * Does not use `FINAL`, which opens every part at once and reads at least one granule of each, so its memory grows with the number of unmerged
 * parts. Sorting a slice reads parts one after the other. Records delivered more than once are rare and disappear with the next merge. Only
 * slices that contain some remove them, before applying any filter: the first delivery counts, even if only the second passes the filter.
 */

import type { ClickHouse } from './clickhouse.ts'
import { withPermit, makeSemaphore } from './concurrency.ts'
import { accountNumber, compileFilter, moment } from './filter.ts'
import { LIMITS } from './limits.ts'
import { COLUMNS } from './schema.ts'
import type { CdrQuery } from './types.ts'

/** Start times in milliseconds since 1970, both inclusive. */
export type Times = { first_ms: number; last_ms: number }
export type Range = Times & { rows: number }
export type Slice = Range & {
  /** Whether it contains a record that was delivered more than once. */
  repeated: boolean
}

/** A database of the store. `slice_rows`: maximum records sorted at a time. */
export type Store = { clickhouse: ClickHouse; database: string; slice_rows: number }

export type Plan = {
  /** Arrival of the latest record in microseconds; `0` without records. */
  horizon: string
  slices: Slice[]
}

/** In key order, without the account, which is the same for all. */
export const SORTED = 'ORDER BY start_time, id'

/** Divides the records in a query's time range, ignoring other filters, into slices of at most `slice_rows`. */
export async function planSlices(store: Store, query: CdrQuery, signal?: AbortSignal): Promise<Plan> {
  const { clickhouse, database } = store
  const { start_call_start_time, start_call_end_time } = query.filter
  const range = compileFilter({ ...query, filter: { start_call_start_time, start_call_end_time } })
  const parts = await clickhouse.rows<[rows: string, first_ms: string, last_ms: string, latest: string]>(
    `SELECT toString(count()), toString(toUnixTimestamp64Milli(min(start_time))), toString(toUnixTimestamp64Milli(max(start_time))),
toString(max(arrival))
FROM ${database}.cdr
WHERE ${range}
GROUP BY _part`,
    signal,
  )
  if (parts.length === 0) return { horizon: '0', slices: [] }
  const inside = parts.map(([rows, first, last]) => ({
    rows: Number(rows),
    first_ms: Number(first),
    last_ms: Number(last),
  }))
  const horizon = parts.map((part) => BigInt(part[3])).reduce((a, b) => (a > b ? a : b))
  const rows = inside.reduce((sum, part) => sum + part.rows, 0)
  const first_ms = inside.reduce((first, part) => Math.min(first, part.first_ms), Infinity)
  const last_ms = inside.reduce((last, part) => Math.max(last, part.last_ms), -Infinity)
  const count = (within: Range, step_ms: number) =>
    clickhouse.rows<[bucket: string, rows: string]>(
      `SELECT toString(intDiv(toUnixTimestamp64Milli(start_time) - (${within.first_ms}), ${step_ms}) AS bucket), toString(count())
FROM ${database}.cdr
WHERE ${between(query, within)}
GROUP BY bucket
ORDER BY bucket`,
      signal,
    )
  const turn = makeSemaphore(LIMITS.slices)
  const shared = overlaps(inside)
  const slices = (await divide({ first_ms, last_ms, rows }, store.slice_rows, count)).map(async (range) => {
    const doubtful = clip(shared, range)
    if (doubtful === null) return { ...range, repeated: false }
    return withPermit(turn(signal), async () => ({
      ...range,
      repeated: await hasRepeated(store, query, doubtful, signal),
    }))
  })
  return { horizon: String(horizon), slices: await Promise.all(slices) }
}

/** Time ranges, in order, where more than one part has records. Within a part, each record is stored once. Pure. */
export function overlaps(parts: readonly Times[]): Times[] {
  const found: Times[] = []
  let until_ms = -Infinity
  for (const { first_ms, last_ms } of parts.toSorted((a, b) => a.first_ms - b.first_ms)) {
    const end_ms = Math.min(until_ms, last_ms)
    const before = found.at(-1)
    if (before !== undefined && first_ms <= before.last_ms) before.last_ms = Math.max(before.last_ms, end_ms)
    else if (first_ms <= end_ms) found.push({ first_ms, last_ms: end_ms })
    until_ms = Math.max(until_ms, last_ms)
  }
  return found
}

/** From the first to the last of these times within the range; null if there are none. */
function clip(times: readonly Times[], range: Times): Times | null {
  const inside = times.filter(({ first_ms, last_ms }) => first_ms <= range.last_ms && last_ms >= range.first_ms)
  const [first] = inside
  const last = inside.at(-1)
  if (first === undefined || last === undefined) return null
  return { first_ms: Math.max(first.first_ms, range.first_ms), last_ms: Math.min(last.last_ms, range.last_ms) }
}

/** A plan's whole range as one slice, for a format whose files cannot be joined; null without records. */
export function wholeSlice({ slices }: Plan): Slice | null {
  const [first] = slices
  const last = slices.at(-1)
  if (first === undefined || last === undefined) return null
  const rows = slices.reduce((sum, slice) => sum + slice.rows, 0)
  return { first_ms: first.first_ms, last_ms: last.last_ms, rows, repeated: slices.some(({ repeated }) => repeated) }
}

/** FROM and WHERE for a query's records in one slice that arrived by `horizon`, without repeated deliveries. */
export function fromClause(database: string, query: CdrQuery, slice: Slice, horizon: string): string {
  const range = `${between(query, slice)} AND arrival <= ${horizon}`
  if (!slice.repeated) return `FROM ${database}.cdr\nWHERE ${compileFilter(query)}\n  AND ${range}`
  const once = `SELECT ${COLUMNS.join(', ')} FROM ${database}.cdr WHERE ${range} ${SORTED}, precedence DESC LIMIT 1 BY start_time, id`
  return `FROM (${once})\nWHERE ${compileFilter(query)}`
}

/** Divides a range until each part has at most `slice_rows` records or spans one millisecond, which is sorted on disk. */
export async function divide(
  range: Range,
  slice_rows: number,
  count: (range: Range, step_ms: number) => Promise<[bucket: string, rows: string][]>,
): Promise<Range[]> {
  const length_ms = range.last_ms - range.first_ms + 1
  if (range.rows <= slice_rows || length_ms === 1) return [range]
  const step_ms = Math.ceil(length_ms / LIMITS.slice_buckets)
  const buckets = (await count(range, step_ms)).map(([bucket, rows]) => ({
    bucket: Number(bucket),
    rows: Number(rows),
  }))
  const divided: Range[] = []
  for (const part of pack(range, slice_rows, { step_ms, buckets }))
    divided.push(...(await divide(part, slice_rows, count)))
  return divided
}

type Counted = { step_ms: number; buckets: readonly { bucket: number; rows: number }[] }

/** Joins consecutive buckets up to `slice_rows` records; a larger bucket stays separate. Pure. */
export function pack(range: Range, slice_rows: number, { step_ms, buckets }: Counted): Range[] {
  const parts: Range[] = []
  for (const { bucket, rows } of buckets) {
    const first_ms = range.first_ms + bucket * step_ms
    const last_ms = Math.min(range.last_ms, first_ms + step_ms - 1)
    const part = parts.at(-1)
    if (part !== undefined && part.rows + rows <= slice_rows) Object.assign(part, { last_ms, rows: part.rows + rows })
    else parts.push({ first_ms, last_ms, rows })
  }
  return parts
}

/** Compares hashes, which is faster. A hash collision only makes reading the slice slower. */
async function hasRepeated(
  { clickhouse, database }: Store,
  query: CdrQuery,
  range: Times,
  signal?: AbortSignal,
): Promise<boolean> {
  const [row] = await clickhouse.rows<[string]>(
    `SELECT toString(count())
FROM (SELECT 1 FROM ${database}.cdr WHERE ${between(query, range)} GROUP BY cityHash64(start_time, id) HAVING count() > 1 LIMIT 1)`,
    signal,
  )
  return row?.[0] !== '0'
}

function between(query: CdrQuery, { first_ms, last_ms }: Times): string {
  const [first, last] = [first_ms, last_ms].map((ms) => moment(new Date(ms)))
  return `account_id = ${accountNumber(query.account_id)} AND start_time >= ${first} AND start_time <= ${last}`
}

/**
 * An account's records in slices of time that each fit into memory, however many records there are and however many parts the store
 * has them in. A slice is sorted by itself and the slices are in order, so that their files joined are one sorted file.
 *
 * No `FINAL`: it opens every part at once and reads at least one granule of each, whatever the range, so that its memory grows with the
 * number of unmerged parts. Sorting a slice reads them one after the other. Records that were delivered more than once are rare and
 * vanish with the next merge; only slices that have some remove them, before any filter is applied: of two deliveries the first counts,
 * also where only the second passes the filter.
 */

import type { ClickHouse } from './clickhouse.ts'
import { holding, makeSemaphore } from './concurrency.ts'
import { accountNumber, compileFilter, moment } from './filter.ts'
import { LIMITS } from './limits.ts'
import { COLUMNS } from './schema.ts'
import type { CdrQuery } from './types.ts'

/** Start times in milliseconds since 1970, both inclusive. */
export type Range = { first_ms: number; last_ms: number; rows: number }
export type Slice = Range & {
  /** Whether a record has several deliveries in it. */
  repeated: boolean
}

/** A database of the store. `slice_rows` is the most records that are sorted at a time. */
export type Store = { clickhouse: ClickHouse; database: string; slice_rows: number }

export type Plan = {
  /** Arrival of the latest record, in microseconds, `0` without records. */
  horizon: string
  slices: Slice[]
}

export const SORTED = 'ORDER BY account_id, start_time, id'

/** Divides the records of a query's time range, whatever its other filters, into slices of at most `slice_rows`. */
export async function planSlices(store: Store, query: CdrQuery, signal?: AbortSignal): Promise<Plan> {
  const { clickhouse, database } = store
  const { start_call_start_time, start_call_end_time } = query.filter
  const range = compileFilter({ ...query, filter: { start_call_start_time, start_call_end_time } })
  const [row] = await clickhouse.rows<[string, string, string, string]>(
    `SELECT toString(count()), toString(toUnixTimestamp64Milli(min(start_time))), toString(toUnixTimestamp64Milli(max(start_time))),
toString(max(arrival))
FROM ${database}.cdr
WHERE ${range}`,
    signal,
  )
  const [rows = 0, first_ms = 0, last_ms = 0] = (row ?? []).map(Number)
  if (row === undefined || rows === 0) return { horizon: '0', slices: [] }
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
  const slices = (await divide({ first_ms, last_ms, rows }, store.slice_rows, count)).map((range) =>
    holding(turn(signal), async () => ({ ...range, repeated: await hasRepeated(store, query, range, signal) })),
  )
  return { horizon: row[3], slices: await Promise.all(slices) }
}

/** The whole range of a plan as one slice, for a format whose files cannot be joined; null without records. */
export function wholeSlice({ slices }: Plan): Slice | null {
  const [first] = slices
  const last = slices.at(-1)
  if (first === undefined || last === undefined) return null
  const rows = slices.reduce((sum, slice) => sum + slice.rows, 0)
  return { first_ms: first.first_ms, last_ms: last.last_ms, rows, repeated: slices.some(({ repeated }) => repeated) }
}

/** FROM and WHERE for the records of a query in one slice that had arrived by `horizon`, each once. */
export function fromClause(database: string, query: CdrQuery, slice: Slice, horizon: string): string {
  const range = `${between(query, slice)} AND arrival <= ${horizon}`
  if (!slice.repeated) return `FROM ${database}.cdr\nWHERE ${compileFilter(query)}\n  AND ${range}`
  const once = `SELECT ${COLUMNS.join(', ')} FROM ${database}.cdr WHERE ${range} ${SORTED}, precedence DESC LIMIT 1 BY account_id, start_time, id`
  return `FROM (${once})\nWHERE ${compileFilter(query)}`
}

/** Divides a range until each part has at most `slice_rows` records, or is one millisecond, whose records are sorted on disk. */
async function divide(
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

/** Joins consecutive buckets while they have at most `slice_rows` records; a bucket with more is a part by itself. Pure. */
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

/** By a hash, which is faster. Where two records have the same, the slice is read as if one of them had several deliveries: as exact, but slower. */
async function hasRepeated(
  { clickhouse, database }: Store,
  query: CdrQuery,
  range: Range,
  signal?: AbortSignal,
): Promise<boolean> {
  const [row] = await clickhouse.rows<[string]>(
    `SELECT toString(count())
FROM (SELECT 1 FROM ${database}.cdr WHERE ${between(query, range)} GROUP BY cityHash64(start_time, id) HAVING count() > 1 LIMIT 1)`,
    signal,
  )
  return row?.[0] !== '0'
}

function between(query: CdrQuery, { first_ms, last_ms }: Pick<Range, 'first_ms' | 'last_ms'>): string {
  const [first, last] = [first_ms, last_ms].map((ms) => moment(new Date(ms)))
  return `account_id = ${accountNumber(query.account_id)} AND start_time >= ${first} AND start_time <= ${last}`
}

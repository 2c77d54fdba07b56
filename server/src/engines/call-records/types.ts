import type { Readable } from 'node:stream'
import type { CdrRecord, CdrQuery, CdrFormat, CdrCompression } from './call-record.ts'
import type { RecordBlock } from './rows.ts'

export { CDR_RESULTS, CDR_DIRECTIONS } from './call-record.ts'
export type {
  CdrResult,
  CdrDirection,
  CdrRecord,
  CdrFilter,
  CdrQuery,
  CdrFormat,
  CdrCompression,
} from './call-record.ts'

/** Exact sums over a query's records. Decimal strings without trailing zeros (`0`, `34.3213`). */
export type CdrTotals = {
  num_calls: number
  total_cost: string
  call_subtotal: string
  connect_fees: string
  cnamlookup_fees: string
  usf_fees: string
  ccrf: string
  billed_seconds: string
}

export type CdrEstimate = {
  num_calls: number
  total_cost: string
  /** Size of the uncompressed file, estimated from the average length of sample lines. */
  bytes: number
}

/** Exact sums over records. Decimal strings without trailing zeros. */
export type CdrSums = { num_calls: number; billed_seconds: string; total_cost: string }

/**
 * The grouping of a summary: a field of the record; `number`, the account's own number (the destination of inbound and the caller ID of
 * outbound calls); `fee`, the five amounts of a call, counting calls with a nonzero amount; or periods by ascending starts, the first not
 * after the query's start.
 */
export type CdrGrouping = 'direction' | 'result' | 'country' | 'alias' | 'number' | 'fee' | { starts: readonly Date[] }

/**
 * Groups with the most calls first. Keys are texts from the record, column names for `fee`, and starts in epoch milliseconds for periods.
 * `others`: the number and sums of the groups beyond the requested number.
 */
export type CdrSummary = {
  totals: CdrSums
  groups: ({ key: string } & CdrSums)[]
  others: ({ groups: number } & CdrSums) | null
}

/** A record with the columns of an NDJSON export. */
export type RecentCdr = { id: string; columns: Record<string, unknown> }

/** `accepted` records were inserted; `duplicates` were already stored or occurred earlier in the batch. They add up to the batch. */
export type InsertOutcome = { accepted: number; duplicates: number }

/**
 * The bytes of an export's file. If `body` ends without an error, `totals` are the sums over exactly its rows. `progress` is
 * the fraction of rows received, 0 to 1; always 0 for Parquet, whose rows cannot be counted in the stream.
 */
export type CdrStream = { body: Readable; totals: CdrTotals; progress: () => number }

export type WarehouseOptions = {
  /** A ClickHouse server (`http(s)://user:password@host:8123`), or the Unix socket of the embedded engine. */
  at: { url: string } | { socket: string }
  /** Default `demarc`. Created by `ensureSchema`. */
  database?: string
  /**
   * Mutual exclusion for inserts among all processes that share the store, for example a PostgreSQL advisory lock. Without it, inserts are
   * serialized in this process only: see README.md, "What is guaranteed".
   */
  exclusively?: <T>(work: () => Promise<T>) => Promise<T>
  /** How long a query waits for an engine that is starting or restarting, before `WarehouseUnavailable`. Default in limits.ts. */
  wait_ms?: number
  /** Records that an export sorts at a time. Default in limits.ts. */
  slice_rows?: number
  /** Whether queries fail soon if the store hangs. Default false: background work waits for the engine's watchdog. */
  failFast?: boolean
}

export type Cancelable = { signal?: AbortSignal }
export type StreamOptions = Cancelable & {
  /** Default `none`. */
  compression?: CdrCompression
}

/**
 * The store of call records. Every method may throw `WarehouseUnavailable` (the connection failed or was lost during the query: repeat the
 * whole step) or `WarehouseFailed` (the store returned an error, so repeating will not help); see errors.ts.
 */
export type Warehouse = {
  /** Resolves when the store responds; waits for `wait_ms`. */
  ready: (options?: Cancelable) => Promise<void>
  /** Creates the database and tables if they are missing. Safe at every start and from several processes. */
  ensureSchema: () => Promise<void>
  /**
   * Inserts the records that are not stored yet; the first delivery of an id wins. When it resolves, the whole batch is on disk. When it
   * rejects, part of the batch may be, so deliver the batch again. Takes any number of records. Throws RangeError before writing anything if a
   * column cannot store a value exactly. Combines concurrent inserts. `soon`: throws WarehouseBusy instead of waiting long; only with failFast.
   */
  insert: (records: readonly CdrRecord[] | RecordBlock, options?: { soon?: boolean }) => Promise<InsertOutcome>
  count: (query: CdrQuery, options?: Cancelable) => Promise<number>
  estimate: (query: CdrQuery, options?: Cancelable) => Promise<CdrEstimate>
  /** Sums of all records and of the `most` largest groups. */
  summarize: (query: CdrQuery, grouping: { by: CdrGrouping; most: number }, options?: Cancelable) => Promise<CdrSummary>
  /** The latest records by start time and id, newest first. */
  newest: (query: CdrQuery, most: number, options?: Cancelable) => Promise<RecentCdr[]>
  /**
   * Starts an export. `body` yields the file's bytes, sorted by (start_time, id), and ends only after verifying that `totals` are the sums
   * over exactly its rows; otherwise it is destroyed with `SnapshotChanged` (start again) or one of the errors above. Read or destroy the
   * body, because other exports may wait until it is closed.
   */
  stream: (query: CdrQuery, format: CdrFormat, options?: StreamOptions) => Promise<CdrStream>
  /**
   * `stream` with retries: calls `write` with a new body, and again after `SnapshotChanged`, up to `LIMITS.export_attempts` times. `write`
   * must read the body to its end, reject if it fails, and start a new file on each call.
   */
  export: <T>(
    query: CdrQuery,
    format: CdrFormat,
    write: (body: Readable, totals: CdrTotals, progress: () => number) => Promise<T>,
    options?: StreamOptions,
  ) => Promise<{ totals: CdrTotals; result: T }>
  close: () => Promise<void>
}

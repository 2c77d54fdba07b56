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

/** Exact sums over the records of a query. Decimal strings, without trailing zeros (`0`, `34.3213`). */
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
  /** Size of the file before compression, extrapolated from the average length of some lines. */
  bytes: number
}

/** Exact sums over records. Decimal strings, without trailing zeros. */
export type CdrSums = { num_calls: number; billed_seconds: string; total_cost: string }

/**
 * What a summary is divided by: what a record has; `number`, the account's own, which is the destination of inbound and the caller ID of
 * outbound calls; `fee`, the five amounts of a call, counting calls where the amount is not zero; or periods of time, by their ascending
 * starts, of which the first is not after the query's.
 */
export type CdrGrouping = 'direction' | 'result' | 'country' | 'alias' | 'number' | 'fee' | { starts: readonly Date[] }

/**
 * Groups with most calls first. Their keys are texts as in the record, names of columns for `fee`, and for periods the starts in milliseconds
 * since 1970. `others`: what the groups beyond the requested number have together, and how many they are.
 */
export type CdrSummary = {
  totals: CdrSums
  groups: ({ key: string } & CdrSums)[]
  others: ({ groups: number } & CdrSums) | null
}

/** A record with the columns of an NDJSON export, by their names. */
export type RecentCdr = { id: string; columns: Record<string, unknown> }

/** `accepted` were inserted by this call; `duplicates` were stored before, or occurred earlier in the same batch. They add up to the batch. */
export type InsertOutcome = { accepted: number; duplicates: number }

/**
 * The bytes of one export's file, and the totals over exactly those rows if `body` ends without an error. `progress` is the share of the rows that
 * was received, 0 to 1; for Parquet, whose rows cannot be counted in the stream, 0.
 */
export type CdrStream = { body: Readable; totals: CdrTotals; progress: () => number }

export type WarehouseOptions = {
  /** A ClickHouse server (`http(s)://user:password@host:8123`), or the Unix socket of the embedded engine. */
  at: { url: string } | { socket: string }
  /** Default `demarc`. Created by `ensureSchema`. */
  database?: string
  /**
   * Mutual exclusion among all processes that share the store (a PostgreSQL advisory lock, for example). Inserts run inside it.
   * Without it they are serialized in this process only: see README.md, "What is guaranteed".
   */
  exclusively?: <T>(work: () => Promise<T>) => Promise<T>
  /** How long a query waits for an engine that is starting or restarting, before `WarehouseUnavailable`. Default in limits.ts. */
  wait_ms?: number
  /** Records that an export sorts at a time. Default in limits.ts. */
  slice_rows?: number
  /** Whether queries are broken off soon when the store hangs. Default false: what has time waits for the engine's watchdog. */
  failFast?: boolean
}

export type Cancelable = { signal?: AbortSignal }
export type StreamOptions = Cancelable & {
  /** Default `none`. */
  compression?: CdrCompression
}

/**
 * The store of call records. Every method may throw `WarehouseUnavailable` (the connection failed or was lost during the query: repeat the
 * whole step) or `WarehouseFailed` (the store returned an error: repeating will not help); see errors.ts.
 */
export type Warehouse = {
  /** Resolves when the store responds; waits for `wait_ms`. */
  ready: (options?: Cancelable) => Promise<void>
  /** Creates database and table if they are missing. Safe to run at every start and by several processes. */
  ensureSchema: () => Promise<void>
  /**
   * Inserts those records that the store does not have yet; the first delivery of an id wins. When it resolves, all of the batch is on disk;
   * when it rejects, any subset may be, and the batch has to be delivered again. Any number of records; a value that its column cannot store
   * exactly is a RangeError, before anything is written. Several inserts at once are joined. `soon`: WarehouseBusy where others would have to be waited for; only in an failFast store.
   */
  insert: (records: readonly CdrRecord[] | RecordBlock, options?: { soon?: boolean }) => Promise<InsertOutcome>
  count: (query: CdrQuery, options?: Cancelable) => Promise<number>
  estimate: (query: CdrQuery, options?: Cancelable) => Promise<CdrEstimate>
  /** The sums of the records, and those of their `most` largest groups. */
  summarize: (query: CdrQuery, grouping: { by: CdrGrouping; most: number }, options?: Cancelable) => Promise<CdrSummary>
  /** The newest records by start time and id, the newest first. */
  newest: (query: CdrQuery, most: number, options?: Cancelable) => Promise<RecentCdr[]>
  /**
   * Starts an export. `body` yields the file's bytes, sorted by (start_time, id), and ends only after verifying that `totals` are the sums
   * over exactly the rows it contained; otherwise it is destroyed with `SnapshotChanged` (start again) or one of the errors above. Read or
   * destroy the body: exports at a time are limited, and further ones wait until it is closed.
   */
  stream: (query: CdrQuery, format: CdrFormat, options?: StreamOptions) => Promise<CdrStream>
  /**
   * `stream` with retries: calls `write` with a new body, and again after `SnapshotChanged`, up to `LIMITS.export_attempts` times. `write`
   * must consume the body to its end, reject if it errors, and start its file again on each call.
   */
  export: <T>(
    query: CdrQuery,
    format: CdrFormat,
    write: (body: Readable, totals: CdrTotals, progress: () => number) => Promise<T>,
    options?: StreamOptions,
  ) => Promise<{ totals: CdrTotals; result: T }>
  close: () => Promise<void>
}

import type { Readable } from 'node:stream'
import type { CdrRecord, CdrQuery, CdrFormat, CdrCompression } from './call-record.ts'
import type { StoreMode } from './modes.ts'
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

/** A UTC month of an account, `YYYY-MM`. */
export type AccountMonth = { account_id: string; month: string }

/** Exact sums of an account's records in a month. */
export type MonthSums = AccountMonth & CdrSums

/** The right to insert records of some accounts, which nobody else has at the same time. */
export type InsertLock = {
  /** The time in microseconds: a safe integer, greater than any earlier one under a lock of the account. Throws if the lock is lost. */
  time: () => Promise<number>
  /** Adds what was inserted to the ledger. Without effect if the lock is lost. */
  recordStored: (months: readonly MonthSums[]) => Promise<void>
  /** Throws RecordsCold unless all records of these months that were ever stored are in the store. */
  requireLoaded: (months: readonly AccountMonth[]) => Promise<void>
}

/** Runs work that inserts records of these accounts while no other work on any of them runs. */
export type Exclusively = <T>(accounts: ReadonlySet<string>, work: (lock: InsertLock) => Promise<T>) => Promise<T>

/**
 * A ClickHouse server (`http(s)://user:password@host:8123`), and others of its cluster, which are used while it is not reachable. `ca`: PEM
 * text of the authorities that sign their certificates; by default those that Node knows.
 */
export type ServerAddress = { url: string; others?: readonly string[]; ca?: string }

/** Servers, or the Unix socket of the embedded engine. */
export type StoreAddress = ServerAddress | { socket: string }

/** The shard of an account, from 0. Of two placements of an account, the one with the higher version counts. */
export type AccountShard = { account_id: string; shard: number; version: string }

/** Sums of an account's records in a month on one shard. `checksum` is the sum of a hash of each record. */
export type ShardSums = MonthSums & { checksum: string }

/** Records of a month that arrived by `until`, in microseconds. */
export type ColdMonth = AccountMonth & { until: number }
export type FileSums = CdrSums
/** A Parquet file of some records of a month, with their sums. */
export type ColdFile = FileSums & { content: Buffer }

/** What moves months between the store and files. */
export type ColdStatements = {
  /** Parquet files with each of the records once, in order. Each was read back and has the sums and checksum of the records in the store. */
  files: (of: ColdMonth, signal?: AbortSignal) => AsyncGenerator<ColdFile>
  /** Inserts the records of a file as if they had arrived at this time, in microseconds. Safe to repeat: a copy is the same record. */
  load: (content: Buffer, arrival: number) => Promise<void>
  /** Records with repeated deliveries. */
  countUntil: (of: ColdMonth, signal?: AbortSignal) => Promise<number>
  /** Deletes records. */
  remove: (months: readonly ColdMonth[]) => Promise<void>
  /** Deletes claims, so that the records can be delivered again. */
  removeClaims: (of: ColdMonth) => Promise<void>
}

type OnShard = { account_id: string; shard: number }
/** What arrived after `after` and by `until`, in microseconds. */
type Arrived = { account_id: string; from: number; to: number; after: number; until: number }

/** The shards of a store, and what moves an account from one to another. Shards are numbered from 0. */
export type Shards = {
  count: () => Promise<number>
  /** Copies placements to every shard. All servers use them when this resolves. */
  publish: (placements: readonly AccountShard[]) => Promise<void>
  /** What a shard has of an account by month. `exact`: without repeated deliveries, which takes longer. */
  sums: (of: OnShard & { until: number; exact?: { month: string } }) => Promise<ShardSums[]>
  /** Copies records or claims. Safe to repeat: a copy is the same record. */
  copyMonth: (what: Arrived & { month: string }) => Promise<void>
  copyClaims: (what: Arrived) => Promise<void>
  /** Whether a record that was claimed after `since`, in microseconds, may still be inserted on this shard. */
  mayBeInFlight: (of: OnShard & { since: number }) => Promise<boolean>
  /** Deletes what a shard has of an account. */
  remove: (of: OnShard) => Promise<void>
}

/** What the store has of a month, of what arrived by `until` in microseconds. `checksum` is the sum of a hash of each record. */
export type MonthState = { month: string; rows: number; checksum: string; until: number }

/** Records of one Parquet file: of these accounts, that arrived after `after` and by `until`. `times`: the start times, both inclusive. */
export type ArchivePiece = {
  month: string
  after: number
  until: number
  first_account: string
  last_account: string
  times: { first_ms: number; last_ms: number } | null
  rows: number
}

/** Copies of all records. archive.ts has the design. Repeated deliveries that are not merged yet count each time. */
export type Archive = {
  /** Each month that has records, in order. */
  months: (until: number) => Promise<MonthState[]>
  month: (month: string, until: number) => Promise<MonthState>
  /** Divides a month's records; at most `most` each, by default as in limits.ts. */
  pieces: (of: { month: string; after: number; until: number }, most?: number) => Promise<ArchivePiece[]>
  /** How many of a piece's records the store has. */
  rows: (piece: ArchivePiece) => Promise<number>
  /** A piece's Parquet file. */
  read: (piece: ArchivePiece) => Promise<Readable>
  /** Stores a piece and claims its ids. Safe to repeat: a copy is the same record. `open` opens its Parquet file. */
  write: (piece: ArchivePiece, open: () => Promise<Readable>) => Promise<void>
  /** Chooses a shard for each account that has none. Call it before `write`. */
  place: (accounts: ReadonlySet<string>) => Promise<void>
}

/** Where the shards of accounts are stored, from which the store has a copy. */
export type PlacementSource = {
  /** Chooses one of `shards` shards for each account that has none. Returns those that the store may not know yet. */
  choose: (accounts: ReadonlySet<string>, shards: number) => Promise<AccountShard[]>
  /** The store knows these. */
  confirm: (placements: readonly AccountShard[]) => Promise<void>
}

export type WarehouseOptions = {
  at: StoreAddress
  /** Default: `embedded` with a socket, `server` with a URL. */
  mode?: StoreMode
  /** Default `demarc`. Created by `ensureSchema`. */
  database?: string
  /**
   * Mutual exclusion for inserts among all processes that share the store, for example PostgreSQL advisory locks. Without it, inserts are
   * serialized in this process only: see README.md, "What is guaranteed".
   */
  exclusively?: Exclusively
  /** Required by a mode with shards. */
  placements?: PlacementSource
  /** How long a query waits for an engine that is starting or restarting, before `WarehouseUnavailable`. Default in limits.ts. */
  wait_ms?: number
  /** Records that an export sorts at a time. Default in limits.ts. */
  slice_rows?: number
  /** Whether queries fail soon if the store hangs. Default false: background work waits for the engine's watchdog. */
  failFast?: boolean
}

/** The statements that were applied, kept outside the store. `digest`: SHA-256 of the statement, in hex. */
export type SchemaJournal = {
  applied: ReadonlyMap<string, string>
  record: (step: { name: string; digest: string; servers: number }) => Promise<void>
}

/** Runs work with the journal of a mode while no other process changes the tables. */
export type WithJournal = <T>(mode: string, work: (journal: SchemaJournal) => Promise<T>) => Promise<T>

/** What a start found and did. */
export type SchemaOutcome = { servers: number; down: number; applied: string[] }

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
  /**
   * Checks a server, and creates the database and tables where they are missing. Safe at every start and from several processes, if they
   * share the journal. Throws WarehouseRefused for what only the operator can fix.
   */
  ensureSchema: (withJournal?: WithJournal) => Promise<SchemaOutcome>
  /**
   * Inserts the records that are not stored yet; the first delivery of an id wins. When it resolves, the whole batch is on disk. When it
   * rejects, part of the batch may be, so deliver the batch again. Takes any number of records. Throws RangeError before writing anything if a
   * column cannot store a value exactly. Combines concurrent inserts. `soon`: throws WarehouseBusy instead of waiting long; only with failFast.
   */
  insert: (records: readonly CdrRecord[] | RecordBlock, options?: { soon?: boolean }) => Promise<InsertOutcome>
  count: (query: CdrQuery, options?: Cancelable) => Promise<number>
  /** Exact sums of a query's records, as an export has them. */
  totals: (query: CdrQuery, options?: Cancelable) => Promise<CdrTotals>
  /** Sums of an account by month, from `first` to `last` (both included). Unmerged repeated deliveries count each time. */
  months: (of: { account_id: string; first: string; last: string }, options?: Cancelable) => Promise<MonthSums[]>
  /**
   * The same by account, for up to `most` accounts after `after` that have records in a month. `until`: without those that arrived later,
   * in microseconds.
   */
  accountsIn: (
    of: { month: string; after: string; most: number; until?: number },
    options?: Cancelable,
  ) => Promise<MonthSums[]>
  /** Months in which any account has records, in order. */
  monthNames: (options?: Cancelable) => Promise<string[]>
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
  /** Null in a mode without shards. */
  shards: Shards | null
  cold: ColdStatements
  archive: Archive
}

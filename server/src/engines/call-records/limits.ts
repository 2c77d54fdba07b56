/** Every bound of the call-record store, in one place. Bytes, seconds and milliseconds as the names say. */

const MiB = 1024 * 1024

export const LIMITS = {
  /**
   * What the embedded engine may allocate. The limit is soft: its resident memory was seen at up to 1.7 times this while exporting.
   * A server named by CLICKHOUSE_URL has its own.
   */
  engine_memory_bytes: 1500 * MiB,
  mark_cache_bytes: 64 * MiB,
  /** An engine that rests with more resident memory than this is restarted, since its allocator gives little back. */
  engine_idle_rss_bytes: 1200 * MiB,
  /** How long it must have rested before that. */
  engine_idle_ms: 10_000,

  /** Per query. Sorting and grouping go to disk at half of it. */
  query_memory_bytes: 600 * MiB,
  query_seconds: 120,
  /** An export lasts as long as its reader takes, so this is generous. */
  export_seconds: 6 * 3600,
  /** Exports at a time: in each process that uses the store, and again in the embedded engine for all of them together. */
  exports: 2,
  /** How often `export` starts again after records of its own range came or went. */
  export_attempts: 5,
  /** Other queries at a time in the embedded engine; more wait. */
  engine_queries: 4,
  /** libuv threads of the embedded engine: one for each query that may run, one for its control, the rest for files. */
  engine_threads: 12,
  /** The longest SQL text. Filters with thousands of numbers are long. */
  sql_bytes: 32 * MiB,
  /** The largest request body that the embedded engine reads. */
  body_bytes: 256 * MiB,

  /** Rows and bytes of one INSERT statement; longer batches are cut. Far below the engine's block size, so that one statement is one block. */
  insert_rows: 20_000,
  insert_bytes: 32 * MiB,
  insert_seconds: 60,
  /** After this long an insert whose sender died is surely over. */
  insert_settled_seconds: 75,

  /** How long a call waits for an engine that is away. */
  wait_ms: 15_000,
  /** How long a new engine may take to open the store. */
  engine_start_ms: 60_000,
  engine_stop_ms: 5_000,
  engine_heartbeat_ms: 500,
  engine_misses: 4,
  /** How long to wait for an engine that another process is starting. */
  engine_attach_ms: 10_000,
  /** An engine that lived longer than this is restarted at once, others after a pause that doubles up to the greatest. */
  engine_young_ms: 2_000,
  engine_restart_ms: 200,
  engine_restart_max_ms: 5_000,
  /** A query as small as SELECT 1 that takes longer than this shows an engine that hangs although its socket answers. */
  engine_probe_ms: 10_000,

  /** Lines looked at for an estimate of a file's size. */
  estimate_lines: 1000,
} as const

/** Money columns: Decimal(18,8). Five amounts of this size still add up inside the type; sums over records are Decimal(38,8). */
export const MONEY = { places: 8, pattern: /^-?\d{1,9}(?:\.\d{1,8})?$/ } as const

/** What DateTime64(3) can hold. */
export const TIME = {
  first: Date.UTC(1900, 0, 1),
  last: Date.UTC(2299, 11, 31, 23, 59, 59, 999),
} as const

export const UINT16_MAX = 65_535
export const UINT32_MAX = 4_294_967_295
export const UINT64_MAX = 18_446_744_073_709_551_615n

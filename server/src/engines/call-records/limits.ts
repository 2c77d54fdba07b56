/** Every limit of the call-record store. Units are in the names. */

const MiB = 1024 * 1024

export const LIMITS = {
  /**
   * What the embedded engine may allocate. The limit is soft: resident memory of up to 1.7 times this was measured while exporting.
   * A server at CLICKHOUSE_URL has its own.
   */
  engine_memory_bytes: 1500 * MiB,
  mark_cache_bytes: 64 * MiB,
  /** An idle engine with more resident memory than this is restarted, since its allocator returns little to the system. */
  engine_idle_rss_bytes: 1200 * MiB,
  /** How long it must have been idle before that. */
  engine_idle_ms: 10_000,

  /** Per query. Sorting and grouping spill to disk at a quarter of it. */
  query_memory_bytes: 600 * MiB,
  /** Records that an export sorts at a time: some 150 MiB. */
  slice_rows: 250_000,
  /** Slices of one export that the store works on at a time, and those that are complete and wait to be read. */
  slices: 2,
  slices_complete: 2,
  /** Parts of a time range whose records are counted in one query, to divide it. */
  slice_buckets: 4096,
  /** Half again as fast as level 6, for a tenth more bytes (measured on call records with the engine's zlib-ng). */
  gzip_level: 3,
  /** Bytes that are decompressed at a time, to count their lines: a third faster than Node's 16 KiB. */
  gunzip_bytes: 256 * 1024,
  zstd_level: 3,
  query_seconds: 120,
  /** An export lasts as long as its reader takes, so this is generous. */
  export_seconds: 6 * 3600,
  /** Exports at a time: in each process that uses the store, and again in the embedded engine for all of them together. */
  exports: 2,
  /** Attempts of `export` when records of its own range are added or deleted meanwhile. */
  export_attempts: 5,
  /** Other queries at a time in the embedded engine; more wait. */
  engine_queries: 4,
  /** libuv threads of the embedded engine: one for each query that may run, one for its control, the rest for files. */
  engine_threads: 12,
  /** The longest SQL text. Filters with thousands of numbers are long. */
  sql_bytes: 32 * MiB,
  /** The largest request body that the embedded engine reads. */
  body_bytes: 256 * MiB,

  /** Rows and bytes of one INSERT statement; longer batches are split. Far below the engine's block size, so that one statement is one block. */
  insert_rows: 60_000,
  insert_bytes: 48 * MiB,
  insert_seconds: 60,
  /** After this long an insert whose sender was killed has ended. */
  insert_settled_seconds: 75,

  /** How long a query waits for an engine that cannot be reached. */
  wait_ms: 15_000,
  /** How long a request waits for its turn among other queries or inserts, and behind how many. */
  turn_ms: 2_000,
  turn_waiting: 16,
  /** A query that has no response for so long is told from one whose store hangs, by a ping. Only where requests wait for it. */
  ping_after_ms: 1_000,
  /** How long the response to that ping may take; and to a further one, once there was none. */
  ping_ms: 2_000,
  ping_again_ms: 500,
  /** How long a new engine may take to open the store; longer on a busy machine. */
  engine_start_ms: 60_000,
  engine_stop_ms: 5_000,
  engine_heartbeat_ms: 500,
  /** An engine that neither responds nor works on a response for so long hangs; longer on a busy machine. */
  engine_silence_ms: 2_000,
  /** An engine that does not respond for so long hangs, whatever it does. */
  engine_silence_max_ms: 30_000,
  /** How long to wait for an engine that another process is starting, or that is just ending; longer on a busy machine. */
  engine_attach_ms: 10_000,
  /** An engine that ran for longer than this is restarted at once, others with exponential backoff. */
  engine_short_lived_ms: 2_000,
  engine_restart_ms: 200,
  engine_restart_max_ms: 5_000,
  /** When SELECT 1 takes longer than this, the engine hangs although its HTTP server responds. */
  engine_probe_ms: 10_000,

  /** Lines read to estimate a file's size. */
  estimate_lines: 1000,
} as const

/** Money columns: Decimal(18,8). Five amounts of this size still add up inside the type; sums over records are Decimal(38,8). */
export const MONEY = { places: 8, pattern: /^-?\d{1,9}(?:\.\d{1,8})?$/ } as const

/** The range of DateTime64(3). */
export const TIME = {
  first: Date.UTC(1900, 0, 1),
  last: Date.UTC(2299, 11, 31, 23, 59, 59, 999),
} as const

export const UINT16_MAX = 65_535
export const UINT32_MAX = 4_294_967_295
export const UINT64_MAX = 18_446_744_073_709_551_615n

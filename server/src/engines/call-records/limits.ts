/** Every limit of the call-record store. Units are in the names. */

const MiB = 1024 * 1024

export const LIMITS = {
  /**
   * Memory limit of the embedded engine. It is soft: exports used up to 1.7 times as much. A server at CLICKHOUSE_URL has its
   * own limit.
   */
  engine_memory_bytes: 1500 * MiB,
  mark_cache_bytes: 64 * MiB,
  /** Restarts an idle engine above this resident memory, because its allocator returns little to the system. */
  engine_idle_rss_bytes: 1200 * MiB,
  /** Idle time before that restart. */
  engine_idle_ms: 10_000,

  /** Per query. Sorting and grouping spill to disk at a quarter of this. */
  query_memory_bytes: 600 * MiB,
  /** Records that an export sorts at a time, about 150 MiB. */
  slice_rows: 250_000,
  /** Slices per export that the store processes at a time, and complete slices waiting to be read. */
  slices: 2,
  slices_complete: 2,
  /** Buckets counted in one query to divide a time range. */
  slice_buckets: 4096,
  /** 1.5 times as fast as level 6 for 10 % more bytes (measured on call records with the engine's zlib-ng). */
  gzip_level: 3,
  /** Chunk size for decompression when counting lines; a third faster than Node's 16 KiB. */
  gunzip_bytes: 256 * 1024,
  zstd_level: 3,
  /** Records of one Parquet file of a backup: about 15 MB, which an insert holds in memory. */
  archive_rows: 250_000,
  archive_seconds: 600,
  query_seconds: 120,
  /** Generous, because an export lasts as long as its reader takes. */
  export_seconds: 6 * 3600,
  /** Concurrent exports per process, and in the embedded engine for all processes together. */
  exports: 2,
  /** Attempts of `export` when records in its range change during the export. */
  export_attempts: 5,
  /** Other concurrent queries in the embedded engine; more wait. */
  engine_queries: 4,
  /** libuv threads of the embedded engine: one for each concurrent query, one for control, the rest for files. */
  engine_threads: 12,
  /** Maximum SQL length. Filters with thousands of numbers are long. */
  sql_bytes: 32 * MiB,
  /** Maximum request body of the embedded engine. */
  body_bytes: 256 * MiB,

  /** Rows and bytes of one INSERT; longer batches are split. Below the engine's block size, so one statement is one block. */
  insert_rows: 60_000,
  insert_bytes: 48 * MiB,
  insert_seconds: 60,
  /** How long an insert waits for a quorum of the replicas. */
  quorum_seconds: 55,
  /** Records and bytes of one Parquet file outside the store. Statements have the file as a literal, with two digits for each byte. */
  cold_file_rows: 100_000,
  cold_file_bytes: 12 * MiB,
  /** How long a statement of the schema waits for all servers of a cluster. */
  ddl_seconds: 50,
  /** After this time, an insert whose sender was killed has ended. */
  insert_settled_seconds: 75,
  /** How long after its claim a record may be sent, so that the insert ends within that time. */
  claim_seconds: 10,
  /** Records that an insert works on before it yields to the event loop: a few milliseconds, so other requests are not delayed. */
  turn_rows: 10_000,
  /** Placements of accounts that are copied to the shards in one statement. */
  placements_at_once: 10_000,
  /** Records or claims, and bytes, that are copied to another store at a time: fewer records if they are long. */
  transfer_rows: 50_000,
  transfer_bytes: 96 * MiB,
  /** Claims that are compared between two stores at a time. */
  transfer_claims: 1_000_000,
  /** How often an insert that waits for another to end looks again. */
  settle_poll_ms: 500,

  /** How long a check of a server at start may take. */
  check_ms: 20_000,
  /** How long a query waits for an unreachable engine. */
  wait_ms: 15_000,
  /** How long a request waits for its turn, and how many may wait. */
  turn_ms: 2_000,
  turn_waiting: 16,
  /** After this time without a response, a ping checks whether the store hangs. Only for requests. */
  ping_after_ms: 1_000,
  /** Timeout of that ping, and of later pings after one timed out. */
  ping_ms: 2_000,
  ping_again_ms: 500,
  /** A new engine that does nothing for this long hangs. Opening the store may take any time. */
  engine_start_idle_ms: 60_000,
  engine_stop_ms: 5_000,
  engine_heartbeat_ms: 500,
  /** An engine that neither responds nor works for this long hangs; longer on a busy machine. */
  engine_silence_ms: 2_000,
  /** An engine that does not respond for this long hangs, even if it works. */
  engine_silence_max_ms: 30_000,
  /** How long to wait for an engine that another process is starting or stopping; longer on a busy machine. */
  engine_attach_ms: 10_000,
  /** An engine that ran longer than this is restarted immediately, others with exponential backoff. */
  engine_short_lived_ms: 2_000,
  engine_restart_ms: 200,
  engine_restart_max_ms: 5_000,
  /** If SELECT 1 takes longer than this, the engine hangs even if its HTTP server responds. */
  engine_probe_ms: 10_000,
  /** The embedded engine begins no insert and no merge that would leave less space on its disk. */
  engine_free_bytes: 64 * MiB,
  /** An insert after which the disk has less space is not acknowledged, because it may be incomplete. */
  engine_full_bytes: 16 * MiB,
  engine_free_check_ms: 250,

  /** Lines read to estimate a file's size. */
  estimate_lines: 1000,
} as const

/** Money columns: Decimal(18,8). The sum of five amounts fits the type; sums over records are Decimal(38,8). */
export const MONEY = { places: 8, pattern: /^-?\d{1,9}(?:\.\d{1,8})?$/ } as const

/** The range of DateTime64(3). */
export const TIME = {
  first: Date.UTC(1900, 0, 1),
  last: Date.UTC(2299, 11, 31, 23, 59, 59, 999),
} as const

export const UINT16_MAX = 65_535
export const UINT32_MAX = 4_294_967_295
export const UINT64_MAX = 18_446_744_073_709_551_615n

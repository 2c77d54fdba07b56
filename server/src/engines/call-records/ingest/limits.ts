/** Every limit of the bulk ingest. */

const MiB = 1024 * 1024

export const LIMITS = {
  /** One line, or one CSV record with the line breaks in its quoted cells. Only the line that is longer is rejected. */
  line_bytes: MiB,
  /** Bytes that are split into lines and checked synchronously: about 3 ms, so that other requests of the process are not delayed. */
  chunk_bytes: 64 * 1024,
  /** Yields to the event loop after this much work. */
  slice_ms: 8,

  /** Size of one insert. At most two batches are in memory: one being inserted, one being filled. */
  batch_rows: 10_000,
  batch_bytes: 8 * MiB,
  /** A batch older than this is inserted with the next record, so that a slow sender loses little when the connection breaks. */
  batch_ms: 1_000,

  /** Rejected lines that are listed with their errors; the rest are only counted. */
  errors: 100,
  /** Unknown fields that are listed for one line. */
  unknown_fields: 20,
  /** Accounts cached as existing or not in one request. */
  accounts: 100_000,

  /** How long a batch is retried while the store is unavailable. Each attempt waits for the store as well. */
  unavailable_ms: 30_000,
  retry_ms: 250,
  retry_max_ms: 2_000,

  /** 32 MiB: the window of one zstd body. Enough for every level of zstd except --ultra and --long. */
  zstd_window_log: 25,

  id_chars: 255,
  text_chars: 1024,
  tags: 100,
  tag_chars: 255,
} as const

/** Every limit of the bulk ingest. */

const MiB = 1024 * 1024

export const LIMITS = {
  /** One line, or one CSV record with the line breaks in its quoted cells. Only the line that is longer is rejected. */
  line_bytes: MiB,
  /** Bytes that are split into lines and checked synchronously: about 3 ms, so that other requests of the process are not delayed. */
  chunk_bytes: 64 * 1024,
  /** Yields to the event loop after this much work, which is measured after so many lines: those that are refused take longest. */
  slice_ms: 8,
  slice_lines: 256,

  /**
   * How far a compressed body may unpack, and how many lines it may have for each byte received: beyond that it is a decompression bomb.
   * Generated records, alike but for their ids, unpack to 300 times their size and have one line a byte; those of switches a tenth of that.
   */
  unpacked_ratio: 1000,
  unpacked_bytes_free: 16 * MiB,
  lines_per_byte: 4,
  lines_free: 10_000,

  /** Size of one insert. At most three batches are in memory: one being inserted, one waiting for it, one being filled. */
  batch_rows: 30_000,
  batch_bytes: 16 * MiB,
  /** The same while no other of the body is being inserted: the store begins early, and gets more at a time where it is slower. */
  batch_rows_idle: 10_000,
  /** A batch older than this is inserted with the next record, so that a slow sender loses little when the connection breaks. */
  batch_ms: 1_000,

  /** Rejected lines that are listed with their errors; the rest are only counted. */
  errors: 100,
  /** What is kept of the refused lines of one body, with their errors. */
  refused_bytes: 4 * MiB,
  /** Unknown fields that are listed for one line. */
  unknown_fields: 20,
  /** Accounts cached as existing or not in one request. */
  accounts: 100_000,

  /** How long a batch is retried while the store is unavailable. Each attempt waits for the store as well. */
  unavailable_ms: 30_000,
  /** The same while nothing is stored yet: the sender of a body of which nothing is stored learns it soon, and sends all of it again. */
  first_unavailable_ms: 1_000,
  retry_ms: 250,
  retry_max_ms: 2_000,

  /** 32 MiB: the window of one zstd body. Enough for every level of zstd except --ultra and --long. */
  zstd_window_log: 25,

  id_chars: 255,
  text_chars: 1024,
  tags: 100,
  tag_chars: 255,
} as const

/** Every limit of the bulk ingest. */

const MiB = 1024 * 1024

export const LIMITS = {
  /** One line, or one CSV record with the line breaks in its quoted cells. Only a longer line is rejected. */
  line_bytes: MiB,
  /** Bytes that are split into lines and checked synchronously: about 3 ms, so that other requests are not delayed. */
  chunk_bytes: 64 * 1024,
  /**
   * Yields to the event loop after this much work. The time is measured after this many lines, because rejected lines take
   * longest.
   */
  slice_ms: 8,
  slice_lines: 256,

  /**
   * Limits for decompression bombs: how far a compressed body may unpack, and how many lines it may have per byte received.
   * Generated records that differ only in their ids unpack to 300 times their size with one line per byte; records of switches
   * unpack to a tenth of that.
   */
  unpacked_ratio: 1000,
  unpacked_bytes_free: 16 * MiB,
  lines_per_byte: 4,
  lines_free: 10_000,

  /** Size of one insert. At most three batches are in memory: one being inserted, one waiting for it, one being filled. */
  batch_rows: 30_000,
  batch_bytes: 16 * MiB,
  /**
   * The same while no other batch of the body is being inserted: the store starts early, and gets larger batches when it is
   * slower.
   */
  batch_rows_idle: 10_000,
  /** A batch older than this is inserted with the next record, so that a slow sender loses little if the connection breaks. */
  batch_ms: 1_000,

  /** Rejected lines listed with their errors; the rest are only counted. */
  errors: 100,
  /** Stored bytes of one body's rejected lines with their errors. */
  refused_bytes: 4 * MiB,
  /** Unknown fields listed for one line. */
  unknown_fields: 20,
  /** Lookups of accounts cached per request, whether they exist or not. */
  accounts: 100_000,

  /** How long a batch is retried while the store is unavailable. Each attempt waits for the store as well. */
  unavailable_ms: 30_000,
  /** The same before anything is stored, so that the sender learns of the failure early and sends the whole body again. */
  first_unavailable_ms: 1_000,
  retry_ms: 250,
  retry_max_ms: 2_000,

  /** 32 MiB: the window of one zstd body. Sufficient for every zstd level except --ultra and --long. */
  zstd_window_log: 25,

  id_chars: 255,
  text_chars: 1024,
  tags: 100,
  tag_chars: 255,
} as const

/** Every bound of the bulk ingest. */

const MiB = 1024 * 1024

export const LIMITS = {
  /** One line, or one CSV record with the line breaks in its quoted cells. A longer one is refused alone. */
  line_bytes: MiB,
  /** Bytes that are cut into lines and checked in one go: about 3 ms of work, so that other requests of the process need not wait. */
  piece_bytes: 64 * 1024,
  /** The event loop gets its turn after this much work. */
  slice_ms: 8,

  /** What one insert carries. Two batches are held at most: one that is written, one that fills. */
  batch_rows: 10_000,
  batch_bytes: 8 * MiB,
  /** A batch that has waited this long for more is written with the next record, so that a sender who drips loses little when cut off. */
  batch_ms: 1_000,

  /** Lines whose faults are answered; the rest are counted. */
  errors: 100,
  /** Fields not known that are named for one line. */
  unknown_fields: 20,
  /** Accounts remembered as known or unknown in one request. */
  accounts: 100_000,

  /** How long a batch is tried again while the store is away. Each try waits for the store by itself, too. */
  unavailable_ms: 30_000,
  retry_ms: 250,
  retry_max_ms: 2_000,

  /** 32 MiB: the memory that one zstd body may claim. Enough for every level of zstd but --ultra and --long. */
  zstd_window_log: 25,

  id_chars: 255,
  text_chars: 1024,
  tags: 100,
  tag_chars: 255,
} as const

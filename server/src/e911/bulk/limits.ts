/** Limits of bulk validations. The limit of rows is part of the API: `e911ValidationRows_max`. */
export const BULK = {
  /** The maximum number of rows at 640 bytes each. */
  bytes_max: 64_000_000,
  /** Validations of one account that may be queued or running. */
  processing_per_account: 10,
  /** Rows of one file validated concurrently: fewer than the database connections. */
  rows_at_once: 4,
  /** Attempts before a validation fails: about ten minutes of database downtime. */
  attempts: 12,
  /** A file that killed this many workers would kill the next one too. */
  attempts_without_end: 24,
  /** Characters of a line or record. A longer one means an unclosed quote, not an address. */
  record_max: 64 * 1024,
  /** Interval between progress updates. */
  progress_ms: 1000,
} as const

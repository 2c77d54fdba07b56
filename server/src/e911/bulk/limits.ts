/** Bulk validations. How many rows a file may have is in the interface: `e911ValidationRows_max`. */
export const BULK = {
  /** A file of all the rows that it may have, at 640 bytes each. */
  bytes_max: 64_000_000,
  /** Validations of one account that may wait or be worked on at once. */
  processing_per_account: 10,
  /** Rows of one file at once: fewer than the connections to the street data. */
  rows_at_once: 4,
  /** Attempts before a validation fails: about ten minutes of an unavailable database. */
  attempts: 12,
  /** A file whose work has ended this many workers would end the next one too. */
  attempts_without_end: 24,
  /** Characters of a line or record. A longer one means an unclosed quote, not an address. */
  record_max: 64 * 1024,
  /** How often progress is written. */
  progress_ms: 1000,
} as const

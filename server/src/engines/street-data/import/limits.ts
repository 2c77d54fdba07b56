/** What a file of street data may be. The largest there is, the National Address Database, stays far below each of these. */
export const IMPORT = {
  /** As sent over HTTP. Larger files go in by state, or from the command line. */
  upload_bytes_max: 20_000_000_000,
  /** Once unpacked. */
  unpacked_bytes_max: 200_000_000_000,
  /** Text packs ten- to thirtyfold. What is far beyond that was made to fill a disk; judged from so many bytes on. */
  unpacked_per_packed_max: 200,
  unpacked_unjudged_bytes: 1_000_000_000,
  rows_max: 500_000_000,
  /** Of one record, characters. A longer one means an unclosed quote or a file that is not of this format. */
  record_max: 1 << 20,
  columns_max: 2_000,
  /** Attempts before a file is given up: about half an hour of a database that is away. */
  attempts: 10,
  /** A file whose loading has ended this many workers would end the next one too. */
  attempts_without_end: 24,
} as const

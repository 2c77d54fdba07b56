/** Limits of a file of street data. The largest known, the National Address Database, is far below each of these. */
export const IMPORT = {
  /** As sent over HTTP. Larger files are sent state by state, or imported from the command line. */
  upload_bytes_max: 20_000_000_000,
  /** Once unpacked. */
  unpacked_bytes_max: 200_000_000_000,
  /** Text compresses ten- to thirtyfold. A ratio far beyond is a decompression bomb; it is checked from so many bytes on. */
  unpacked_ratio_max: 200,
  ratio_checked_from_bytes: 16_000_000,
  rows_max: 500_000_000,
  /** Of one record, characters. A longer one means an unclosed quote or a file that is not of this format. */
  record_max: 1 << 20,
  columns_max: 2_000,
  /** Attempts before a file fails: about half an hour of an unavailable database. */
  attempts: 10,
  /** Attempts in which the worker itself died: a file that killed this many workers would kill the next one too. */
  attempts_without_end: 24,
} as const

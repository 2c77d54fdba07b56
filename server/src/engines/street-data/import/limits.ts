/** Limits for a file of street data. The largest known, the National Address Database, is far below each limit. */
export const IMPORT = {
  /** For uploads over HTTP. Send larger files state by state, or import them from the command line. */
  upload_bytes_max: 20_000_000_000,
  /** Unpacked. */
  unpacked_bytes_max: 200_000_000_000,
  /** Text compresses ten- to thirtyfold; a far higher ratio is a decompression bomb. Checked beyond `ratio_checked_from_bytes`. */
  unpacked_ratio_max: 200,
  ratio_checked_from_bytes: 16_000_000,
  rows_max: 500_000_000,
  /** Characters of a record. A longer one means an unclosed quote or a file in another format. */
  record_max: 1 << 20,
  columns_max: 2_000,
  /** Characters of a GeoJSON feature; the boundary of a large park has a few hundred thousand. */
  feature_max: 8 << 20,
  json_depth_max: 64,
  /** Attempts before a file fails: about half an hour of database downtime. */
  attempts: 10,
  /** Attempts in which the worker died. A file that killed this many workers would kill the next one too. */
  attempts_without_end: 24,
} as const

/** Limits beyond which a dataset is held; shares are of rows, streets, or places. */
export const REPORT_LIMITS = {
  /** Rows with values that were not understood. */
  not_understood_share: 0.3,
  /** Rows whose state or city is far from their postal code. */
  contradicted_places_share: 0.01,
  /** Points or ranges on streets without a suffix, for example because the suffix column was not read. */
  without_suffix_share: 0.6,
  contradicted_parity_share: 0.2,
  /** Streets in places with little data. A few stray rows are normal. */
  thin_streets_share: 0.3,
  /** Relative to the replaced vintage. */
  streets_lost_share: 0.1,
  ranges_lost_share: 0.1,
  places_lost_share: 0.1,
  /** Below these counts, a share is meaningless. */
  rows_min: 100,
  streets_min: 20,
  places_min: 5,
} as const

/** If more rows are skipped, the file is in another format. */
export const SKIPPED_SHARE_MAX = 0.99

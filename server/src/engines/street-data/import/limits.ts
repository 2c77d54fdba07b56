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
  /** Of one GeoJSON feature, characters: the boundary of a large park has a few hundred thousand. */
  feature_max: 8 << 20,
  json_depth_max: 64,
  /** Attempts before a file fails: about half an hour of an unavailable database. */
  attempts: 10,
  /** Attempts in which the worker itself died: a file that killed this many workers would kill the next one too. */
  attempts_without_end: 24,
} as const

/** What holds back the activation of a dataset; shares are of rows, streets or places. */
export const REPORT_LIMITS = {
  /** Rows whose cells were not understood. */
  not_understood_share: 0.3,
  /** Of the points or ranges: their streets have no suffix, as when the column of suffixes was not read. */
  without_suffix_share: 0.6,
  contradicted_parity_share: 0.2,
  /** Streets in thin places; a few stray rows are usual. */
  thin_streets_share: 0.3,
  /** Of what the replaced vintage had. */
  streets_lost_share: 0.1,
  ranges_lost_share: 0.1,
  places_lost_share: 0.1,
  /** Fewer are too few for a share to mean anything. */
  rows_min: 100,
  streets_min: 20,
  places_min: 5,
} as const

/** A file of which so many rows are skipped is of another format than it was sent as. */
export const SKIPPED_SHARE_MAX = 0.99

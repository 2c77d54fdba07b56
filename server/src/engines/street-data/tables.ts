import type { ColumnType, Generated, GeneratedAlways } from 'kysely'
import type { Authority } from '../addresses/index.ts'

/** `held`: loaded, but only activated by force. `superseded`: the vintage before the active one. */
export type DatasetStatus = 'loading' | 'loaded' | 'held' | 'active' | 'superseded' | 'failed'
export type DatasetKind = 'range' | 'point'

/** Options for reading a file. */
export interface DatasetOptions {
  state?: string
  country?: string
  city?: string
  columns?: Record<string, string>
  layout?: Record<string, readonly [number, number]>
}

/** An uploaded file to load, and the options for reading it. */
export interface DatasetUpload extends DatasetOptions {
  sha256: string
  activate: boolean
  /** Activates it even if its report holds it. */
  force?: boolean
}

/** What an operator should review before activating a dataset. Shares are 0 to 1. */
export interface DatasetReport {
  /** Shares of the points or ranges whose street or place lacks this. */
  without: { suffix: number; direction: number; city: number; postal_code: number }
  /** Ranges by side of the street; in contradicted ranges, the end numbers are on the other side than the one they name. */
  parity: { odd: number; even: number; both: number; contradicted: number } | null
  columns: {
    /** Columns of the file that are not read. */
    not_read: string[]
    /** Cells with a literal NULL or N/A, read as empty, by column. */
    placeholders: Record<string, number>
  }
  /** Words that were read as suffixes. */
  suffixes: { country: string; written: string; taken_for: string; streets: number }[]
  places: { covered: number; partial: number; thin: number }
  /** The vintage that was active under this name when the dataset was loaded. */
  compared_with: Comparison | null
  /** Why it is held. */
  held: string[]
}

export interface Comparison {
  dataset_id: number
  vintage: string
  streets: { before: number; lost: number; gained: number }
  ranges: { before: number; after: number }
  /** `lost_names` has the first twenty. */
  places: { before: number; lost: number; gained: number; lost_names: string[] }
}

/** The counts of a loaded dataset. */
export interface LoadedCounts {
  streets: string
  ranges: string
  first_street: string | null
  last_street: string | null
}

export interface E911DatasetTable {
  id: GeneratedAlways<number>
  name: string
  vintage: string
  format: string
  kind: DatasetKind
  authority: Authority
  license: string
  source: string
  status: DatasetStatus
  failure: string | null
  rows_read: Generated<string>
  rows_skipped: Generated<string>
  skipped: ColumnType<Record<string, number>, string | undefined, string>
  streets: Generated<string>
  ranges: Generated<string>
  created_at: Date
  activated_at: Date | null
  upload: ColumnType<DatasetUpload | null, string | undefined, string | null>
  options: ColumnType<DatasetOptions, string, string>
  report: ColumnType<DatasetReport | null, string | undefined, string | null>
  /** 0 to 1; 1 is loaded. */
  progress: Generated<number>
  sha256: string | null
  first_street: string | null
  last_street: string | null
}

export interface E911StreetTable {
  id: GeneratedAlways<string>
  dataset_id: number
  country: string
  state: string
  postal: string
  city: string
  city_key: string
  city_derived: boolean
  label: string
  key: string
  /** Triples of low, high and parity (0 any, 1 odd, 2 even). */
  ranges: number[][] | null
  points: number[] | null
  /** Numbers that aren't digits only, and ranges with a prefix; see `ResolvedNumbers`. */
  others: string[] | null
  esn: string
  psap: string
}

export interface E911AreaTable {
  dataset_id: number
  country: string
  state: string
  postal: string
  city: string
  city_key: string
  city_derived: boolean
  streets: number
  complete: boolean
  numbers: Generated<string>
  share: number | null
  thin: Generated<boolean>
}

/** Dropped datasets whose streets are still being deleted in batches. */
export interface E911DroppedTable {
  dataset_id: number
  first_street: string | null
  last_street: string | null
}

export interface E911VersionTable {
  one: boolean
  version: string
}

declare module '../../platform/db.ts' {
  interface Database {
    e911_dataset: E911DatasetTable
    e911_street: E911StreetTable
    e911_area: E911AreaTable
    e911_dropped: E911DroppedTable
    e911_version: E911VersionTable
  }
}

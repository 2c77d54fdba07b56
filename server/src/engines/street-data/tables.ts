import type { e911Datasets } from '@demarc/client'
import type { ColumnType, Generated, GeneratedAlways } from 'kysely'
import type { Authority } from '../addresses/index.ts'

/** `held`: loaded, but only activated by force. `superseded`: the vintage before the active one. */
export type DatasetStatus = 'loading' | 'loaded' | 'held' | 'active' | 'superseded' | 'failed'
export type DatasetKind = 'range' | 'point'

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

export type DatasetReport = e911Datasets.E911DatasetReport
export type Comparison = NonNullable<DatasetReport['compared_with']>

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
  /** Its own spellings of suffixes: `US LA LN`. */
  suffixes: Generated<string[]>
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

import type { Authority } from '../../addresses/index.ts'
import type { DatasetKind } from '../tables.ts'
import type { Get, Layout } from './records.ts'

/** An address, or a range of numbers on one side of a street, as in the source. */
export interface SourceRow {
  /** Direction, type, and name in one text. */
  street: string
  /** A house number, or both ends of a range, as written; both empty for a street without numbers. */
  low: string
  high: string
  parity: Parity
  country: string
  state: string
  postal: string
  city: string
  /** Aliases of the place. */
  also: readonly string[]
  esn: string
  psap: string
}

/** `unknown`: the source has a code that isn't one of NENA's. */
export type Parity = 'any' | 'odd' | 'even' | 'unknown'

/** Receives the rows of a record: one for each side of a street, or each of its names. */
export interface Sink {
  row(row: Partial<SourceRow> & { street: string; low: string }): void
  /** A side, or the whole record if no row of it can be used. */
  skip(reason: SkipReason): void
  /** The county of the data, by five-digit FIPS code. Postal codes of other counties are incomplete in it. */
  county(fips: string): void
}

export const SKIP_REASONS = [
  'no street name',
  'no house number',
  'house number not understood',
  'no state',
  'no city and no postal code',
  'mail only',
  'too long',
  'marked as not in use',
  'not a record',
  'only one end of a range',
  'parity Z with a range',
] as const
export type SkipReason = (typeof SKIP_REASONS)[number]

/** Values that were left out although their row was loaded. */
export type ValueReason =
  | 'country not understood'
  | 'state not understood'
  | 'postal code not understood'
  | 'parity not understood'
  | 'parity contradicts the range'
  | 'unit in the street name'
  | 'other name of the city not usable'

/** The syntax of a file's records. `table` is CSV, dBASE, or GeoJSON, detected by the first bytes. */
export type Container = 'table' | 'fixed' | 'dbf' | 'lines'

export interface ReadOptions {
  /** Our column names → the file's, where they differ from the format's. */
  columns?: Record<string, string>
  /** Positions of the columns of fixed-width lines. */
  layout?: Layout
}

export interface Format {
  container: Container
  /** Extensions of files to take from a zip archive; the first one that any file has is used. */
  extensions: readonly string[]
  /** Names of those files, if archives of this format have other files with the same extension. */
  files?: RegExp
  kind: DatasetKind
  /** Default authority of datasets. */
  authority: Authority
  /** Maps one record to rows. */
  read(get: Get, sink: Sink): void
  layout?: Layout
  /** Every column that is read: our names → the usual headings, in lower case. */
  columns: Readonly<Record<string, string>>
  /** Groups of our column names; a file needs one column of each group. */
  required: readonly (readonly string[])[]
}

/** Columns whose usual headings equal our names. */
export function namedColumns(...names: readonly (string | readonly string[])[]): Record<string, string> {
  return Object.fromEntries(names.flat().map((name) => [name, name]))
}

/** Extensions of table files in archives, in order of preference. */
export const TABLE_EXTENSIONS = ['.csv', '.txt', '.dbf', '.geojson', '.geojsonl', '.jsonl', '.ndjson', '.json'] as const

export type { Get, Layout }

/** Joins the nonempty parts of a street. */
export function joined(...parts: string[]): string {
  return parts.filter((part) => part !== '').join(' ')
}

/** The first nonempty column. */
export function firstOf(get: Get, ...columns: string[]): string {
  for (const column of columns) {
    const value = get(column)
    if (value !== '') return value
  }
  return ''
}

/** What the ends of a range say about a side of a street. */
export type Ends = 'range' | 'no numbers' | 'only one end of a range'

/**
 * A range may begin at 0, although no house has that number: 0 to 98 is 2 to 98. Zero at both ends, or blank, is how schemas
 * write a side without numbers (NENA-STA-006).
 */
export function endsOf(from: string, to: string): Ends {
  if (isZeroOrBlank(from) && isZeroOrBlank(to)) return 'no numbers'
  return from === '' || to === '' ? 'only one end of a range' : 'range'
}

export function isZeroOrBlank(text: string): boolean {
  return /^0*(?:\.0+)?$/.test(text)
}

const PARITIES: Record<string, Parity> = { O: 'odd', E: 'even', B: 'any', M: 'any', A: 'any' }

/** `E` → even, `O` → odd, `B` and synonyms → any; without a code, the parity of both ends. */
export function parityOf(code: string, low: string, high: string): Parity {
  if (code === '') return parityOfEnds(low, high)
  return PARITIES[code.slice(0, 1).toUpperCase()] ?? 'unknown'
}

/** The parity of both ends; `any` if they differ. */
function parityOfEnds(low: string, high: string): Parity {
  const [a, b] = [Number(low.replace(/\D/g, '')), Number(high.replace(/\D/g, ''))]
  return a % 2 !== b % 2 ? 'any' : a % 2 === 1 ? 'odd' : 'even'
}

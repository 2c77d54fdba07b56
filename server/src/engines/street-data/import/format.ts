import type { Authority } from '../../addresses/index.ts'
import type { DatasetKind } from '../tables.ts'
import type { Get, Layout } from './records.ts'

/** One address, or one range of numbers on one side of a street, as in its source. */
export interface SourceRow {
  /** Direction, type and name in one text. */
  street: string
  /** A house number as written; for a range both ends; both empty for a street without numbers. */
  low: string
  high: string
  parity: Parity
  country: string
  state: string
  postal: string
  city: string
  /** Other names of the place. */
  also: readonly string[]
  esn: string
  psap: string
}

export type Parity = 'any' | 'odd' | 'even'

/** Receives the rows of a format. */
export interface Sink {
  row(row: Partial<SourceRow> & { street: string; low: string }): void
  skip(reason: SkipReason): void
  /** The county of the data, by its five-digit FIPS code: postal codes of other counties are incomplete in it. */
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
] as const
export type SkipReason = (typeof SKIP_REASONS)[number]

/** The syntax of a file's records. A table is CSV, a dBASE table or GeoJSON, detected by its first bytes. */
export type Container = 'table' | 'fixed' | 'dbf' | 'lines'

export interface ReadOptions {
  /** Our column names → the file's, where they differ from the format's own. */
  columns?: Record<string, string>
  /** Positions of the columns of fixed-width lines. */
  layout?: Layout
}

export interface Format {
  container: Container
  /** Extensions of the files that are taken from a zip archive; the first that any file has. */
  extensions: readonly string[]
  /** The names of those files, where archives of this format have others with the same extension. */
  files?: RegExp
  kind: DatasetKind
  /** Default of the dataset's authority. */
  authority: Authority
  /** Maps one record to rows. */
  read(get: Get, sink: Sink): void
  layout?: Layout
  /** Every column that is read: our names → the usual headings, in lower case. */
  columns: Readonly<Record<string, string>>
  /** Our names of columns, of each group of which a file has one. */
  required: readonly (readonly string[])[]
}

/** Columns whose usual headings are their names here. */
export function namedColumns(...names: readonly (string | readonly string[])[]): Record<string, string> {
  return Object.fromEntries(names.flat().map((name) => [name, name]))
}

/** Endings of the files of tables in archives, the first that any file has. */
export const TABLE_EXTENSIONS = ['.csv', '.txt', '.dbf', '.geojson', '.geojsonl', '.jsonl', '.ndjson', '.json'] as const

export type { Get, Layout }

/** Joins the parts of a street that are not empty. */
export function joined(...parts: string[]): string {
  return parts.filter((part) => part !== '').join(' ')
}

/** The first column that is not empty. */
export function firstOf(get: Get, ...columns: string[]): string {
  for (const column of columns) {
    const value = get(column)
    if (value !== '') return value
  }
  return ''
}

/** `E` → even, `O` → odd, `B` and anything else → any; without a code that of both ends. */
export function parityOf(code: string, low: string, high: string): Parity {
  if (code === '') return parityOfEnds(low, high)
  const letter = code.slice(0, 1).toUpperCase()
  return letter === 'O' ? 'odd' : letter === 'E' ? 'even' : 'any'
}

/** The parity of both ends; any when they differ. */
function parityOfEnds(low: string, high: string): Parity {
  const [a, b] = [Number(low.replace(/\D/g, '')), Number(high.replace(/\D/g, ''))]
  return a % 2 !== b % 2 ? 'any' : a % 2 === 1 ? 'odd' : 'even'
}

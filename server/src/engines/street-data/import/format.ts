import type { Authority } from '../../addresses/index.ts'
import type { DatasetKind } from '../tables.ts'
import type { Get, Layout, TakeRecord } from './records.ts'

/** One address, or one range of numbers on one side of a street, as its source has it. */
export interface SourceRow {
  /** All parts of the street in one text. */
  street: string
  /** A house number as written; for a range both ends; both empty for a street without numbers. */
  low: string
  high: string
  parity: Parity
  country: string
  state: string
  postal: string
  city: string
  /** Other names the place goes by. */
  also: readonly string[]
  esn: string
  psap: string
}

export type Parity = 'any' | 'odd' | 'even'

/** What a format hands its rows to. */
export interface Sink {
  row(row: Partial<SourceRow> & { street: string; low: string }): void
  skip(reason: SkipReason): void
  /** That the data is of one county, by its five digits of FIPS: a postal code that belongs to another reaches beyond it. */
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

/** How a file is taken apart into records. */
export type Container = 'csv' | 'json' | 'fixed' | 'dbf' | 'lines'

export interface ReadOptions {
  /** Our column names → the file's, where they differ from the format's own. */
  columns?: Record<string, string>
  /** Positions of the columns of fixed-width lines. */
  layout?: Layout
}

export interface Format {
  container: Container
  /** Endings of the files that are taken from a zip archive; the first that any has. */
  extensions: readonly string[]
  /** What those files are called, where archives of this format hold others with the same ending. */
  files?: RegExp
  kind: DatasetKind
  /** What the data is unless the operator says otherwise. */
  authority: Authority
  /** Turns one record into rows. */
  read(get: Get, sink: Sink): void
  layout?: Layout
  /** Our names for the columns of a format whose files name them as they please → the usual names. */
  columns?: Record<string, string>
}

export type { Get, Layout, TakeRecord }

/** Joins the parts of a street that are there. */
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

/** `E` → even, `O` → odd, `B` and anything else → any. */
export function parityOf(code: string): Parity {
  const letter = code.slice(0, 1).toUpperCase()
  return letter === 'O' ? 'odd' : letter === 'E' ? 'even' : 'any'
}

/** The parity that both ends share; any when they differ, or when one is no plain number. */
export function parityOfEnds(low: string, high: string): Parity {
  const [a, b] = [Number(low.replace(/\D/g, '')), Number(high.replace(/\D/g, ''))]
  return a % 2 !== b % 2 ? 'any' : a % 2 === 1 ? 'odd' : 'even'
}

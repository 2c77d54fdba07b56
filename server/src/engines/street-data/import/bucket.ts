import type { DatasetKind } from '../tables.ts'
import type { ResolvedNumbers } from './resolve.ts'

/** The numbers of a street on one line. */
export interface BufferedNumbers {
  /** Points, or lows, highs and parities in turn. */
  plain: number[]
  /** Numbers that aren't digits only, see `ResolvedNumbers`. */
  others: Set<string>
}

/** Approximate characters that a number and a range add to a line. */
const NUMBER_LENGTH = { point: 5, range: 14 } as const

/**
 * Buffers lines for a staging table and merges the numbers of a street into one line. The rows of a street are usually close
 * together in a file, and one line per row would be much more for the database to store and sort.
 */
export class Bucket {
  /** Approximate characters of the lines. */
  length = 0

  readonly #kind: DatasetKind
  /** By all columns of a street but its numbers. */
  readonly #streets = new Map<string, BufferedNumbers>()

  constructor(kind: DatasetKind) {
    this.#kind = kind
  }

  /** The buffered numbers of a street, for `add`. `columns` are all other columns in COPY's text format. */
  street(columns: string): BufferedNumbers {
    const existing = this.#streets.get(columns)
    if (existing) return existing
    const numbers = { plain: [], others: new Set<string>() }
    this.#streets.set(columns, numbers)
    this.length += columns.length + NUMBER_LENGTH[this.#kind]
    return numbers
  }

  add({ plain, others: known }: BufferedNumbers, { low, high, parity, others }: ResolvedNumbers): void {
    if (others) for (const text of others) known.add(text)
    else if (this.#kind === 'point') plain.push(low)
    else plain.push(low, high, parity)
    this.length += NUMBER_LENGTH[this.#kind]
  }

  /** Returns the lines in COPY's text format and clears the buffer. */
  take(): string {
    const written = this.#kind === 'point' ? points : ranges
    const lines: string[] = []
    for (const [columns, { plain, others }] of this.#streets)
      lines.push(columns, plain.length === 0 ? '\\N' : written(plain), '\t', texts(others), '\n')
    this.#streets.clear()
    this.length = 0
    return lines.join('')
  }
}

/** Distinct: `"12B","87-15"`. They contain no quotes or backslashes. */
function texts(others: ReadonlySet<string>): string {
  return others.size === 0 ? '\\N' : [...others].map((text) => `"${text}"`).join(',')
}

/** Ascending and distinct: `12,14`. */
function points(numbers: number[]): string {
  numbers.sort((a, b) => a - b)
  return numbers.filter((n, i) => n !== numbers[i - 1]).join(',')
}

/** Ascending and distinct: `{101,199,1},{100,198,2}`. */
function ranges(numbers: number[]): string {
  const triples: [number, number, number][] = []
  for (let i = 0; i < numbers.length; i += 3) triples.push([numbers[i] ?? 0, numbers[i + 1] ?? 0, numbers[i + 2] ?? 0])
  triples.sort((a, b) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2])
  const texts = triples.map(([low, high, parity]) => `{${low},${high},${parity}}`)
  return texts.filter((text, i) => text !== texts[i - 1]).join(',')
}

import type { DatasetKind } from '../tables.ts'

/** What a number and a range add to a line, about, characters. */
const NUMBER_LENGTH = { point: 5, range: 14 } as const

/**
 * Lines for a staging table. What a file says of a street mostly stands close together, so it is put into one line as far
 * as it is in here: a line each would have to be sent, stored and sorted only to be put together afterwards.
 */
export class Bucket {
  /** Of the lines, about, characters. */
  length = 0

  readonly #kind: DatasetKind
  /** All columns of a street but its numbers → points, or lows, highs and parities in turn. */
  readonly #streets = new Map<string, number[]>()

  constructor(kind: DatasetKind) {
    this.#kind = kind
  }

  /** The numbers of a street so far, to be added to by `add`. `columns` are all columns but that of the numbers, ready to be sent. */
  street(columns: string): number[] {
    const known = this.#streets.get(columns)
    if (known) return known
    const numbers: number[] = []
    this.#streets.set(columns, numbers)
    this.length += columns.length + NUMBER_LENGTH[this.#kind]
    return numbers
  }

  add(numbers: number[], low: number, high: number, parity: number): void {
    if (this.#kind === 'point') numbers.push(low)
    else numbers.push(low, high, parity)
    this.length += NUMBER_LENGTH[this.#kind]
  }

  /** The lines, in COPY's text format; it is empty afterwards. */
  take(): string {
    const written = this.#kind === 'point' ? points : ranges
    const lines: string[] = []
    for (const [columns, numbers] of this.#streets)
      lines.push(columns, numbers.length === 0 ? '\\N' : written(numbers), '\n')
    this.#streets.clear()
    this.length = 0
    return lines.join('')
  }
}

/** Ascending, each once: `12,14`. */
function points(numbers: number[]): string {
  numbers.sort((a, b) => a - b)
  return numbers.filter((n, i) => n !== numbers[i - 1]).join(',')
}

/** Ascending, each once: `{101,199,1},{100,198,2}`. */
function ranges(numbers: number[]): string {
  const triples: [number, number, number][] = []
  for (let i = 0; i < numbers.length; i += 3) triples.push([numbers[i] ?? 0, numbers[i + 1] ?? 0, numbers[i + 2] ?? 0])
  triples.sort((a, b) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2])
  const texts = triples.map(([low, high, parity]) => `{${low},${high},${parity}}`)
  return texts.filter((text, i) => text !== texts[i - 1]).join(',')
}

/**
 * Columns in ClickHouse's Native format (https://clickhouse.com/docs/interfaces/formats/Native). The engine copies them into a part, where it
 * would parse text for longer than it sorts, compresses and writes it.
 */

import { Bytes } from './bytes.ts'

/** One column of a block, row by row. */
export interface Column {
  /** Bytes in use. */
  readonly size: number
  /** Appends a row of another column of the same kind. */
  appendFrom(other: this, row: number): void
  /** As the format has them; valid until the column is cleared. */
  bytes: () => Buffer[]
  /** Removes all rows, and keeps the memory. */
  clear: () => void
}

export type NamedColumn = { name: string; type: string; column: Column }

/** A block of the format. Several, one after the other, are one INSERT. */
export function encodeBlock(columns: readonly NamedColumn[], rows: number): Buffer[] {
  const header = new Bytes()
  header.addVarint(columns.length)
  header.addVarint(rows)
  const block = [header.used()]
  for (const { name, type, column } of columns) {
    const heading = new Bytes()
    heading.addText(name)
    heading.addText(type)
    block.push(heading.used(), ...column.bytes())
  }
  return block
}

const UINT32_VALUES = 2 ** 32

abstract class FixedColumn implements Column {
  protected readonly values = new Bytes()
  readonly #width: number

  constructor(width: number) {
    this.#width = width
  }

  get size(): number {
    return this.values.length
  }

  appendFrom(other: this, row: number): void {
    this.values.add(other.values, row * this.#width, (row + 1) * this.#width)
  }

  bytes(): Buffer[] {
    return [this.values.used()]
  }

  clear(): void {
    this.values.clear()
  }
}

/** `UInt32`. */
export class UInt32Column extends FixedColumn {
  constructor() {
    super(4)
  }

  append(value: number): void {
    this.values.addUInt32(value)
  }
}

/** `Bool`. */
export class BoolColumn extends FixedColumn {
  constructor() {
    super(1)
  }

  append(value: boolean): void {
    this.values.addUInt8(value ? 1 : 0)
  }
}

/** Integers of 64 bits, and what is stored as such: `DateTime64`, `Decimal(18, …)`. */
export class Int64Column extends FixedColumn {
  constructor() {
    super(8)
  }

  /** A safe integer. */
  append(value: number): void {
    const high = Math.floor(value / UINT32_VALUES)
    this.appendHalves(high, value - high * UINT32_VALUES)
  }

  appendExact(value: bigint): void {
    const low = BigInt.asUintN(32, value)
    this.appendHalves(Number((value - low) >> 32n), Number(low))
  }

  appendHalves(high: number, low: number): void {
    this.values.addUInt32(low)
    this.values.addUInt32(high)
  }

  at(row: number): bigint {
    return this.values.int64At(row * 8)
  }

  low(row: number): number {
    return this.values.uint32At(row * 8)
  }

  high(row: number): number {
    return this.values.uint32At(row * 8 + 4)
  }
}

/** `Nullable(UInt16)`. */
export class NullableUInt16Column implements Column {
  readonly #nulls = new Bytes()
  readonly #values = new Bytes()

  get size(): number {
    return this.#nulls.length + this.#values.length
  }

  append(value: number | null): void {
    this.#nulls.addUInt8(value === null ? 1 : 0)
    this.#values.addUInt16(value ?? 0)
  }

  appendFrom(other: this, row: number): void {
    this.#nulls.add(other.#nulls, row, row + 1)
    this.#values.add(other.#values, row * 2, row * 2 + 2)
  }

  bytes(): Buffer[] {
    return [this.#nulls.used(), this.#values.used()]
  }

  clear(): void {
    this.#nulls.clear()
    this.#values.clear()
  }
}

/** `String`. */
export class TextColumn implements Column {
  readonly #texts = new Bytes()
  /** Where each ends. */
  readonly #ends = new Bytes()

  get size(): number {
    return this.#texts.length + this.#ends.length
  }

  append(value: string): void {
    this.#texts.addText(value)
    this.#ends.addUInt32(this.#texts.length)
  }

  appendFrom(other: this, row: number): void {
    this.#texts.add(other.#texts, other.#start(row), other.#end(row))
    this.#ends.addUInt32(this.#texts.length)
  }

  at(row: number): string {
    const [start, end] = [this.#start(row), this.#end(row)]
    // the length before the text has a byte for every seven bits
    let prefix = 1
    while (2 ** (7 * prefix) <= end - start - prefix) prefix += 1
    return this.#texts.text(start + prefix, end)
  }

  bytes(): Buffer[] {
    return [this.#texts.used()]
  }

  clear(): void {
    this.#texts.clear()
    this.#ends.clear()
  }

  #start(row: number): number {
    return row === 0 ? 0 : this.#end(row - 1)
  }

  #end(row: number): number {
    return this.#ends.uint32At(row * 4)
  }
}

/** `Array(String)`. */
export class TextsColumn implements Column {
  readonly #texts = new TextColumn()
  readonly #ends = new Int64Column()
  #count = 0

  get size(): number {
    return this.#texts.size + this.#ends.size
  }

  append(values: readonly string[]): void {
    for (const value of values) this.#texts.append(value)
    this.#count += values.length
    this.#ends.append(this.#count)
  }

  appendFrom(other: this, row: number): void {
    for (let at = row === 0 ? 0 : other.#ends.low(row - 1); at < other.#ends.low(row); at += 1) {
      this.#texts.appendFrom(other.#texts, at)
      this.#count += 1
    }
    this.#ends.append(this.#count)
  }

  bytes(): Buffer[] {
    return [...this.#ends.bytes(), ...this.#texts.bytes()]
  }

  clear(): void {
    this.#texts.clear()
    this.#ends.clear()
    this.#count = 0
  }
}

/** A dictionary with keys of its own, written anew in every block, and how wide its indexes are: bits of the format. */
const SHARED_DICTIONARIES = 1
const OWN_KEYS = 2 ** 9 + 2 ** 10

/** `LowCardinality(String)`. */
export class DictionaryColumn implements Column {
  readonly #keys = new TextColumn()
  readonly #indexes = new Bytes()
  readonly #index = new Map<string, number>()
  /** The last value: neighbours are often alike. */
  #last = { text: '', index: -1 }

  get size(): number {
    return this.#keys.size + this.#indexes.length
  }

  append(value: string): void {
    if (this.#last.index < 0 || value !== this.#last.text) this.#last = { text: value, index: this.#indexOf(value) }
    this.#indexes.addUInt32(this.#last.index)
  }

  appendFrom(other: this, row: number): void {
    this.append(other.#keys.at(other.#indexes.uint32At(row * 4)))
  }

  bytes(): Buffer[] {
    const rows = this.#indexes.length / 4
    const keys = this.#index.size
    const indexes = new Bytes()
    const width = keys <= 2 ** 8 ? 0 : keys <= 2 ** 16 ? 1 : 2
    for (let row = 0; row < rows; row += 1) {
      const index = this.#indexes.uint32At(row * 4)
      if (width === 0) indexes.addUInt8(index)
      else if (width === 1) indexes.addUInt16(index)
      else indexes.addUInt32(index)
    }
    const prefix = new Int64Column()
    for (const each of [SHARED_DICTIONARIES, OWN_KEYS + width, keys]) prefix.append(each)
    const count = new Int64Column()
    count.append(rows)
    return [...prefix.bytes(), ...this.#keys.bytes(), ...count.bytes(), indexes.used()]
  }

  clear(): void {
    this.#keys.clear()
    this.#indexes.clear()
    this.#index.clear()
    this.#last = { text: '', index: -1 }
  }

  #indexOf(value: string): number {
    const found = this.#index.get(value)
    if (found !== undefined) return found
    const index = this.#index.size
    this.#index.set(value, index)
    this.#keys.append(value)
    return index
  }
}

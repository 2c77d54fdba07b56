/**
 * Columns in ClickHouse's Native format (https://clickhouse.com/docs/interfaces/formats/Native). The engine copies them into a part, where it
 * would parse text for longer than it sorts, compresses and writes it.
 */

import { Bytes, type Memory } from './bytes.ts'

/** One column of a block, row by row. */
export interface Column {
  /** Bytes in use. */
  readonly size: number
  /** Appends a row of another column of the same kind. */
  appendFrom(other: this, row: number): void
  /** As the format has them; valid until the column is cleared. */
  bytes: () => Buffer[]
  /** Removes all rows. */
  clear: (memory: Memory) => void
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

  clear(memory: Memory): void {
    this.values.clear(memory)
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

  clear(memory: Memory): void {
    this.#nulls.clear(memory)
    this.#values.clear(memory)
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

  /** Characters of ASCII. */
  appendAscii(source: Uint8Array, from: number, to: number): void {
    this.#texts.addAscii(source, from, to)
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

  /** Whether the text of the row, which is short, is this one. */
  isAt(row: number, source: Uint8Array, from: number, to: number): boolean {
    return this.#texts.hasShort(this.#start(row), source, from, to)
  }

  bytes(): Buffer[] {
    return [this.#texts.used()]
  }

  clear(memory: Memory): void {
    this.#texts.clear(memory)
    this.#ends.clear(memory)
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

  /** The texts between these places. */
  appendAscii(source: Uint8Array, { count, from, to }: { count: number; from: Int32Array; to: Int32Array }): void {
    for (let at = 0; at < count; at += 1) this.#texts.appendAscii(source, from[at] ?? 0, to[at] ?? 0)
    this.#count += count
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

  clear(memory: Memory): void {
    this.#texts.clear(memory)
    this.#ends.clear(memory)
    this.#count = 0
  }
}

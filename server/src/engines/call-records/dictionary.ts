/** The column of text with few distinct values, in ClickHouse's Native format. */

import { Bytes, SHORT_CHARS, type Memory } from './bytes.ts'
import { Int64Column, TextColumn, type Column } from './native.ts'

/** A dictionary with keys of its own, written anew in every block, and how wide its indexes are: bits of the format. */
const SHARED_DICTIONARIES = 1
const OWN_KEYS = 2 ** 9 + 2 ** 10

/** How many keys are found by their bytes; a power of two. */
const FOUND = 1024

/** `LowCardinality(String)`. */
export class DictionaryColumn implements Column {
  readonly #keys = new TextColumn()
  readonly #indexes = new Bytes()
  readonly #index = new Map<string, number>()
  /** The last value: neighbors are often alike. */
  #last = { text: '', index: -1 }
  /** Of keys that were appended as bytes, where their hash says: one more than their index. */
  readonly #found = new Int32Array(FOUND)

  get size(): number {
    return this.#keys.size + this.#indexes.length
  }

  append(value: string): void {
    if (this.#last.index < 0 || value !== this.#last.text) this.#last = { text: value, index: this.#indexOf(value) }
    this.#indexes.addUInt32(this.#last.index)
  }

  /** Characters of ASCII. */
  appendAscii(source: Uint8Array, from: number, to: number): void {
    let hash = to - from
    for (let at = from; at < to; at += 1) hash = (Math.imul(hash, 31) + (source[at] ?? 0)) | 0
    const place = (hash ^ (hash >>> 15)) & (FOUND - 1)
    let index = (this.#found[place] ?? 0) - 1
    if (index < 0 || to - from > SHORT_CHARS || !this.#keys.isAt(index, source, from, to)) {
      index = this.#indexOf(Buffer.from(source.buffer, source.byteOffset + from, to - from).toString('latin1'))
      this.#found[place] = index + 1
    }
    this.#indexes.addUInt32(index)
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

  clear(memory: Memory): void {
    this.#keys.clear(memory)
    this.#indexes.clear(memory)
    this.#index.clear()
    this.#found.fill(0)
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

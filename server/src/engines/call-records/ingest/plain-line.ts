/**
 * A line of NDJSON as nearly all senders write it, read from its bytes without making text or objects of them, in a third of the time. It
 * accepts no line that the general way (reader.ts, record.ts) would refuse, and leaves to that whatever is uncommon: escapes, characters
 * beyond ASCII, and all that is wrong. Pure.
 */

import { FIELD_NAMES, type FieldName } from './fields.ts'
import { LIMITS } from './limits.ts'

/** What a field has. */
export const ABSENT = 0
export const TEXT = 1
export const NUMBER = 2
export const LIST = 3

/** Where each field is in the tables of a line. */
export const AT = Object.fromEntries(FIELD_NAMES.map((name, at) => [name, at])) as Readonly<Record<FieldName, number>>

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_LIST = 0x5b
const CLOSE_LIST = 0x5d
const OPEN = 0x7b
const CLOSE = 0x7d

/** Characters of a text that stand for themselves. */
const PLAIN = table((code) => code >= 0x20 && code < 0x7f && code !== QUOTE && code !== 0x5c)
const SPACE = table((code) => code === 0x20 || code === 0x09 || code === 0x0d)
const OF_NUMBER = table((code) => (code >= 0x30 && code <= 0x39) || code === 0x2d || code === 0x2e)

/** Each name with the quote that ends it. */
const KEYS = FIELD_NAMES.map((name) => Buffer.from(`${name}"`))
const NULL = Buffer.from('null')
const NOWHERE = -1

export class PlainLine {
  bytes: Buffer = Buffer.alloc(0)
  readonly kind = new Uint8Array(FIELD_NAMES.length)
  readonly from = new Int32Array(FIELD_NAMES.length)
  readonly to = new Int32Array(FIELD_NAMES.length)
  tags = 0
  readonly tag_from = new Int32Array(LIMITS.tags)
  readonly tag_to = new Int32Array(LIMITS.tags)
  /** The fields in the order in which the last line had them: the next one mostly has the same. */
  readonly #order = FIELD_NAMES.map((_name, at) => at)

  /** Whether it is one object of known fields, each once, with plain values. */
  scan(bytes: Buffer, from: number, to: number): boolean {
    this.bytes = bytes
    this.kind.fill(ABSENT)
    this.from.fill(0)
    this.to.fill(0)
    this.tags = 0
    if (bytes[from] !== OPEN) return false
    let seen = 0
    let at = this.#skip(from + 1)
    for (let place = 0; place < FIELD_NAMES.length; place += 1) {
      if (bytes[at] !== QUOTE) return false
      const field = this.#fieldAt(at + 1, place)
      if (field === NOWHERE || (seen & (1 << field)) !== 0) return false
      seen |= 1 << field
      at = this.#skip(at + 1 + (KEYS[field]?.length ?? 0))
      if (bytes[at] !== COLON) return false
      at = this.#value(field, this.#skip(at + 1))
      if (at === NOWHERE) return false
      at = this.#skip(at)
      if (bytes[at] === CLOSE) return this.#skip(at + 1) === to
      if (bytes[at] !== COMMA) return false
      at = this.#skip(at + 1)
    }
    return false
  }

  text(field: number): string {
    return this.bytes.toString('latin1', this.from[field], this.to[field])
  }

  #skip(from: number): number {
    let at = from
    while (SPACE[this.bytes[at] ?? 0] === 1) at += 1
    return at
  }

  #fieldAt(at: number, place: number): number {
    const expected = this.#order[place] ?? 0
    const key = KEYS[expected]
    if (key !== undefined && startsWith(this.bytes, at, key)) return expected
    return this.#otherFieldAt(at, place)
  }

  #otherFieldAt(at: number, place: number): number {
    const found = KEYS.findIndex((each) => startsWith(this.bytes, at, each))
    if (found >= 0) this.#order[place] = found
    return found
  }

  /** Returns where the value ends. */
  #value(field: number, from: number): number {
    const { bytes } = this
    const code = bytes[from] ?? 0
    if (code === QUOTE) {
      const end = this.#textEnd(from + 1)
      this.#keep(field, TEXT, from + 1, end)
      return end === NOWHERE ? NOWHERE : end + 1
    }
    if (OF_NUMBER[code] === 1) {
      let end = from + 1
      while (OF_NUMBER[bytes[end] ?? 0] === 1) end += 1
      this.#keep(field, NUMBER, from, end)
      return end
    }
    if (code === OPEN_LIST && field === AT.custom_x_tags) return this.#list(field, from)
    return startsWith(bytes, from, NULL) ? from + NULL.length : NOWHERE
  }

  #keep(field: number, kind: number, from: number, to: number): void {
    this.kind[field] = kind
    this.from[field] = from
    this.to[field] = to
  }

  /** Where the quote is that ends it. */
  #textEnd(from: number): number {
    const { bytes } = this
    let at = from
    while (PLAIN[bytes[at] ?? 0] === 1) at += 1
    return bytes[at] === QUOTE ? at : NOWHERE
  }

  #list(field: number, from: number): number {
    const { bytes } = this
    let at = this.#skip(from + 1)
    while (bytes[at] === QUOTE && this.tags < LIMITS.tags) {
      const end = this.#textEnd(at + 1)
      if (end === NOWHERE) return NOWHERE
      this.tag_from[this.tags] = at + 1
      this.tag_to[this.tags] = end
      this.tags += 1
      at = this.#skip(end + 1)
      if (bytes[at] !== COMMA) break
      at = this.#skip(at + 1)
      if (bytes[at] !== QUOTE) return NOWHERE
    }
    if (bytes[at] !== CLOSE_LIST) return NOWHERE
    this.#keep(field, LIST, from, at + 1)
    return at + 1
  }
}

export function startsWith(bytes: Uint8Array, from: number, expected: Uint8Array): boolean {
  for (let at = 0; at < expected.length; at += 1) if (bytes[from + at] !== expected[at]) return false
  return true
}

function table(has: (code: number) => boolean): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, code) => (has(code) ? 1 : 0))
}

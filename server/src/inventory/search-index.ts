import { prefixRange } from '../numbers/index.ts'
import {
  bitAt,
  bitsIn,
  countBits,
  intersect,
  keepRange,
  keepRuns,
  lowestBit,
  newBitmap,
  setBit,
  uniteIntersection,
  type Bitmap,
  type Words,
} from './bitmap.ts'

/**
 * The numbers of the inventory in memory, for searching. A bitmap has one bit for each number, in ascending order: one for the
 * numbers that are available, and one for each digit in each place. A filter by digits is a few passes over bitmaps.
 */

const lowest = 10_000_000_000
/** Digits of a number after the country code. */
const places = 10
/** Digits of a number with the country code. */
const length = places + 1
/** Numbers that are indexed in one turn of the event loop. */
const slice = 20_000

export interface DigitFilter {
  /** Leading digits, with the country code. */
  starts_with?: string | undefined
  /** Each is somewhere in the number. */
  contains?: readonly string[]
  ends_with?: string | undefined
  /** The least length of a run of consecutive numbers. */
  consecutive?: number | undefined
}

/** One number as it is stored. */
export interface IndexEntry {
  number: number
  profile_id: number
  available: boolean
}

/** Entries in 12 bytes each, while an object each would take many times the memory of the index. */
export class EntryList {
  length = 0
  #numbers = new Float64Array(1024)
  /** The profile, or its complement if the number is not available. */
  #profiles = new Int32Array(1024)

  push({ number, profile_id, available }: IndexEntry): void {
    if (this.length === this.#numbers.length) {
      const [numbers, profiles] = [this.#numbers, this.#profiles]
      this.#numbers = new Float64Array(numbers.length * 2)
      this.#numbers.set(numbers)
      this.#profiles = new Int32Array(profiles.length * 2)
      this.#profiles.set(profiles)
    }
    this.#numbers[this.length] = number
    this.#profiles[this.length] = available ? profile_id : ~profile_id
    this.length++
  }

  at(i: number): IndexEntry | undefined {
    const [number, profile = 0] = [this.#numbers[i], this.#profiles[i]]
    if (number === undefined || i >= this.length) return undefined
    return { number, profile_id: profile < 0 ? ~profile : profile, available: profile >= 0 }
  }
}

/** The numbers that match a filter. */
export interface Matches {
  total: number
  page(limit: number, offset: number): { number: number; profile_id: number }[]
  /** How many match in each group of numbers that have the same leading digits, ascending. `size` is the size of a group. */
  groups(size: number): { prefix: number; count: number }[]
}

/** The word has numbers of several profiles. */
const mixed = -1

export class SearchIndex {
  readonly #numbers: Float64Array
  readonly #profiles: Int32Array
  /** The profile of all numbers of a word, or `mixed`: neighbors often have the same one. */
  readonly #profile_of_word: Int32Array
  readonly #available: Bitmap
  /** Numbers whose successor is in the inventory. */
  readonly #successors: Bitmap
  /** By place and digit. */
  readonly #planes: readonly Bitmap[]
  /** For intermediate results of one search, because allocating them each time makes the garbage collector pause. */
  readonly #scratch: readonly [Bitmap, Bitmap]

  private constructor(size: number) {
    this.#numbers = new Float64Array(size)
    this.#profiles = new Int32Array(size)
    this.#available = newBitmap(size)
    this.#successors = newBitmap(size)
    this.#profile_of_word = new Int32Array(this.#available.length)
    this.#planes = Array.from({ length: places * 10 }, () => newBitmap(size))
    this.#scratch = [newBitmap(size), newBitmap(size)]
  }

  /**
   * Builds an index of numbers in ascending order, together with those of another index that are not among them. Lets other
   * work run in between.
   */
  static async build(
    entries: EntryList | readonly IndexEntry[],
    before: SearchIndex | null = null,
  ): Promise<SearchIndex> {
    const size = (before?.size ?? 0) + entries.length
    const index = new SearchIndex(size)
    for (let i = 0, at_before = 0, at_entry = 0; i < size; i++) {
      if (i % slice === slice - 1) await new Promise(setImmediate)
      const old = before && at_before < before.size ? before.#entryAt(at_before) : undefined
      const added = entries.at(at_entry)
      const next = old && (!added || old.number < added.number) ? old : added
      if (!next) break
      if (next === old) at_before++
      else at_entry++
      index.#append(i, next)
    }
    return index
  }

  get size(): number {
    return this.#numbers.length
  }

  /** Changes a number; false if the index does not have it. */
  set({ number, profile_id, available }: IndexEntry): boolean {
    const i = this.#positionOf(number)
    if (this.#numbers[i] !== number) return false
    if (this.#profiles[i] !== profile_id) {
      this.#profiles[i] = profile_id
      const [first, ...rest] = this.#profiles.subarray(i & ~31, (i | 31) + 1)
      this.#profile_of_word[i >>> 5] = rest.every((each) => each === first) ? (first ?? mixed) : mixed
    }
    setBit(this.#available, i, available)
    return true
  }

  /** The available numbers that match. `allowed` has a 1 for each profile that matches; null: all do. */
  search(filter: DigitFilter, allowed: Uint8Array | null): Matches {
    const { from, below } = this.#rangeOf(filter.starts_with)
    const words = { first: from >>> 5, last: below === from ? (from >>> 5) - 1 : (below - 1) >>> 5 }
    const found = this.#available.slice()
    keepRange(found, from, below)
    const { ends_with, contains = [], consecutive } = filter
    if (ends_with !== undefined) this.#keepAt(found, ends_with, length - ends_with.length, words)
    for (const digits of contains) this.#keepContaining(found, digits, words)
    if (allowed) this.#keepAllowed(found, allowed, words)
    const [starts] = this.#scratch
    if (consecutive !== undefined) keepRuns(found, { links: this.#successors, least: consecutive, starts }, words)
    let total = 0
    for (let w = words.first; w <= words.last; w++) total += bitsIn(found[w] ?? 0)
    return {
      total,
      page: (limit, offset) => this.#page(found, words, limit, offset),
      groups: (size) => this.#groups(found, { from, below }, size),
    }
  }

  #entryAt(i: number): IndexEntry {
    return {
      number: this.#numbers[i] ?? 0,
      profile_id: this.#profiles[i] ?? 0,
      available: bitAt(this.#available, i),
    }
  }

  #append(i: number, { number, profile_id, available }: IndexEntry): void {
    this.#numbers[i] = number
    this.#profiles[i] = profile_id
    if ((i & 31) === 0) this.#profile_of_word[i >>> 5] = profile_id
    else if (this.#profile_of_word[i >>> 5] !== profile_id) this.#profile_of_word[i >>> 5] = mixed
    setBit(this.#available, i, available)
    if (i > 0 && this.#numbers[i - 1] === number - 1) setBit(this.#successors, i - 1, true)
    for (let place = places - 1, rest = number - lowest; place >= 0; place--) {
      const next = Math.floor(rest / 10)
      const plane = this.#planes[place * 10 + (rest - next * 10)]
      if (plane) setBit(plane, i, true)
      rest = next
    }
  }

  /** The position of a number, or that of the next higher one. */
  #positionOf(number: number): number {
    let low = 0
    let high = this.#numbers.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#numbers[middle] ?? 0) < number) low = middle + 1
      else high = middle
    }
    return low
  }

  #rangeOf(starts_with: string | undefined): { from: number; below: number } {
    if (starts_with === undefined) return { from: 0, below: this.size }
    const range = prefixRange(starts_with)
    if (range === null) return { from: 0, below: 0 }
    return { from: this.#positionOf(Number(range.from)), below: this.#positionOf(Number(range.below)) }
  }

  /** The bitmaps of digits that begin at a place of the number; null if they cannot be there. */
  #planesAt(digits: string, at: number): Bitmap[] | null {
    if (at < 0 || at + digits.length > length) return null
    // every number begins with the country code
    if (at === 0 && !digits.startsWith('1')) return null
    const planes = [...digits].map((digit, i) => this.#planes[(at + i - 1) * 10 + Number(digit)])
    return planes.filter((plane) => plane !== undefined)
  }

  #keepAt(found: Bitmap, digits: string, at: number, words: Words): void {
    const planes = this.#planesAt(digits, at)
    if (planes === null) return void found.fill(0)
    for (const plane of planes) intersect(found, plane, words)
  }

  #keepContaining(found: Bitmap, digits: string, words: Words): void {
    const [anywhere, here] = this.#scratch
    anywhere.fill(0)
    for (let at = 0; at + digits.length <= length; at++) {
      const planes = this.#planesAt(digits, at)
      if (planes === null) continue
      const [one = found, two = one, ...rest] = planes
      const last = rest.pop()
      if (last) here.set(one)
      if (last) for (const plane of [two, ...rest]) intersect(here, plane, words)
      uniteIntersection(anywhere, last ? here : one, last ?? two, words)
    }
    intersect(found, anywhere, words)
  }

  #keepAllowed(found: Bitmap, allowed: Uint8Array, { first, last }: Words): void {
    for (let w = first; w <= last; w++) {
      const profile = this.#profile_of_word[w] ?? mixed
      if (profile === mixed) found[w] = this.#allowedBits(found[w] ?? 0, w, allowed)
      else if (allowed[profile] !== 1) found[w] = 0
    }
  }

  #allowedBits(word: number, w: number, allowed: Uint8Array): number {
    let kept = word
    for (let rest = word; rest !== 0; rest &= rest - 1) {
      const bit = lowestBit(rest)
      if (allowed[this.#profiles[(w << 5) + bit] ?? 0] !== 1) kept &= ~(1 << bit)
    }
    return kept
  }

  #page(found: Bitmap, { first, last }: Words, limit: number, offset: number) {
    const page: { number: number; profile_id: number }[] = []
    let skip = offset
    for (let w = first; w <= last && page.length < limit; w++) {
      const count = bitsIn(found[w] ?? 0)
      if (count <= skip) {
        skip -= count
        continue
      }
      for (let rest = found[w] ?? 0; rest !== 0 && page.length < limit; rest &= rest - 1) {
        if (skip-- > 0) continue
        const i = (w << 5) + lowestBit(rest)
        page.push({ number: this.#numbers[i] ?? 0, profile_id: this.#profiles[i] ?? 0 })
      }
      skip = 0
    }
    return page
  }

  #groups(found: Bitmap, { from, below }: { from: number; below: number }, size: number) {
    const groups: { prefix: number; count: number }[] = []
    for (let i = from; i < below;) {
      const prefix = Math.floor((this.#numbers[i] ?? 0) / size)
      const next = Math.min(below, this.#positionOf((prefix + 1) * size))
      const count = countBits(found, i, next)
      if (count > 0) groups.push({ prefix, count })
      i = next
    }
    return groups
  }
}

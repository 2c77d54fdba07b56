import { filterLines } from './line-filter.ts'
import { isDistinctive, mayBeNear, mayBeOneApart } from './names.ts'
import type { ListedStreet } from './rows.ts'
import { ALIKE, indexedCandidate, likeness, type IndexedCandidate, type Typed } from './score.ts'

export interface Scored<T> {
  row: T
  score: number
}

/**
 * The streets of a place, to search for similar ones. Compares only names that may be near by their length and letters, or that
 * share a trait, and each label and key once. The first search scans the lines (see `linesOf`), because few places are searched
 * twice before they are evicted from the cache; the second builds an index.
 */
export class StreetIndex {
  readonly #lines: string
  /** Start of each street's line. */
  readonly #starts: readonly number[]
  #was_searched = false
  #index: NameIndex | undefined

  constructor(lines: string) {
    this.#lines = lines
    this.#starts = lineStarts(lines)
  }

  /** The number of its streets. */
  get size(): number {
    return this.#starts.length
  }

  static of(rows: readonly ListedStreet[]): StreetIndex {
    return new StreetIndex(linesOf(rows))
  }

  /** Streets with a similar name, unordered. */
  alike(typed: Typed): Scored<ListedStreet>[] {
    const scores = new Map<IndexedCandidate, number>()
    const found: Scored<ListedStreet>[] = []
    for (const start of this.#candidates(typed)) {
      const row = streetAt(this.#lines, start)
      const street = indexedCandidate(row.label, row.key)
      const score = scores.get(street) ?? likeness(typed, street)
      scores.set(street, score)
      if (score >= ALIKE) found.push({ row, score })
    }
    return found
  }

  /** Starts of the lines of streets that may be alike; for all others `likeness` is 0. */
  #candidates(typed: Typed): Iterable<number> {
    const sought = traitsSought(typed)
    if (!this.#was_searched) {
      this.#was_searched = true
      return this.#scan(typed, sought)
    }
    this.#index ??= new NameIndex(this.#starts.map((start) => this.#candidateAt(start)))
    return [...this.#index.candidates(typed, sought)].map((i) => this.#starts[i] ?? 0)
  }

  #candidateAt(start: number): IndexedCandidate {
    const { label, key } = streetAt(this.#lines, start)
    return indexedCandidate(label, key)
  }

  #scan(typed: Typed, sought: Sought): number[] {
    const found: number[] = []
    filterLines(this.#lines, this.#starts, typed, sought.bases, (start, likely) => {
      if (likely === 'yes' || mayBeAlike(typed, sought, this.#candidateAt(start))) found.push(start)
    })
    return found
  }
}

function mayBeAlike({ readings, label: typed_label }: Typed, { traits }: Sought, street: IndexedCandidate): boolean {
  for (const trait of street.traits) if (traits.has(trait)) return true
  const { base, label, base_letters, label_letters } = street
  for (const { name } of readings) if (mayBeNear(name, base.length, base_letters)) return true
  return mayBeOneApart(typed_label, label.length, label_letters)
}

/** Streets by traits, lengths, and letters. */
class NameIndex {
  readonly #bases: Shapes
  readonly #labels: Shapes
  readonly #byTrait = new Map<string, number[]>()

  constructor(streets: readonly IndexedCandidate[]) {
    this.#bases = shapesFor(streets.length)
    this.#labels = shapesFor(streets.length)
    streets.forEach(({ base, label, traits, base_letters, label_letters }, i) => {
      this.#bases.lengths[i] = base.length
      this.#bases.letters[i] = base_letters
      this.#labels.lengths[i] = label.length
      this.#labels.letters[i] = label_letters
      for (const trait of traits) {
        const known = this.#byTrait.get(trait)
        if (known) known.push(i)
        else this.#byTrait.set(trait, [i])
      }
    })
  }

  /** Indices of streets that share a trait, or whose name or label may be near. */
  candidates({ readings, label }: Typed, { traits }: Sought): Set<number> {
    const found = new Set<number>()
    for (const trait of traits) for (const i of this.#byTrait.get(trait) ?? []) found.add(i)
    for (const { name } of readings) near(this.#bases, found, (length, letters) => mayBeNear(name, length, letters))
    near(this.#labels, found, (length, letters) => mayBeOneApart(label, length, letters))
    return found
  }
}

/** Traits that make streets alike although their names are not near. */
interface Sought {
  /** See `IndexedCandidate`. */
  traits: ReadonlySet<string>
  /** Names; they are among the traits too. */
  bases: readonly string[]
}

function traitsSought({ repaired, readings }: Typed): Sought {
  const traits = new Set<string>()
  const bases = new Set<string>()
  const addBase = (base: string) => {
    bases.add(base)
    traits.add(`base ${base}`)
  }
  for (const base of repaired.keys()) addBase(base)
  for (const { name } of readings) {
    for (const word of name.words) {
      addBase(word)
      if (isDistinctive(word)) traits.add(`word ${word}`)
    }
    traits.add(`sound ${name.sound}`)
    for (const handle of name.handles.keys()) traits.add(handle)
    if (name.number !== '') for (const ending of ORDINAL_ENDINGS) addBase(`${name.number}${ending}`)
  }
  return { traits, bases: [...bases] }
}

const ORDINAL_ENDINGS = ['', 'ST', 'ND', 'RD', 'TH']

/** Lengths and letters of texts, to filter them before comparing. */
interface Shapes {
  lengths: Uint8Array
  letters: Int32Array
}

const shapesFor = (count: number): Shapes => ({ lengths: new Uint8Array(count), letters: new Int32Array(count) })

function near(
  { lengths, letters }: Shapes,
  into: Set<number>,
  may: (length: number, letters: number) => boolean,
): void {
  for (let i = 0; i < lengths.length; i++) if (may(lengths[i] ?? 0, letters[i] ?? 0)) into.add(i)
}

/**
 * Streets as one text, because a place has hundreds and a search needs few. One line per street: id, postal code, label, and
 * key, separated by tabs. No value contains a tab or line feed.
 */
function linesOf(streets: readonly ListedStreet[]): string {
  return streets.map(({ id, postal, label, key }) => `${id}\t${postal}\t${label}\t${key}`).join('\n')
}

function lineStarts(lines: string): number[] {
  const starts: number[] = []
  for (let at = 0; at < lines.length; at = endOfLine(lines, at) + 1) starts.push(at)
  return starts
}

/** The street of the line that begins at `start`. */
function streetAt(lines: string, start: number): ListedStreet {
  const postal = lines.indexOf('\t', start) + 1
  const label = lines.indexOf('\t', postal) + 1
  const key = lines.indexOf('\t', label) + 1
  return {
    id: lines.slice(start, postal - 1),
    postal: lines.slice(postal, label - 1),
    label: lines.slice(label, key - 1),
    key: lines.slice(key, endOfLine(lines, key)),
  }
}

/** The line feed after a position, or the end. */
function endOfLine(lines: string, at: number): number {
  const end = lines.indexOf('\n', at)
  return end < 0 ? lines.length : end
}

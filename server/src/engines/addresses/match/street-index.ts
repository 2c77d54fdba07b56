import { isDistinctive, mayBeNear, mayBeOneApart } from './names.ts'
import type { ListedStreet } from './rows.ts'
import { ALIKE, indexedCandidate, likeness, type IndexedCandidate, type Typed } from './score.ts'

export interface Scored<T> {
  row: T
  score: number
}

/**
 * The streets of a place, for the search of similar ones. Only names are compared that may be near by their length and letters,
 * or that have something in common, and those of one label and key once. The first search looks through all of them, since few
 * places are searched twice before they are forgotten; the second makes an index.
 */
export class StreetIndex {
  readonly #rows: readonly ListedStreet[]
  readonly #streets: readonly IndexedCandidate[]
  #was_searched = false
  #index: NameIndex | undefined

  constructor(rows: readonly ListedStreet[]) {
    this.#rows = rows
    this.#streets = rows.map(({ label, key }) => indexedCandidate(label, key))
  }

  /** The number of its streets. */
  get size(): number {
    return this.#rows.length
  }

  /** Every street with a similar name, unordered. */
  alike(typed: Typed): Scored<ListedStreet>[] {
    const scores = new Map<IndexedCandidate, number>()
    const found: Scored<ListedStreet>[] = []
    for (const i of this.#candidates(typed)) {
      const street = this.#streets[i]
      const row = this.#rows[i]
      if (!street || !row) continue
      const score = scores.get(street) ?? likeness(typed, street)
      scores.set(street, score)
      if (score >= ALIKE) found.push({ row, score })
    }
    return found
  }

  /** Indices of streets that `likeness` may find alike; for any other it is 0. */
  #candidates(typed: Typed): Iterable<number> {
    const sought = traitsSought(typed)
    if (this.#was_searched) return (this.#index ??= new NameIndex(this.#streets)).candidates(typed, sought)
    this.#was_searched = true
    return this.#streets.flatMap((street, i) => (mayBeAlike(typed, sought, street) ? [i] : []))
  }
}

function mayBeAlike(typed: Typed, sought: ReadonlySet<string>, street: IndexedCandidate): boolean {
  for (const trait of street.traits) if (sought.has(trait)) return true
  const { base, label, base_letters, label_letters } = street
  for (const { name } of typed.readings) if (mayBeNear(name, base.length, base_letters)) return true
  return mayBeOneApart(typed.label, label.length, label_letters)
}

/** Streets by what is found in them. */
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

  /** As `mayBeAlike`. */
  candidates({ readings, label }: Typed, sought: ReadonlySet<string>): Set<number> {
    const found = new Set<number>()
    for (const trait of sought) for (const i of this.#byTrait.get(trait) ?? []) found.add(i)
    for (const { name } of readings) near(this.#bases, found, (length, letters) => mayBeNear(name, length, letters))
    near(this.#labels, found, (length, letters) => mayBeOneApart(label, length, letters))
    return found
  }
}

/** Traits of streets that are alike although their names are not near, see `IndexedCandidate`. */
function traitsSought({ repaired, readings }: Typed): Set<string> {
  const sought = new Set<string>()
  for (const base of repaired.keys()) sought.add(`base ${base}`)
  for (const { name } of readings) {
    for (const word of name.words) {
      sought.add(`base ${word}`)
      if (isDistinctive(word)) sought.add(`word ${word}`)
    }
    sought.add(`sound ${name.sound}`)
    for (const handle of name.handles.keys()) sought.add(handle)
    if (name.number !== '') for (const ending of ORDINAL_ENDINGS) sought.add(`base ${name.number}${ending}`)
  }
  return sought
}

const ORDINAL_ENDINGS = ['', 'ST', 'ND', 'RD', 'TH']

/** Lengths and letters of texts, as a filter before they are compared. */
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

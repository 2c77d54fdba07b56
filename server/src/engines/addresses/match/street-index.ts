import { isDistinctive, mayBeNear, mayBeOneApart } from './names.ts'
import type { ListedStreet } from './rows.ts'
import { ALIKE, indexedCandidate, likeness, type IndexedCandidate, type Typed } from './score.ts'

export interface Scored<T> {
  row: T
  score: number
}

/**
 * An index of the streets of a place by name, for the search of similar ones. Streets of one label and key are compared
 * once. Only names are compared that may be near by their length and letters, or that share a word.
 */
export class StreetIndex {
  /** The number of its streets. */
  readonly size: number
  readonly #streets: { candidate: IndexedCandidate; rows: ListedStreet[] }[] = []
  readonly #bases: Shapes
  readonly #labels: Shapes
  readonly #byBase = new Map<string, number[]>()
  readonly #byWord = new Map<string, number[]>()
  readonly #byHandle = new Map<string, number[]>()
  readonly #bySound = new Map<string, number[]>()

  constructor(rows: readonly ListedStreet[]) {
    this.size = rows.length
    const known = new Map<IndexedCandidate, ListedStreet[]>()
    for (const row of rows) {
      const candidate = indexedCandidate(row.label, row.key)
      const same = known.get(candidate)
      if (same) same.push(row)
      else {
        const all = [row]
        known.set(candidate, all)
        this.#streets.push({ candidate, rows: all })
      }
    }
    this.#bases = shapesFor(this.#streets.length)
    this.#labels = shapesFor(this.#streets.length)
    this.#streets.forEach((street, i) => {
      const { base, label, handles, sound, base_letters, label_letters } = street.candidate
      this.#bases.lengths[i] = base.length
      this.#bases.letters[i] = base_letters
      this.#labels.lengths[i] = label.length
      this.#labels.letters[i] = label_letters
      addToIndex(this.#bySound, sound, i)
      for (const handle of handles) addToIndex(this.#byHandle, handle, i)
      addToIndex(this.#byBase, base, i)
      if (base.includes(' '))
        for (const word of base.split(' ')) if (isDistinctive(word)) addToIndex(this.#byWord, word, i)
    })
  }

  /** Every street with a similar name, unordered. */
  alike(typed: Typed): Scored<ListedStreet>[] {
    const found: Scored<ListedStreet>[] = []
    for (const i of this.#candidates(typed)) {
      const street = this.#streets[i]
      const score = street ? likeness(typed, street.candidate) : 0
      if (street && score >= ALIKE) for (const row of street.rows) found.push({ row, score })
    }
    return found
  }

  /** Indices of streets that `likeness` may find alike; for any other it is 0. */
  #candidates(typed: Typed): Set<number> {
    const found = new Set<number>()
    const add = (all: readonly number[] | undefined) => all?.forEach((i) => found.add(i))
    for (const base of typed.repaired.keys()) add(this.#byBase.get(base))
    for (const { name } of typed.readings) {
      for (const word of name.words) {
        add(this.#byBase.get(word))
        if (isDistinctive(word)) add(this.#byWord.get(word))
      }
      add(this.#bySound.get(name.sound))
      for (const handle of name.handles.keys()) add(this.#byHandle.get(handle))
      if (name.number !== '') for (const ending of ORDINAL_ENDINGS) add(this.#byBase.get(name.number + ending))
      near(this.#bases, found, (length, letters) => mayBeNear(name, length, letters))
    }
    const { label } = typed
    near(this.#labels, found, (length, letters) => mayBeOneApart(label, length, letters))
    return found
  }
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

function addToIndex(index: Map<string, number[]>, id: string, i: number): void {
  const known = index.get(id)
  if (known) known.push(i)
  else index.set(id, [i])
}

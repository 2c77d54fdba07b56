import type { Street } from '../normalise/street.ts'
import type { Country } from '../normalise/types.ts'
import { fullTypeWord, typeAbbreviation, typeId } from '../normalise/types.ts'
import { comparable, englishDirection, frenchDirection, fullDirection } from '../normalise/words-in-names.ts'
import { edits } from './edits.ts'
import { comparableText, nameLikeness, oneChange, type Comparable } from './names.ts'

/** What differences besides the name cost, out of 1 for the very street that was typed. */
const COST = {
  wrong_type: 0.08,
  missing_type: 0.04,
  surplus_type: 0.06,
  contrary_direction: 0.12,
  missing_direction: 0.04,
  surplus_direction: 0.06,
  misplaced_direction: 0.02,
  /** A direction or type that was typed with an error in it. */
  mistyped_part: 0.1,
} as const

/** Below this two streets are not alike. */
export const ALIKE = 0.7
/** The best that an error in a word comes to: what is as good already needs no further look. */
const ONE_ERROR = 0.9

/** What a typed street is compared as; made once for a search. */
export interface Typed {
  country: Country
  readings: readonly Candidate[]
  words: readonly string[]
  text: Comparable
  /** The whole text as names are compared, between spaces. */
  spaced: string
}

/** A street to compare with, made once and kept. */
export interface Candidate {
  label: Comparable
  base: Comparable
  type: string
  pre: string
  post: string
}

export function typed(readings: readonly Street[], words: readonly string[], country: Country): Typed {
  return {
    country,
    readings: readings.map(({ label, key }) => candidate(label, key)),
    words,
    text: comparableText(words.join(' ')),
    spaced: ` ${spelled(comparable(words, country === 'CA'))} `,
  }
}

/** Of a label and key as `Street` has them. */
export function candidate(label: string, key: string): Candidate {
  const [base = '', type = '', pre = '', post = ''] = key.split('|')
  return { label: comparableText(label), base: comparableText(spelled(base)), type, pre, post }
}

/** How alike a typed street and one of the data are: 1 the same, below `ALIKE` not worth showing. Place and number do not count here. */
export function likeness(street: Typed, other: Candidate): number {
  let best = 0
  for (const reading of street.readings) {
    const name = nameLikeness(reading.base, other.base)
    if (name > best) best = Math.max(best, name - partsCost(reading, other))
  }
  if (best >= ONE_ERROR) return best
  // WHY 360: an error in a short word that the name has spelt out
  best = Math.max(best, oneChange(street.text, other.label))
  return street.spaced.includes(other.base.text) ? Math.max(best, mistypedParts(street, other)) : best
}

/** ST and STE stand for SAINT and SAINTE in a name; an error in the long word is found only against the long word. */
function spelled(base: string): string {
  return base.includes('ST') ? base.replace(/\bST(E?)\b(?= )/g, 'SAINT$1') : base
}

function partsCost(mine: Candidate, theirs: Candidate): number {
  return typeCost(mine.type, theirs.type) + directionCost(mine, theirs)
}

function typeCost(mine: string, theirs: string): number {
  if (mine === theirs) return 0
  return mine === '' ? COST.missing_type : theirs === '' ? COST.surplus_type : COST.wrong_type
}

function directionCost(mine: { pre: string; post: string }, theirs: { pre: string; post: string }): number {
  if (mine.pre === theirs.pre && mine.post === theirs.post) return 0
  if (mine.pre === theirs.post && mine.post === theirs.pre) return COST.misplaced_direction
  return oneDirection(mine.pre, theirs.pre) + oneDirection(mine.post, theirs.post)
}

function oneDirection(mine: string, theirs: string): number {
  if (mine === theirs) return 0
  return mine === '' ? COST.missing_direction : theirs === '' ? COST.surplus_direction : COST.contrary_direction
}

/**
 * The name is there word for word, and something before or behind it could not be read: `NORHT MAIN ST`, `MAIN STREEY`.
 * Takes the words off the ends that are, or nearly are, the other's direction and type.
 */
function mistypedParts(street: Typed, other: Candidate): number {
  let words = street.words
  let cost = 0
  const take = (at: 'first' | 'last', match: number | undefined, missing: number) => {
    cost += match ?? missing
    if (match !== undefined) words = at === 'first' ? words.slice(1) : words.slice(0, -1)
  }
  if (other.pre !== '') take('first', directionMatch(words[0], other.pre, street.country), COST.missing_direction)
  if (other.post !== '') take('last', directionMatch(words.at(-1), other.post, street.country), COST.missing_direction)
  if (other.type !== '') take('last', typeMatch(words.at(-1), other.type, street.country), COST.missing_type)
  if (spelled(comparable(words, street.country === 'CA')) !== other.base.text) return 0
  return 1 - cost
}

function directionMatch(word: string | undefined, id: string, country: Country): number | undefined {
  if (word === undefined) return undefined
  if (englishDirection(word) === id || (country === 'CA' && frenchDirection(word) === id)) return 0
  return near(word, id) || near(word, fullDirection(id)) ? COST.mistyped_part : undefined
}

function typeMatch(word: string | undefined, id: string, country: Country): number | undefined {
  if (word === undefined) return undefined
  if (typeId(word, country) === id) return 0
  const spellings = [id, typeAbbreviation(id, country), fullTypeWord(id) ?? id]
  return spellings.some((spelling) => near(word, spelling)) ? COST.mistyped_part : undefined
}

function near(word: string, other: string): boolean {
  return edits(word, other, 1) <= 1
}

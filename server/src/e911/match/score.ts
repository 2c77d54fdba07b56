import type { Street } from '../normalise/street.ts'
import type { Country } from '../normalise/types.ts'
import { fullTypeWord, typeAbbreviation, typeId } from '../normalise/types.ts'
import { comparable, englishDirection, frenchDirection, fullDirection } from '../normalise/words-in-names.ts'
import { edits } from './edits.ts'

/** What a difference costs, out of 1 for the very street that was typed. */
const COST = {
  edit: 0.1,
  wrong_type: 0.08,
  missing_type: 0.04,
  surplus_type: 0.06,
  contrary_direction: 0.12,
  missing_direction: 0.04,
  surplus_direction: 0.06,
  misplaced_direction: 0.02,
  /** A direction or type that was typed with an error in it. */
  mistyped_part: 0.1,
  /** Two names whose numbers differ (12TH, 13TH) are further apart than their letters say. */
  other_digits: 0.12,
  spacing: 0.03,
  ordinal: 0.04,
} as const

/** Below this two streets are not alike. */
export const ALIKE = 0.7

/** What a typed street is compared as; made once for a search. */
export interface Typed {
  country: Country
  readings: readonly { base: string; type: string; pre: string; post: string }[]
  words: readonly string[]
  text: string
  spaced: string
  joins: boolean
}

export function typed(readings: readonly Street[], words: readonly string[], country: Country): Typed {
  return {
    country,
    readings: readings.map(({ base, type, pre, post }) => ({ base: spelled(base), type, pre, post })),
    words,
    text: words.join(' '),
    spaced: ` ${spelled(comparable(words, country === 'CA'))} `,
    joins: country === 'CA',
  }
}

/** A street of the data, as `key` of `Street` has it. */
export interface Candidate {
  label: string
  base: string
  type: string
  pre: string
  post: string
}

export function candidate(label: string, key: string): Candidate {
  const [base = '', type = '', pre = '', post = ''] = key.split('|')
  return { label, base: spelled(base), type, pre, post }
}

/** How alike a typed street and one of the data are: 1 the same, below `ALIKE` not worth showing. Place and number do not count here. */
export function likeness(street: Typed, other: Candidate): number {
  let best = 0
  for (const reading of street.readings) {
    const name = nameLikeness(reading.base, other.base)
    if (name > best) best = Math.max(best, name - partsCost(reading, other))
  }
  // WHY 360: an error in a short word that the name has spelt out
  if (best < 1 - COST.edit && edits(street.text, other.label, 1) === 1)
    best = Math.max(best, 1 - COST.edit - digitsCost(street.text, other.label))
  if (best < 1 - COST.edit && street.spaced.includes(` ${other.base} `))
    best = Math.max(best, mistypedParts(street, other))
  return best
}

/** ST and STE stand for SAINT and SAINTE in a name; an error in the long word is found only against the long word. */
function spelled(base: string): string {
  return base.includes('ST') ? base.replace(/\bST(E?)\b(?= )/g, 'SAINT$1') : base
}

function nameLikeness(a: string, b: string): number {
  if (a === b) return 1
  if (bareNumber(a) !== '' && bareNumber(a) === bareNumber(b)) return 1 - COST.ordinal
  const limit = editLimit(Math.min(a.length, b.length))
  const d = edits(a, b, limit)
  if (d <= limit) {
    if (d > 0 && a.replaceAll(' ', '') === b.replaceAll(' ', '')) return 1 - COST.spacing
    return 1 - COST.edit * d - digitsCost(a, b)
  }
  return sharedWords(a, b)
}

function digitsCost(a: string, b: string): number {
  return a.replace(/\D/g, '') === b.replace(/\D/g, '') ? 0 : COST.other_digits
}

/** Errors that are forgiven in a name of that many letters. */
function editLimit(length: number): number {
  return length <= 4 ? 1 : length <= 8 ? 2 : 3
}

/** `12` of `12` and of `12TH`. */
function bareNumber(name: string): string {
  return /^(\d+)(?:ST|ND|RD|TH)?$/.exec(name)?.[1] ?? ''
}

/** Names of which one has words the other lacks: `KING` is not `M L KING`, but `LUTHER KING` is near `MARTIN LUTHER KING`. */
function sharedWords(a: string, b: string): number {
  const theirs = b.split(' ')
  const mine = a.split(' ')
  if (mine.length === 1 && theirs.length === 1) return 0
  let shared = 0
  for (const word of mine) if (word.length > 2 && theirs.includes(word)) shared += word.length
  const share = shared / Math.max(lettersOf(a), lettersOf(b))
  return share >= 0.45 ? 0.62 + 0.25 * share : 0
}

function lettersOf(name: string): number {
  return name.replaceAll(' ', '').length
}

function partsCost(mine: { type: string; pre: string; post: string }, theirs: Candidate): number {
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
  if (other.pre !== '') take('first', directionMatch(words[0], other.pre), COST.missing_direction)
  if (other.post !== '') take('last', directionMatch(words.at(-1), other.post), COST.missing_direction)
  if (other.type !== '') take('last', typeMatch(words.at(-1), other.type, street.country), COST.missing_type)
  if (spelled(comparable(words, street.joins)) !== other.base) return 0
  return 1 - cost
}

function directionMatch(word: string | undefined, id: string): number | undefined {
  if (word === undefined) return undefined
  if (englishDirection(word) === id || frenchDirection(word) === id) return 0
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

import { edits, lettersIn, mayBeWithin } from './edits.ts'

/** What differences between two names cost, out of 1 for the same name. */
const COST = {
  edit: 0.1,
  /**
   * A single error that no letter came in by: one was left out, or two were swapped. Likelier than one that put in this
   * letter and none of the 25 others.
   */
  edit_without_letter: 0.09,
  /** One letter for the only other: nothing is left of the name. */
  nothing_left: 0.08,
  /** Two names whose numbers differ (12TH, 13TH) are further apart than their letters say. */
  other_digits: 0.12,
  spacing: 0.03,
  ordinal: 0.04,
} as const

/** A typed name with what comparing it again and again would otherwise work out each time. */
export interface Name {
  text: string
  letters: number
  words: readonly string[]
  /** Its digits, in order. */
  digits: string
  /** `12` of `12` and `12TH`; empty for any other text. */
  number: string
}

export function nameOf(text: string): Name {
  return { text, letters: lettersIn(text), words: text.split(' '), digits: digitsIn(text), number: numberIn(text) }
}

/** How alike a typed name and another are: 1 the same; 0 nothing in common. */
export function nameLikeness(typed: Name, other: string): number {
  const { text, number } = typed
  if (text === other) return 1
  if (number !== '' && number === numberIn(other)) return 1 - COST.ordinal
  const limit = editLimit(Math.min(text.length, other.length))
  const near = mayBeNear(typed, other.length, lettersIn(other))
  const d = near ? edits(text, other, limit) : limit + 1
  if (d > limit) return sharedWords(typed, other)
  if (text.replaceAll(' ', '') === other.replaceAll(' ', '')) return 1 - COST.spacing
  return (
    1 - (d === 1 ? oneEdit(text, other) : COST.edit * d) - (typed.digits === digitsIn(other) ? 0 : COST.other_digits)
  )
}

/** The likeness of texts that are one change apart, 0 for any others. */
export function oneChange(typed: Name, other: string): number {
  if (!mayBeOneApart(typed, other.length, lettersIn(other)) || edits(typed.text, other, 1) !== 1) return 0
  return 1 - oneEdit(typed.text, other) - (typed.digits === digitsIn(other) ? 0 : COST.other_digits)
}

/** Whether a text of that length and those letters may be within the errors that are forgiven. */
export function mayBeNear(typed: Name, length: number, letters: number): boolean {
  const limit = editLimit(Math.min(typed.text.length, length))
  return Math.abs(typed.text.length - length) <= limit && mayBeWithin(typed.letters, letters, limit)
}

/** The same for one change. */
export function mayBeOneApart(typed: Name, length: number, letters: number): boolean {
  return Math.abs(typed.text.length - length) <= 1 && mayBeWithin(typed.letters, letters, 1)
}

/** Words that make two names alike although neither is the other with some errors. */
export function isTelling(word: string): boolean {
  return word.length > 2
}

function oneEdit(typed: string, other: string): number {
  if (typed.length < other.length || isSwap(typed, other)) return COST.edit_without_letter
  return COST.edit + (typed.length === 1 ? COST.nothing_left : 0)
}

/** Of two texts of one length that are one change apart. */
function isSwap(a: string, b: string): boolean {
  if (a.length !== b.length) return false
  let i = 0
  while (a[i] === b[i]) i++
  return i + 1 < a.length && a[i] === b[i + 1] && a[i + 1] === b[i]
}

/** Errors that are forgiven in a name of that many letters. */
function editLimit(length: number): number {
  return length <= 4 ? 1 : length <= 8 ? 2 : 3
}

/** Names of which one has words the other lacks: `LUTHER KING` is near `MARTIN LUTHER KING`, `KING` is not. */
function sharedWords(typed: Name, other: string): number {
  const theirs = other.split(' ')
  if (typed.words.length === 1 && theirs.length === 1) return 0
  let shared = 0
  for (const word of typed.words) if (isTelling(word) && theirs.includes(word)) shared += word.length
  if (shared === 0) return 0
  const letters = Math.max(typed.text.length - typed.words.length, other.length - theirs.length) + 1
  const share = shared / letters
  return share >= 0.45 ? 0.62 + 0.25 * share : 0
}

function digitsIn(text: string): string {
  return text.replace(/\D+/g, '')
}

function numberIn(text: string): string {
  return /^(\d+)(?:ST|ND|RD|TH)?$/.exec(text)?.[1] ?? ''
}

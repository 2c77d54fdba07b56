import { edits } from './edits.ts'

/** What differences between two names cost, out of 1 for the same name. */
const COST = {
  edit: 0.1,
  /** Two names whose numbers differ (12TH, 13TH) are further apart than their letters say. */
  other_digits: 0.12,
  spacing: 0.03,
  ordinal: 0.04,
} as const

/** A text with what comparing it again and again would otherwise work out each time. */
export interface Comparable {
  text: string
  /** One bit for each letter that occurs; texts that are few changes apart differ in few bits. */
  letters: number
  words: readonly string[]
  /** Its digits, in order. */
  digits: string
  /** `12` of `12` and `12TH`; empty for any other text. */
  number: string
}

export function comparableText(text: string): Comparable {
  return {
    text,
    letters: lettersIn(text),
    words: text.split(' '),
    digits: text.replace(/\D+/g, ''),
    number: /^(\d+)(?:ST|ND|RD|TH)?$/.exec(text)?.[1] ?? '',
  }
}

/** How alike two names are: 1 the same; 0 nothing in common. */
export function nameLikeness(a: Comparable, b: Comparable): number {
  if (a.text === b.text) return 1
  if (a.number !== '' && a.number === b.number) return 1 - COST.ordinal
  const limit = editLimit(Math.min(a.text.length, b.text.length))
  const d = editsWithin(a, b, limit)
  if (d > limit) return sharedWords(a, b)
  if (a.text.replaceAll(' ', '') === b.text.replaceAll(' ', '')) return 1 - COST.spacing
  return 1 - COST.edit * d - (a.digits === b.digits ? 0 : COST.other_digits)
}

/** The likeness of texts that are one change apart, 0 for any others. */
export function oneChange(a: Comparable, b: Comparable): number {
  if (editsWithin(a, b, 1) !== 1) return 0
  return 1 - COST.edit - (a.digits === b.digits ? 0 : COST.other_digits)
}

function editsWithin(a: Comparable, b: Comparable, limit: number): number {
  if (Math.abs(a.text.length - b.text.length) > limit) return limit + 1
  // one change adds at most one letter and removes at most one
  if (bits(a.letters ^ b.letters) > 2 * limit) return limit + 1
  return edits(a.text, b.text, limit)
}

/** Errors that are forgiven in a name of that many letters. */
function editLimit(length: number): number {
  return length <= 4 ? 1 : length <= 8 ? 2 : 3
}

/** Names of which one has words the other lacks: `LUTHER KING` is near `MARTIN LUTHER KING`, `KING` is not. */
function sharedWords(a: Comparable, b: Comparable): number {
  if (a.words.length === 1 && b.words.length === 1) return 0
  let shared = 0
  for (const word of a.words) if (word.length > 2 && b.words.includes(word)) shared += word.length
  if (shared === 0) return 0
  const share = shared / Math.max(a.text.length - a.words.length + 1, b.text.length - b.words.length + 1)
  return share >= 0.45 ? 0.62 + 0.25 * share : 0
}

function lettersIn(text: string): number {
  let letters = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code >= 65 && code <= 90) letters |= 1 << (code - 65)
    else if (code >= 48 && code <= 57) letters |= 1 << (26 + ((code - 48) >> 1))
  }
  return letters
}

/** How many bits are set. */
function bits(n: number): number {
  let left = n - ((n >>> 1) & 0x55555555)
  left = (left & 0x33333333) + ((left >>> 2) & 0x33333333)
  return Math.imul((left + (left >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}

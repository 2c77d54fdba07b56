import { handlesSought, type Handles } from './aliases.ts'
import { edits, lettersIn, mayBeWithin } from './edits.ts'
import { soundOf } from './sound.ts'

/** Costs of differences between two names, subtracted from 1, the likeness of equal names. */
const COST = {
  edit: 0.1,
  /**
   * A single error without a new letter: a letter was omitted, or two were swapped. More likely than an error with one specific
   * new letter out of 26.
   */
  edit_without_letter: 0.09,
  /** The only letter was replaced, so nothing is left of the name. */
  nothing_left: 0.08,
  /** Two names whose numbers differ (12TH, 13TH) are less alike than their edit distance. */
  other_digits: 0.12,
  spacing: 0.03,
  /** Names that sound alike, plus a cost for each edit after the first. */
  sound: 0.11,
  sound_edit: 0.01,
  ordinal: 0.04,
} as const

/** Names that sound alike but differ by more edits are probably different names. */
const SOUND_EDITS_MAX = 5

/** A given name with values that are computed once for all comparisons. */
export interface Name {
  text: string
  letters: number
  words: readonly string[]
  /** Its digits, in order. */
  digits: string
  /** `12` of `12` and `12TH`; empty for any other text. */
  number: string
  /** Other names of it, see `handlesSought`. */
  handles: Handles
  sound: string
}

export function nameOf(text: string): Name {
  return {
    text,
    letters: lettersIn(text),
    words: text.split(' '),
    digits: digitsIn(text),
    number: numberIn(text),
    handles: handlesSought(text),
    sound: soundOf(text),
  }
}

/** The likeness of a given name and another: 1 if equal, 0 if nothing is in common. */
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

/** The likeness of a given name and one that is an alias of it or sounds like it; 0 otherwise. */
export function aliasLikeness(
  typed: Name,
  { base, handles, sound }: { base: string; handles: readonly string[]; sound: string },
): number {
  let best = 0
  for (const handle of handles) best = Math.max(best, typed.handles.get(handle) ?? 0)
  if (sound !== typed.sound || typed.digits !== digitsIn(base)) return best
  const d = edits(typed.text, base, SOUND_EDITS_MAX)
  return d > SOUND_EDITS_MAX ? best : Math.max(best, 1 - COST.sound - COST.sound_edit * (d - 1))
}

/** The likeness of texts that are one edit apart; 0 otherwise. */
export function oneChange(typed: Name, other: string): number {
  if (!mayBeOneApart(typed, other.length, lettersIn(other)) || edits(typed.text, other, 1) !== 1) return 0
  return 1 - oneEdit(typed.text, other) - (typed.digits === digitsIn(other) ? 0 : COST.other_digits)
}

/** Whether a text of that length and those letters may be within the edit limit. */
export function mayBeNear(typed: Name, length: number, letters: number): boolean {
  const limit = editLimit(Math.min(typed.text.length, length))
  return Math.abs(typed.text.length - length) <= limit && mayBeWithin(typed.letters, letters, limit)
}

/** The same for one edit. */
export function mayBeOneApart(typed: Name, length: number, letters: number): boolean {
  return Math.abs(typed.text.length - length) <= 1 && mayBeWithin(typed.letters, letters, 1)
}

/** Words that make two names alike although their edit distance exceeds the limit. */
export function isDistinctive(word: string): boolean {
  return word.length > 2
}

function oneEdit(typed: string, other: string): number {
  if (typed.length < other.length || isSwap(typed, other)) return COST.edit_without_letter
  return COST.edit + (typed.length === 1 ? COST.nothing_left : 0)
}

/** For two texts that are one edit apart. */
export function isSwap(a: string, b: string): boolean {
  if (a.length !== b.length) return false
  let i = 0
  while (a[i] === b[i]) i++
  return i + 1 < a.length && a[i] === b[i + 1] && a[i + 1] === b[i]
}

/** Allowed edits in a name of that length. */
function editLimit(length: number): number {
  return length <= 4 ? 1 : length <= 8 ? 2 : 3
}

/** For names that share only some words: `LUTHER KING` is near `MARTIN LUTHER KING`, `KING` is not. */
function sharedWords(typed: Name, other: string): number {
  if (typed.words.length === 1 && !other.includes(' ')) return 0
  const theirs = other.split(' ')
  if (typed.digits !== digitsIn(other)) return 0
  let shared = 0
  for (const word of typed.words) if (isDistinctive(word) && theirs.includes(word)) shared += word.length
  if (shared === 0) return 0
  const letters = Math.max(typed.text.length - typed.words.length, other.length - theirs.length) + 1
  const share = shared / letters
  return share >= 0.45 ? 0.62 + 0.25 * share : 0
}

export function digitsIn(text: string): string {
  return /\d/.test(text) ? text.replace(/\D+/g, '') : ''
}

function numberIn(text: string): string {
  return /^(\d+)(?:ST|ND|RD|TH)?$/.exec(text)?.[1] ?? ''
}

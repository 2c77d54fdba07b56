import { LETTER_BITS, lettersIn } from './edits.ts'
import { mayBeNear, mayBeOneApart, type Name } from './names.ts'
import type { Typed } from './score.ts'
import { INVARIANT_LETTERS } from './sound.ts'

const TAB = 9
const SPACE = 32
const BAR = 124
/** A longer one-word name can't be initials, so its only traits are itself and its sound. */
const INITIALS_MAX = 4

/** Whether the street of a line may be alike; `perhaps` if that depends on traits and spellings that the line doesn't show. */
type Likely = 'yes' | 'perhaps'

/**
 * Calls `found` with the start of each line whose street may be like the given one. Lines begin at `starts`. Works on characters
 * without allocating, because most lines don't match. `bases` are names that match regardless of their letters.
 */
export function filterLines(
  lines: string,
  starts: readonly number[],
  { readings, label }: Typed,
  bases: readonly string[],
  found: (start: number, likely: Likely) => void,
): void {
  const names = readings.map(({ name }) => name)
  const invariant = names.map((name) => name.letters & INVARIANT_LETTERS)
  const letters_of_bases = bases.map(lettersIn)
  for (const start of starts) {
    let at = start
    // id and postal code
    for (let tabs = 0; tabs < 2 && at < lines.length; at++) if (lines.charCodeAt(at) === TAB) tabs++
    const label_start = at
    let label_letters = 0
    for (let code = 0; at < lines.length && (code = lines.charCodeAt(at)) !== TAB; at++)
      label_letters |= LETTER_BITS[code] ?? 0
    const label_length = at - label_start
    const base_start = ++at
    let base_letters = 0
    let is_one_word = true
    for (let code = 0; at < lines.length && (code = lines.charCodeAt(at)) !== BAR; at++) {
      base_letters |= LETTER_BITS[code] ?? 0
      if (code === SPACE) is_one_word = false
    }
    const base_length = at - base_start
    if (isNear(names, base_length, base_letters) || mayBeOneApart(label, label_length, label_letters))
      found(start, 'yes')
    else if (
      !is_one_word ||
      base_length <= INITIALS_MAX ||
      letters_of_bases.includes(base_letters) ||
      invariant.includes(base_letters & INVARIANT_LETTERS)
    )
      found(start, 'perhaps')
  }
}

function isNear(names: readonly Name[], length: number, letters: number): boolean {
  for (const name of names) if (mayBeNear(name, length, letters)) return true
  return false
}

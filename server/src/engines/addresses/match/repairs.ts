import { highwayWords } from '../normalize/highway.ts'
import { parseStreet, type Street, type StreetPlace } from '../normalize/street.ts'
import { words } from '../normalize/text.ts'
import { fullTypeWord, typeWords, type Country } from '../normalize/types.ts'
import { ordinal, wordsInNames } from '../normalize/words-in-names.ts'
import { edits, lettersIn, mayBeWithin } from './edits.ts'

/** A word with a role in the text of a street: type, direction, ordinal, or kind of road. */
interface KnownWord {
  text: string
  letters: number
}

/** Words that are corrected; later words are part of the name. */
const WORDS_MAX = 8
const vocabularies: Record<Country, readonly KnownWord[]> = { US: vocabulary('US'), CA: vocabulary('CA') }

/**
 * Corrects one error in a word that has a role: the type in `CHEMNI DU LAC`, the kind of road in `SU 31`, the number in
 * `FIFHT AVE`. Each result is a complete street. Errors in the name itself are found by comparing names.
 */
export function repairs(text: string, place: StreetPlace): Street[] {
  const found = words(text).filter((word) => word !== '#')
  const own = found.length === 1 ? undefined : place.state
  const all = new Map<string, Street>()
  found.slice(0, WORDS_MAX).forEach((word, i) => {
    for (const corrected of correctionsOf(word, place.country, own)) {
      const street = parseStreet(found.with(i, corrected).join(' '), place)
      if (!all.has(street.key)) all.set(street.key, street)
    }
  })
  return [...all.values()]
}

/** Words one edit away, one for all spellings of a type. `own` is the state, whose letters begin the names of its highways. */
function correctionsOf(word: string, country: Country, own: string | undefined): Set<string> {
  const corrections = new Set<string>()
  const letters = lettersIn(word)
  const near = (other: string) => edits(word, other, 1) === 1
  for (const known of vocabularies[country]) {
    if (Math.abs(known.text.length - word.length) > 1 || !mayBeWithin(letters, known.letters, 1)) continue
    if (near(known.text)) corrections.add(known.text.length > 2 ? (fullTypeWord(known.text) ?? known.text) : known.text)
  }
  if (own !== undefined && near(own)) corrections.add(own)
  const n = /^(\d+)[A-Z]+$/.exec(word)?.[1]
  if (n !== undefined) for (const one of ordinals(Number(n), country)) if (near(one)) corrections.add(one)
  return corrections
}

function ordinals(n: number, country: Country): string[] {
  return country === 'US' ? [ordinal(n)] : [ordinal(n), `${n}E`, `${n}RE`, `${n}ER`]
}

function vocabulary(country: Country): KnownWord[] {
  const all = new Set([...typeWords(country), ...wordsInNames(), ...highwayWords()])
  return [...all].map((text) => ({ text, letters: lettersIn(text) }))
}

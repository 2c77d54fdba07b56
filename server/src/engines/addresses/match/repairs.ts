import { highwayWords } from '../normalise/highway.ts'
import { parseStreet, type Street, type StreetPlace } from '../normalise/street.ts'
import { words } from '../normalise/text.ts'
import { fullTypeWord, typeWords, type Country } from '../normalise/types.ts'
import { ordinal, wordsInNames } from '../normalise/words-in-names.ts'
import { edits, lettersIn, mayBeWithin } from './edits.ts'

/** A word that is read as something: a type, a direction, an ordinal, a kind of road. */
interface KnownWord {
  text: string
  letters: number
}

/** Words of a text that are mended; the rest of a longer one is name. */
const MOST_WORDS = 8
const vocabularies: Record<Country, readonly KnownWord[]> = { US: vocabulary('US'), CA: vocabulary('CA') }

/**
 * What a text may have been before one error in a word that is read as something: of `CHEMNI DU LAC` the type, of
 * `SU 31` the kind of road, of `FIFHT AVE` the number. Each is a whole street; a name must be looked for as it is.
 */
export function repairs(text: string, place: StreetPlace): Street[] {
  const found = words(text).filter((word) => word !== '#')
  const own = found.length === 1 ? undefined : place.state
  const all = new Map<string, Street>()
  found.slice(0, MOST_WORDS).forEach((word, i) => {
    for (const meant of meantBy(word, place.country, own)) {
      const street = parseStreet(found.with(i, meant).join(' '), place)
      if (!all.has(street.key)) all.set(street.key, street)
    }
  })
  return [...all.values()]
}

/** Words one change away. Spellings of one type count once. `own` is the state, whose letters begin its highways. */
function meantBy(word: string, country: Country, own: string | undefined): Set<string> {
  const meant = new Set<string>()
  const letters = lettersIn(word)
  const near = (other: string) => edits(word, other, 1) === 1
  for (const known of vocabularies[country]) {
    if (Math.abs(known.text.length - word.length) > 1 || !mayBeWithin(letters, known.letters, 1)) continue
    if (near(known.text)) meant.add(known.text.length > 2 ? (fullTypeWord(known.text) ?? known.text) : known.text)
  }
  if (own !== undefined && near(own)) meant.add(own)
  const n = /^(\d+)[A-Z]+$/.exec(word)?.[1]
  if (n !== undefined) for (const one of ordinals(Number(n), country)) if (near(one)) meant.add(one)
  return meant
}

function ordinals(n: number, country: Country): string[] {
  return country === 'US' ? [ordinal(n)] : [ordinal(n), `${n}E`, `${n}RE`, `${n}ER`]
}

function vocabulary(country: Country): KnownWord[] {
  const all = new Set([...typeWords(country), ...wordsInNames(), ...highwayWords()])
  return [...all].map((text) => ({ text, letters: lettersIn(text) }))
}

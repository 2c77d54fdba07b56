import {
  englishDirection,
  frenchDirection,
  fullDirection,
  fullTypeWord,
  parseStreet,
  type StreetPlace,
  typeAbbreviation,
  typeId,
  words,
} from '../../server/src/engines/addresses/index.ts'
import type { Random } from './random.ts'

/** The words of a street's text by their role. */
interface Roles {
  found: string[]
  french: boolean
  /** Index of the type's word, or -1. */
  type: number
  /** Indices of the words of the directions. */
  directions: number[]
  /** Indices of the words of the name. */
  name: number[]
}

const OTHER_TYPES = ['ST', 'AVE', 'RD', 'DR', 'LN', 'CT', 'BLVD', 'PL', 'WAY', 'CIR', 'TER', 'TRL']
const OTHER_FRENCH_TYPES = ['RUE', 'AV', 'BOUL', 'CH', 'PLACE', 'MONTEE']
const ORDINAL_WORDS: Record<string, string> = {
  '1ST': 'First',
  '2ND': 'Second',
  '3RD': 'Third',
  '4TH': 'Fourth',
  '5TH': 'Fifth',
  '6TH': 'Sixth',
  '7TH': 'Seventh',
  '8TH': 'Eighth',
  '9TH': 'Ninth',
  '10TH': 'Tenth',
  '12TH': 'Twelfth',
  '15TH': 'Fifteenth',
  '20TH': 'Twentieth',
  '21ST': 'Twenty-First',
}
const FRENCH_WORDS: Record<string, string> = {
  AV: 'avenue',
  BOUL: 'boulevard',
  CH: 'chemin',
  RTE: 'route',
  MTEE: 'montée',
}
const FRENCH_DIRECTION_WORDS: Record<string, string> = { N: 'Nord', S: 'Sud', E: 'Est', W: 'Ouest' }
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'

/** The same street in another style: words spelt out or abbreviated, other case, points, spaces. */
export function restyled(text: string, place: StreetPlace, random: Random): string {
  const { found, french, type, directions } = roles(text, place)
  const out = found.map((word, i) => {
    if (i === type) return restyledType(word, french, place, random)
    if (directions.includes(i)) return restyledDirection(word, french, random)
    const ordinal = ORDINAL_WORDS[word]
    if (ordinal !== undefined && !french && random.next() < 0.5) return ordinal
    if (word === 'ST' && i === 0 && found.length > 1) return random.next() < 0.5 ? 'Saint' : 'St.'
    return word
  })
  const joined = out.join(random.next() < 0.1 ? '  ' : ' ')
  const style = random.below(3)
  return style === 0 ? joined.toLowerCase() : style === 1 ? joined.toUpperCase() : titled(joined)
}

function restyledType(word: string, french: boolean, place: StreetPlace, random: Random): string {
  if (french) return FRENCH_WORDS[word] ?? word
  const full = fullTypeWord(word) ?? word
  const short = typeAbbreviation(typeId(word, place.country) ?? word, place.country)
  return random.next() < 0.7 ? full : random.next() < 0.5 ? short : `${short}.`
}

function restyledDirection(word: string, french: boolean, random: Random): string {
  const id = (french ? frenchDirection(word) : englishDirection(word)) ?? word
  const full = french ? (FRENCH_DIRECTION_WORDS[id] ?? word) : fullDirection(id)
  return random.next() < 0.7 ? full : random.next() < 0.5 ? word : `${word.split('').join('.')}.`
}

/** One letter of the name changed, lost, added or swapped with its neighbour. Undefined for a name without two letters. */
export function withTypo(text: string, place: StreetPlace, random: Random): string | undefined {
  const { found, name } = roles(text, place)
  const candidates = name.filter((i) => (found[i] ?? '').replace(/[^A-Z]/g, '').length >= 2)
  return replaced(found, random.pick(candidates), (word) => mistyped(word, random))
}

/** The same in the type or a direction. */
export function withTypoBesidesName(text: string, place: StreetPlace, random: Random): string | undefined {
  const { found, type, directions } = roles(text, place)
  const candidates = [...(type < 0 ? [] : [type]), ...directions].filter((i) => (found[i] ?? '').length >= 2)
  return replaced(found, random.pick(candidates), (word) => mistyped(word, random))
}

export function withOtherType(text: string, place: StreetPlace, random: Random): string | undefined {
  const { found, type, french } = roles(text, place)
  if (type < 0) return undefined
  const language = french ? 'fr' : 'en'
  const own = typeId(found[type] ?? '', place.country, language)
  const others = (french ? OTHER_FRENCH_TYPES : OTHER_TYPES).filter(
    (one) => typeId(one, place.country, language) !== own,
  )
  return replaced(found, type, () => random.pick(others) ?? '')
}

export function withoutType(text: string, place: StreetPlace): string | undefined {
  const { found, type, name } = roles(text, place)
  return type < 0 || name.length === 0 ? undefined : replaced(found, type, () => '')
}

export function withoutDirection(text: string, place: StreetPlace, random: Random): string | undefined {
  const { found, directions } = roles(text, place)
  return replaced(found, random.pick(directions), () => '')
}

/** A name with one letter mistyped: of a city. Undefined when it has fewer than two letters. */
export function cityWithTypo(city: string, random: Random): string | undefined {
  return city.replace(/[^A-Z]/gi, '').length < 2 ? undefined : mistyped(city.toUpperCase(), random)
}

/** A ZIP or postal code with one character changed or two swapped. */
export function codeWithTypo(code: string, random: Random): string {
  const at = random.below(code.length)
  const character = code[at] ?? ''
  const from = /\d/.test(character) ? '0123456789' : 'ABCEGHJKLMNPRSTVXY'
  const swap = code[at + 1] ?? ''
  if (random.next() < 0.3 && /\d/.test(character) && /\d/.test(swap))
    return code.slice(0, at) + swap + character + code.slice(at + 2)
  return character === ' ' ? code : code.slice(0, at) + (random.pick([...from]) ?? '') + code.slice(at + 1)
}

function roles(text: string, place: StreetPlace): Roles {
  const found = words(text)
  const street = parseStreet(text, place)
  const french = street.language === 'fr'
  // a numbered road is parsed as English, but its direction may be in French
  const inFrench = (word: string | undefined) => (place.country === 'CA' ? frenchDirection(word) : undefined)
  const direction = (word: string | undefined) =>
    french ? frenchDirection(word) : (englishDirection(word) ?? inFrench(word))
  const directions: number[] = []
  if (street.pre !== '') directions.push(...(direction(found[0]) === street.pre ? [0] : [0, 1]))
  const last = found.length - 1
  if (street.post !== '') directions.push(...(direction(found[last]) === street.post ? [last] : [last - 1, last]))
  const free = found.map((_, i) => i).filter((i) => !directions.includes(i))
  const isType = (i: number | undefined) =>
    i !== undefined && street.type !== '' && typeId(found[i] ?? '', place.country, street.language) === street.type
  const type = isType(free.at(-1)) ? (free.at(-1) ?? -1) : french && isType(free[0]) ? (free[0] ?? -1) : -1
  return { found, french, type, directions, name: free.filter((i) => i !== type) }
}

function replaced(found: string[], at: number | undefined, change: (word: string) => string): string | undefined {
  if (at === undefined || at < 0) return undefined
  const out = found.map((word, i) => (i === at ? change(word) : word)).filter((word) => word !== '')
  return out.length === 0 ? undefined : out.join(' ')
}

function mistyped(word: string, random: Random): string {
  const letters = [...word].flatMap((character, i) => (/[A-Z]/.test(character) ? [i] : []))
  const at = random.pick(letters) ?? 0
  const letter = random.pick([...ALPHABET]) ?? 'X'
  const kind = random.below(4)
  if (kind === 0) return word.slice(0, at) + letter + word.slice(at + 1)
  if (kind === 1) return word.slice(0, at) + word.slice(at + 1)
  if (kind === 2) return word.slice(0, at) + letter + word.slice(at)
  const next = letters.includes(at + 1) ? at : at - 1
  return next < 0
    ? letter + word.slice(1)
    : word.slice(0, next) + (word[next + 1] ?? '') + (word[next] ?? '') + word.slice(next + 2)
}

function titled(text: string): string {
  return text
    .toLowerCase()
    .replace(/(^|[ -])([a-z])/g, (_, before: string, letter: string) => before + letter.toUpperCase())
}

import { isDoubtfulSuffix, suffixesMeant } from './county-suffixes.ts'
import { readHighway } from './highway.ts'
import { words } from './text.ts'
import type { StreetEnd } from './unit.ts'
import { isStrongType, typeAbbreviation, typeId, type Country, type Language } from './types.ts'
import { comparable, englishDirection, frenchDirection, frenchDirectionLabel, frenchOrdinal } from './words-in-names.ts'

/** A street parsed from its text. Texts with the same `key` are the same street. */
export interface Street {
  language: Language
  /** Directions are ids: N, S, E, W, NE, NW, SE, SW in both languages. */
  pre: string
  name: string
  /** An id of `types.ts`, or empty. */
  type: string
  post: string
  /** As written in responses: upper case, with the abbreviations of the postal authority. Parsing it gives the same key. */
  label: string
  /** The compared form of the name. */
  base: string
  key: string
  /** Equally likely readings of the same words: `NORTH WEST 5TH ST` is NW 5th and the north of West 5th. */
  other_readings: readonly Reading[]
}

export interface Reading {
  base: string
  key: string
  /** Only for datasets that spell the suffix like this: `US LA LN` reads `THAIS LA` as THAIS LN. */
  learned?: string
}

export interface StreetPlace {
  country: Country
  state: string
}

interface StreetParts {
  pre: string
  name: readonly string[]
  type: string
  post: string
  /** The compared name, if it isn't derived from the words. */
  base?: string
}

/** French types that are also English; the rest of the text shows whether they precede the name. */
const IN_BOTH_LANGUAGES = new Set(
  'AVENUE AVE AV BOULEVARD BLVD PLACE PL ROUTE RTE PROMENADE PROM SQUARE SQ PASSAGE PLATEAU CIRCUIT CIRCT ESPLANADE ESPL CENTRE C POINTE PTE'.split(
    ' ',
  ),
)

/**
 * Parses the text of a street in any style: `north main street` and `N. Main St` have the same key. Accepts any text; without a
 * word, the key has no name (`|||`). A text and its label always parse to the same street.
 */
export function parseStreet(text: string, place: StreetPlace): Street {
  const read = readText(text, place)
  const again = readText(read.label, place)
  return again.key === read.key ? read : again
}

function readText(text: string, place: StreetPlace): Street {
  const found = words(text).filter((word) => word !== '#')
  const road = readHighway(found, place)
  if (road)
    return street({ pre: road.pre, name: [road.name], type: '', post: road.post, base: road.base }, place.country, 'en')
  const french = place.country === 'CA' ? splitFrench(found, place.state) : undefined
  if (french) return street(french, place.country, 'fr')
  const parts = splitEnglish(found, place.country, joinsPair(found))
  const read = street(parts, place.country, 'en')
  if (!isPair(found)) return withCountySuffix(read, parts, place.country)
  const other = street(splitEnglish(found, place.country, !joinsPair(found)), place.country, 'en')
  return other.key === read.key ? read : { ...read, other_readings: [{ base: other.base, key: other.key }] }
}

/** Also reads `MISSION BL` as MISSION BLVD, which the data may have. */
function withCountySuffix(read: Street, parts: StreetParts, country: Country): Street {
  const last = parts.name.at(-1) ?? ''
  if (parts.type !== '' || parts.name.length < 2) return read
  const [type, ...others] = suffixesMeant(last, country)
  if (type === undefined || others.length > 0) return read
  const { base, key } = street({ ...parts, name: parts.name.slice(0, -1), type }, country, 'en')
  const learned = isDoubtfulSuffix(last) ? { learned: `${country} ${last} ${type}` } : {}
  return { ...read, other_readings: [{ base, key, ...learned }] }
}

/**
 * Every reading of the same words, for the search for similar streets: `GROVE PARK` is a park called Grove, or a street called
 * Grove Park without its type; `S NW` may lack the type between name and direction. The first is the one of `parseStreet`; all
 * are different.
 */
export function readings(text: string, place: StreetPlace): Street[] {
  const first = parseStreet(text, place)
  const found = words(text).filter((word) => word !== '#')
  const all = new Map([[first.key, first]])
  for (const [parts, language] of splits(found, place.country)) {
    const reading = street(parts, place.country, language)
    if (!all.has(reading.key)) all.set(reading.key, reading)
  }
  return [...all.values()]
}

/** With and without each of the words that may be a direction or a type. */
function splits(found: readonly string[], country: Country): [StreetParts, Language][] {
  const out: [StreetParts, Language][] = []
  for (const lead of leadingDirections(found, isPair(found))) {
    for (const trail of trailingDirections(found)) {
      const middle = found.slice(lead.length, found.length - trail.length)
      if (middle.length === 0) continue
      const ends = { pre: lead.id, post: trail.id }
      out.push([{ ...ends, name: middle, type: '' }, 'en'])
      if (middle.length === 1) continue
      const last = middle.at(-1) ?? ''
      const types = [typeId(last, country) ?? suffixesMeant(last, country)].flat()
      for (const type of types) out.push([{ ...ends, name: middle.slice(0, -1), type }, 'en'])
    }
  }
  const first = country === 'CA' && found.length > 1 ? typeId(found[0] ?? '', 'CA', 'fr') : undefined
  if (first !== undefined) out.push([{ pre: '', name: found.slice(1), type: first, post: '' }, 'fr'])
  return out
}

/** Whether the text ends like a complete street, see `hiddenUnit`. */
export function streetEnd(text: string, place: StreetPlace): StreetEnd {
  const { type, post, base } = parseStreet(text, place)
  // COUNTY RD 5 is complete; 1ST may continue: 1ST SIDE RD
  if (post !== '' || isStrongType(type) || / .*\d/.test(base)) return 'surely'
  return type === '' ? 'no' : 'perhaps'
}

function street(parts: StreetParts, country: Country, language: Language): Street {
  const { pre, type, post } = parts
  const french = language === 'fr'
  const name = parts.name.map((word) => displayed(word, french)).join(' ')
  const base = parts.base ?? comparable(parts.name, country === 'CA')
  const typeLabel = type === '' ? '' : typeAbbreviation(type, country, language)
  const typeFirst = french && (parts.name.length > 1 || frenchOrdinal(parts.name[0]) === undefined)
  const middle = typeFirst ? [typeLabel, name] : [name, typeLabel]
  const label = [pre, ...middle, french ? frenchDirectionLabel(post) : post].filter(Boolean).join(' ')
  return { language, pre, name, type, post, label, base, key: `${base}|${type}|${pre}|${post}`, other_readings: [] }
}

/** Only a French elision keeps its apostrophe. */
function displayed(word: string, french: boolean): string {
  if (!word.includes("'")) return word
  return french && /^(?:L|D|QU)'/.test(word) ? word : word.replaceAll("'", '')
}

/** Whether the text starts with two directions that could be one. */
function isPair(found: readonly string[]): boolean {
  return /^[NS]$/.test(englishDirection(found[0]) ?? '') && /^[EW]$/.test(englishDirection(found[1]) ?? '')
}

/** N W 5TH is NW 5TH, but in S WEST TEMPLE the second direction begins the name. */
function joinsPair(found: readonly string[]): boolean {
  return isPair(found) && found[1]?.length === 1
}

function splitEnglish(found: readonly string[], country: Country, joined: boolean): StreetParts {
  const leads = leadingDirections(found, joined)
  const trails = trailingDirections(found)
  for (const wantType of [true, false]) {
    for (const lead of leads) {
      for (const trail of trails) {
        const middle = found.slice(lead.length, found.length - trail.length)
        const type = wantType && middle.length > 0 ? typeId(middle.at(-1) ?? '', country) : ''
        if (type === undefined) continue
        const name = wantType ? middle.slice(0, -1) : middle
        if (!isName(name, type, lead.id, trail, country)) continue
        return { pre: lead.id, name, type, post: trail.id }
      }
    }
  }
  return { pre: '', name: found, type: '', post: '' }
}

/** Whether the words are a plausible name without type and directions. */
function isName(
  name: readonly string[],
  type: string,
  pre: string,
  trail: { id: string; length: number },
  country: Country,
): boolean {
  const only = name.length === 1 ? (name[0] ?? '') : ''
  if (name.length === 0) return false
  // `E LAKE` is the eastern part of Lake, not the lake called E
  if (pre === '' && type !== '' && englishDirection(only) !== undefined && !isStrongType(type) && trail.length === 0)
    return false
  // AVENUE N is a name
  if (type === '' && trail.length > 0 && isStrongType(typeId(only, country) ?? '')) return false
  return true
}

interface Direction {
  id: string
  length: number
}
const NONE: Direction = { id: '', length: 0 }

/** Directions that may be removed from the start, longest first; the last is none. */
function leadingDirections(found: readonly string[], joined: boolean): Direction[] {
  const first = englishDirection(found[0])
  if (first === undefined) return [NONE]
  const pair = { id: first + (englishDirection(found[1]) ?? ''), length: 2 }
  return [...(joined ? [pair] : []), { id: first, length: 1 }, NONE]
}

/** Directions that may be removed from the end, longest first; the last is none. */
function trailingDirections(found: readonly string[]): Direction[] {
  const [before = '', last] = [englishDirection(found.at(-2)), englishDirection(found.at(-1))]
  if (last === undefined) return [NONE]
  const joined = /^[NS]$/.test(before) && /^[EW]$/.test(last)
  return [...(joined ? [{ id: before + last, length: 2 }] : []), { id: last, length: 1 }, NONE]
}

function splitFrench(found: readonly string[], state: string): StreetParts | undefined {
  const [first = '', second] = found
  if (frenchOrdinal(first) !== undefined && second !== undefined) {
    const type = typeId(second, 'CA', 'fr')
    const post = found.length === 2 ? '' : found.length === 3 ? frenchDirection(found[2]) : undefined
    if (type !== undefined && post !== undefined) return { pre: '', name: [first], type, post }
  }
  const type = typeId(first, 'CA', 'fr')
  if (found.length < 2) return undefined
  if (type === undefined) return state === 'QC' ? frenchWithoutType(found) : undefined
  if (!isTypeFirst(found, state)) return undefined
  const trail = frenchTrail(found)
  // RUE DU NORD: without the direction, only an article would remain
  const last = found.slice(1, found.length - trail.length).every((word) => ARTICLE.test(word)) ? NONE : trail
  return { pre: '', name: found.slice(1, found.length - last.length), type, post: last.id }
}

/** GRANDE ALLEE EST, TRAIT CARRE O: no type, and a direction that only French has. */
function frenchWithoutType(found: readonly string[]): StreetParts | undefined {
  const last = found.at(-1)
  const post = frenchDirection(last)
  if (post === undefined || englishDirection(last) !== undefined) return undefined
  return { pre: '', name: found.slice(0, -1), type: '', post }
}

const ARTICLE = /^(?:DU|DE|DES|LA|LE|LES|L|D|AU|AUX)$/

function frenchTrail(found: readonly string[]): Direction {
  const last = frenchDirection(found.at(-1))
  if (last === undefined || found.length < 3) return NONE
  const before = found.length > 3 ? frenchDirection(found.at(-2)) : undefined
  if (before !== undefined && /^[NS]$/.test(before) && /^[EW]$/.test(last)) return { id: before + last, length: 2 }
  return { id: last, length: 1 }
}

/** Whether the first word is a French type before its name, not the start of an English name (`AVENUE ROAD`). */
function isTypeFirst(found: readonly string[], state: string): boolean {
  const first = found[0] ?? ''
  const rest = found.slice(1).filter((word, i, all) => i < all.length - 1 || englishDirection(word) === undefined)
  const last = rest.at(-1)
  if (last === undefined) return !IN_BOTH_LANGUAGES.has(first)
  const endsInType = isStrongType(typeId(last, 'CA') ?? '')
  if (endsInType) return false
  return state === 'QC' || !IN_BOTH_LANGUAGES.has(first) || typeId(last, 'CA') === undefined
}

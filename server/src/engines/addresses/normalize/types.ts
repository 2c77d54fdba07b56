import { CANADA_ENGLISH, CANADA_FRENCH } from './types-canada.ts'
import { US_TYPES } from './types-us.ts'

export type Country = 'US' | 'CA'
export type Language = 'en' | 'fr'

interface TypeTable {
  /** Any spelling → id. */
  ids: Map<string, string>
  /** id → as written in responses. */
  abbreviations: Map<string, string>
}

const EMPTY = new Map<string, string>()

const us = table(US_TYPES.replace(/^(\S+)/gm, '$1 $1'))
const canadaEnglish = table(CANADA_ENGLISH, us.ids)
// GRANDE ALLEE is not an alley
canadaEnglish.ids.delete('ALLEE')
const canadaFrench = table(CANADA_FRENCH)
/** The full form of a type word, the same in both countries; plurals have their own. */
const full_words = fullWords()

/**
 * Types that hardly ever end a name: `E CIR` is the circle called E, but `E LAKE` is the eastern part of Lake.
 */
const STRONG = new Set(
  'ST AVE RD DR LN BLVD CT PL CIR WAY TER HWY PKWY TRL SQ ALY CRES LOOP RUN CV PLZ FWY EXPY XING'.split(' '),
)

/** The id of a street type (`STREET`, `STRT`, `ST` → `ST`); undefined if the word isn't one in that country and language. */
export function typeId(word: string, country: Country, language: Language = 'en'): string | undefined {
  if (language === 'fr') return canadaFrench.ids.get(word)
  return (country === 'CA' ? canadaEnglish : us).ids.get(word)
}

/** The postal authority's abbreviation of a type id: `TRL` is `TRL` in the US and `TRAIL` in Canada, `RUE` in French for `ST`. */
export function typeAbbreviation(id: string, country: Country, language: Language = 'en'): string {
  const abbreviations = country === 'US' ? EMPTY : (language === 'fr' ? canadaFrench : canadaEnglish).abbreviations
  return abbreviations.get(id) ?? id
}

export function isStrongType(id: string): boolean {
  return STRONG.has(id)
}

/** `CRK` → `CREEK`, `MTN` → `MOUNTAIN`, `TRLS` → `TRAILS`; undefined for a word that isn't a type. */
export function fullTypeWord(word: string): string | undefined {
  return full_words.get(word)
}

/** Every spelling of a type in a country, in all its languages. */
export function typeWords(country: Country): string[] {
  return country === 'US' ? [...us.ids.keys()] : [...canadaEnglish.ids.keys(), ...canadaFrench.ids.keys()]
}

function lines(text: string): string[][] {
  return text
    .trim()
    .split('\n')
    .map((line) => line.split(' '))
}

function table(text: string, fallback: ReadonlyMap<string, string> = EMPTY): TypeTable {
  const ids = new Map(fallback)
  const abbreviations = new Map<string, string>()
  for (const [id = '', abbreviation = '', ...spellings] of lines(text)) {
    if (!abbreviations.has(id)) abbreviations.set(id, abbreviation)
    for (const spelling of [abbreviation, ...spellings]) ids.set(spelling, id)
  }
  return { ids, abbreviations }
}

/**
 * In a name, a plural is a different name (Parks Rd, Park Rd), although both are one type as a suffix. So a spelling that is
 * another of its group plus S or ES keeps the S.
 */
function fullWords(): Map<string, string> {
  const full = new Map<string, string>()
  for (const [id = '', word = '', ...others] of lines(US_TYPES)) {
    const group = new Set([id, word, ...others])
    for (const spelling of group) {
      const plural =
        spelling !== id && spelling !== word && (group.has(cut(spelling, 'S')) || group.has(cut(spelling, 'ES')))
      full.set(spelling, plural ? plurals(word) : word)
    }
  }
  for (const [id = '', , word = '', ...others] of lines(CANADA_ENGLISH)) {
    const common = full.get(id) ?? word
    for (const spelling of [word, ...others]) if (!full.has(spelling)) full.set(spelling, common)
  }
  return full
}

function plurals(word: string): string {
  return word.endsWith('SS') ? word : word.endsWith('CH') ? `${word}ES` : `${word}S`
}

function cut(word: string, ending: string): string {
  return word.endsWith(ending) ? word.slice(0, -ending.length) : ''
}

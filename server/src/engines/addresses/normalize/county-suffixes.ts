import { fullTypeWord, typeId, type Country } from './types.ts'

/**
 * Spellings of suffixes that counties use but no postal authority lists: `MISSION BL`. They are not types everywhere, because a
 * name may end in the same letters; a dataset shows whether they are (street-data/import/suffixes.ts).
 */
const SPELLINGS: Record<string, string> = {
  AL: 'ALY',
  BL: 'BLVD',
  BV: 'BLVD',
  CI: 'CIR',
  CM: 'CMN',
  EX: 'EXPY',
  EY: 'EXPY',
  FW: 'FWY',
  FY: 'FWY',
  GL: 'GLN',
  GN: 'GLN',
  HW: 'HWY',
  HY: 'HWY',
  LA: 'LN',
  LP: 'LOOP',
  PA: 'PATH',
  PH: 'PATH',
  PW: 'PKWY',
  PY: 'PKWY',
  PZ: 'PLZ',
  RN: 'RUN',
  RW: 'ROW',
  TE: 'TER',
  TL: 'TRL',
  TP: 'TPKE',
  WK: 'WALK',
  XG: 'XING',
}

/** Spellings that also end names: `LOS AL`, `DE LA`. */
const DOUBTFUL = new Set(['AL', 'EX', 'LA', 'PA'])

/** Types that other abbreviations may stand for. */
const COMMON =
  'ALY AVE BLVD CIR CMN CRES CT CV DR EXPY FWY HWY LN LOOP PATH PKWY PL PLZ RD ROW RUN SQ ST TER TRL WALK WAY XING'.split(
    ' ',
  )

/** The types that a word may abbreviate: several if it is ambiguous (`TR`), none for a type or a word of a name. */
export function suffixesMeant(word: string, country: Country): readonly string[] {
  if (typeId(word, country) !== undefined) return []
  const listed = SPELLINGS[word]
  if (listed !== undefined) return [listed]
  // abbreviations drop vowels; TEE and ROD are words, although TERRACE and ROAD have their letters
  if (!/^[A-Z][B-DF-HJ-NP-TV-Z]{1,3}$/.test(word)) return []
  return COMMON.filter((id) => abbreviates(word, fullTypeWord(id) ?? id))
}

/** Whether it takes several streets to show that the word is a suffix. */
export function isDoubtfulSuffix(word: string): boolean {
  return DOUBTFUL.has(word)
}

/** Whether `short` begins with the same letter and its letters occur in the word in order. */
function abbreviates(short: string, word: string): boolean {
  if (short[0] !== word[0]) return false
  let at = 0
  for (const letter of word) if (letter === short[at]) at++
  return at === short.length
}

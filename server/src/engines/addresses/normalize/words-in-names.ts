import { fullTypeWord } from './types.ts'

/** By single-word spelling; `parseStreet` joins two words (`NORTH WEST`). */
const ENGLISH_DIRECTIONS = bySpelling({
  N: 'N NORTH',
  S: 'S SOUTH',
  E: 'E EAST',
  W: 'W WEST',
  NE: 'NE NORTHEAST',
  NW: 'NW NORTHWEST',
  SE: 'SE SOUTHEAST',
  SW: 'SW SOUTHWEST',
})
/** Includes English words, which some registers use after French names (`RUE PRINCIPALE EAST`). */
const FRENCH_DIRECTIONS = bySpelling({
  N: 'N NORD NORTH',
  S: 'S SUD SOUTH',
  E: 'E EST EAST',
  W: 'O OUEST W WEST',
  NE: 'NE NORDEST NORTHEAST',
  NW: 'NO NORDOUEST NW NORTHWEST',
  SE: 'SE SUDEST SOUTHEAST',
  SW: 'SO SUDOUEST SW SOUTHWEST',
})
const FULL_DIRECTION: Record<string, string> = {
  N: 'NORTH',
  S: 'SOUTH',
  E: 'EAST',
  W: 'WEST',
  NE: 'NORTHEAST',
  NW: 'NORTHWEST',
  SE: 'SOUTHEAST',
  SW: 'SOUTHWEST',
}
const FRENCH_LABEL: Record<string, string> = { W: 'O', NW: 'NO', SW: 'SO' }

export function englishDirection(word: string | undefined): string | undefined {
  return word === undefined ? undefined : ENGLISH_DIRECTIONS.get(word)
}

export function frenchDirection(word: string | undefined): string | undefined {
  return word === undefined ? undefined : FRENCH_DIRECTIONS.get(word)
}

/** `W` → `O` for French. */
export function frenchDirectionLabel(id: string): string {
  return FRENCH_LABEL[id] ?? id
}

/** `NW` → `NORTHWEST`. */
export function fullDirection(id: string): string {
  return FULL_DIRECTION[id] ?? id
}

const UNITS = 'FIRST SECOND THIRD FOURTH FIFTH SIXTH SEVENTH EIGHTH NINTH'.split(' ')
const TEENS =
  'TENTH ELEVENTH TWELFTH THIRTEENTH FOURTEENTH FIFTEENTH SIXTEENTH SEVENTEENTH EIGHTEENTH NINETEENTH'.split(' ')
const TENS = 'TWENT THIRT FORT FIFT SIXT SEVENT EIGHT NINET'.split(' ')

const ordinals = new Map<string, number>([
  ...UNITS.map((word, i) => [word, i + 1] as const),
  ...TEENS.map((word, i) => [word, i + 10] as const),
  ...TENS.map((stem, i) => [`${stem}IETH`, (i + 2) * 10] as const),
])
const cardinals = new Map('ONE TWO THREE FOUR FIVE SIX SEVEN EIGHT NINE'.split(' ').map((word, i) => [word, i + 1]))
const tens = new Map(TENS.map((stem, i) => [`${stem}Y`, (i + 2) * 10]))

const FRENCH_ORDINAL = /^(\d+)(?:ER|RE|ERE|E|EME|IEME)$/
const FRENCH_ORDINAL_WORDS = new Map(
  'PREMIER DEUXIEME TROISIEME QUATRIEME CINQUIEME SIXIEME SEPTIEME HUITIEME NEUVIEME DIXIEME ONZIEME DOUZIEME'
    .split(' ')
    .map((word, i) => [word, i + 1] as const),
).set('PREMIERE', 1)

/** `21` → `21ST`. */
export function ordinal(n: number): string {
  const ending = n % 100 >= 11 && n % 100 <= 13 ? 'TH' : (['TH', 'ST', 'ND', 'RD'][n % 10] ?? 'TH')
  return `${n}${ending}`
}

/** The number of a French ordinal (`10E`, `1RE`, `PREMIERE`); undefined for any other word. */
export function frenchOrdinal(word: string | undefined): number | undefined {
  if (word === undefined) return undefined
  const digits = startsWithDigit(word) ? FRENCH_ORDINAL.exec(word)?.[1] : undefined
  return digits === undefined ? FRENCH_ORDINAL_WORDS.get(word) : Number(digits)
}

/** Words of street names with an abbreviation. SAINT and STREET share theirs, so both become ST. */
const SHORT_AND_LONG: Record<string, string> = {
  SAINT: 'ST',
  STREET: 'ST',
  SAINTE: 'STE',
  DOCTOR: 'DRIVE',
  JR: 'JUNIOR',
  SR: 'SENIOR',
  GEN: 'GENERAL',
  SGT: 'SERGEANT',
  CAPT: 'CAPTAIN',
  COL: 'COLONEL',
  LT: 'LIEUTENANT',
  MAJ: 'MAJOR',
  REV: 'REVEREND',
  GOV: 'GOVERNOR',
  PRES: 'PRESIDENT',
  BROS: 'BROTHERS',
  UNIV: 'UNIVERSITY',
  INTL: 'INTERNATIONAL',
  CO: 'COUNTY',
  CNTY: 'COUNTY',
  NO: 'NUMBER',
  // Spanish, of Publication 28 for Puerto Rico
  AVENIDA: 'AVENUE',
  AVDA: 'AVENUE',
  CAM: 'CAMINO',
  CARR: 'CARRETERA',
  CLL: 'CALLE',
  PSO: 'PASEO',
}

/** The words of this file, in one form each. */
export function wordsInNames(): string[] {
  return [
    ...ENGLISH_DIRECTIONS.keys(),
    ...FRENCH_DIRECTIONS.keys(),
    ...ordinals.keys(),
    ...tens.keys(),
    ...cardinals.keys(),
    'HUNDRED',
    ...FRENCH_ORDINAL_WORDS.keys(),
    ...Object.keys(SHORT_AND_LONG),
  ]
}

/**
 * The compared form of a name: type words, directions, and titles spelled out, ordinals in digits, no apostrophes.
 * `O'BRIEN MTN` and `OBRIEN MOUNTAIN`, `FIFTH` and `5TH`, `SAINT CLAIR` and `ST CLAIR` are equal.
 */
export function comparable(name: readonly string[], joinElisions: boolean): string {
  const found = name.map((word) => (word.includes("'") ? word.replaceAll("'", '') : word))
  const out: string[] = []
  for (let i = 0; i < found.length;) {
    const { text, length } = ordinalAt(found, i) ?? joinedAt(found, i, joinElisions) ?? { text: '', length: 1 }
    out.push(text === '' ? comparableWord(found[i] ?? '') : text)
    i += length
  }
  return out.join(' ')
}

/** An ordinal of several words: `TWENTY FIRST`, `ONE HUNDRED AND TENTH`. */
function ordinalAt(found: readonly string[], i: number): { text: string; length: number } | undefined {
  const lead = cardinals.get(found[i] ?? '')
  if (lead !== undefined && found[i + 1] === 'HUNDREDTH') return { text: ordinal(lead * 100), length: 2 }
  const hundreds = lead !== undefined && found[i + 1] === 'HUNDRED' ? lead * 100 : 0
  const at = hundreds === 0 ? i : found[i + 2] === 'AND' ? i + 3 : i + 2
  const ten = tens.get(found[at] ?? '')
  const last = ordinals.get(found[ten === undefined ? at : at + 1] ?? '')
  if (last === undefined || (ten !== undefined && last > 9)) return undefined
  return { text: ordinal(hundreds + (ten ?? 0) + last), length: at - i + (ten === undefined ? 1 : 2) }
}

/** Initials, and French articles before a vowel, which are written with or without a space. */
function joinedAt(
  found: readonly string[],
  i: number,
  elisions: boolean,
): { text: string; length: number } | undefined {
  const [word = '', next = ''] = [found[i], found[i + 1]]
  if (elisions && /^(?:L|D|QU)$/.test(word) && /^[AEIOUYH]/.test(next)) return { text: word + next, length: 2 }
  let length = 0
  while (isLetter(found[i + length])) length++
  return length < 2 ? undefined : { text: comparableWord(found.slice(i, i + length).join('')), length }
}

function comparableWord(word: string): string {
  if (word === 'ST') return word
  const other = SHORT_AND_LONG[word]
  if (other !== undefined) return other
  const direction = ENGLISH_DIRECTIONS.get(word)
  if (direction !== undefined) return fullDirection(direction)
  const n = ordinals.get(word) ?? frenchOrdinal(word) ?? zeroedOrdinal(word)
  return n === undefined ? (fullTypeWord(word) ?? word) : ordinal(n)
}

const isLetter = (word: string | undefined): boolean => word?.length === 1 && word >= 'A' && word <= 'Z'

/** Checked first, because most words don't. */
const startsWithDigit = (word: string): boolean => word >= '0' && word < ':'

/** `09TH`, which some registers use for sorting. */
function zeroedOrdinal(word: string): number | undefined {
  const digits = word.startsWith('0') ? /^0+(\d+)(?:ST|ND|RD|TH)$/.exec(word)?.[1] : undefined
  return digits === undefined ? undefined : Number(digits)
}

function bySpelling(table: Record<string, string>): ReadonlyMap<string, string> {
  return new Map(Object.entries(table).flatMap(([id, spellings]) => spellings.split(' ').map((word) => [word, id])))
}

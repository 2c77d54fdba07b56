import { provinceTable, usStateTable } from '@demarc/client/rules'
import { fold } from './normalize/text.ts'
import type { Country } from './normalize/types.ts'

const states = { US: byAnyName(usStateTable), CA: byAnyName(provinceTable) }

/** First letter of a Canadian postal code → provinces; X is shared by two territories. */
const PROVINCES_BY_LETTER: Record<string, readonly string[]> = {
  A: ['NL'],
  B: ['NS'],
  C: ['PE'],
  E: ['NB'],
  G: ['QC'],
  H: ['QC'],
  J: ['QC'],
  K: ['ON'],
  L: ['ON'],
  M: ['ON'],
  N: ['ON'],
  P: ['ON'],
  R: ['MB'],
  S: ['SK'],
  T: ['AB'],
  V: ['BC'],
  X: ['NT', 'NU'],
  Y: ['YT'],
}

const ZIP = /^(\d{5})(?:-?(\d{4}))?$/
/** D, F, I, O, Q, and U are never used; W and Z are never first. */
const POSTAL_CODE = /^([ABCEGHJ-NPRSTVXY]\d[ABCEGHJ-NPRSTV-Z])[ -]?(\d[ABCEGHJ-NPRSTV-Z]\d)$/

/** The country of a state, province, or territory by its two letters; undefined for anything else. */
export function countryOfState(state: string): Country | undefined {
  return states.US.get(state) === state ? 'US' : states.CA.get(state) === state ? 'CA' : undefined
}

/** FIPS codes by the two letters of the state, district, or territory. */
export const statesOfUs: ReadonlyMap<string, string> = new Map(usStateTable.map(([code, number]) => [code, number]))

/** The two letters of a state or province, from those letters, its name, or its official number. */
export function stateNamed(text: string, country: Country): string | undefined {
  return states[country].get(fold(text))
}

/** Five digits, or `A1A 1A1`; undefined if the text isn't a code of that country. The +4 of a ZIP+4 is dropped. */
export function postalCode(text: string, country: Country): string | undefined {
  const plain = text.trim().toUpperCase()
  if (country === 'US') return ZIP.exec(plain)?.[1]
  const parts = POSTAL_CODE.exec(plain)
  return parts ? `${parts[1] ?? ''} ${parts[2] ?? ''}` : undefined
}

/** The provinces that a Canadian postal code can be in; none of the 1,651 areas is an exception. */
export function provincesOfCode(code: string): readonly string[] {
  return PROVINCES_BY_LETTER[code[0] ?? ''] ?? []
}

function byAnyName(
  table: readonly (readonly [code: string, number: string, name: string])[],
): ReadonlyMap<string, string> {
  return new Map(table.flatMap(([code, number, name]) => [code, number, fold(name)].map((id) => [id, code] as const)))
}

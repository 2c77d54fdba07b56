import { fold } from './normalize/text.ts'
import type { Country } from './normalize/types.ts'

/** State or territory with its own ZIP codes, its number in FIPS, its name. */
const US_STATES = `
AL 01 Alabama
AK 02 Alaska
AZ 04 Arizona
AR 05 Arkansas
CA 06 California
CO 08 Colorado
CT 09 Connecticut
DE 10 Delaware
DC 11 District of Columbia
FL 12 Florida
GA 13 Georgia
HI 15 Hawaii
ID 16 Idaho
IL 17 Illinois
IN 18 Indiana
IA 19 Iowa
KS 20 Kansas
KY 21 Kentucky
LA 22 Louisiana
ME 23 Maine
MD 24 Maryland
MA 25 Massachusetts
MI 26 Michigan
MN 27 Minnesota
MS 28 Mississippi
MO 29 Missouri
MT 30 Montana
NE 31 Nebraska
NV 32 Nevada
NH 33 New Hampshire
NJ 34 New Jersey
NM 35 New Mexico
NY 36 New York
NC 37 North Carolina
ND 38 North Dakota
OH 39 Ohio
OK 40 Oklahoma
OR 41 Oregon
PA 42 Pennsylvania
RI 44 Rhode Island
SC 45 South Carolina
SD 46 South Dakota
TN 47 Tennessee
TX 48 Texas
UT 49 Utah
VT 50 Vermont
VA 51 Virginia
WA 53 Washington
WV 54 West Virginia
WI 55 Wisconsin
WY 56 Wyoming
PR 72 Puerto Rico
VI 78 Virgin Islands
GU 66 Guam
AS 60 American Samoa
MP 69 Northern Mariana Islands
`
/** Province or territory, its number at Statistics Canada, its name. */
const PROVINCES = `
NL 10 Newfoundland and Labrador
PE 11 Prince Edward Island
NS 12 Nova Scotia
NB 13 New Brunswick
QC 24 Quebec
ON 35 Ontario
MB 46 Manitoba
SK 47 Saskatchewan
AB 48 Alberta
BC 59 British Columbia
YT 60 Yukon
NT 61 Northwest Territories
NU 62 Nunavut
`
const states = { US: byAnyName(US_STATES), CA: byAnyName(PROVINCES) }

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
/** D F I O Q U are never used, W and Z never first. */
const POSTAL_CODE = /^([ABCEGHJ-NPRSTVXY]\d[ABCEGHJ-NPRSTV-Z])[ -]?(\d[ABCEGHJ-NPRSTV-Z]\d)$/

/** The country a state, province or territory belongs to, by its two letters; undefined for anything else. */
export function countryOfState(state: string): Country | undefined {
  return states.US.get(state) === state ? 'US' : states.CA.get(state) === state ? 'CA' : undefined
}

/** The states, the district and the territories, each with the two digits of its FIPS code. */
export const statesOfUs: ReadonlyMap<string, string> = new Map(
  rowsOf(US_STATES).map(([code = '', number = '']) => [code, number]),
)

/** The two letters of a state given by them, by its name or by its official number. */
export function stateNamed(text: string, country: Country): string | undefined {
  return states[country].get(fold(text))
}

/** Five digits, or `A1A 1A1`; undefined when the text is no code of that country. ZIP+4 is accepted and dropped. */
export function postalCode(text: string, country: Country): string | undefined {
  const plain = text.trim().toUpperCase()
  if (country === 'US') return ZIP.exec(plain)?.[1]
  const parts = POSTAL_CODE.exec(plain)
  return parts ? `${parts[1] ?? ''} ${parts[2] ?? ''}` : undefined
}

/** The provinces that a Canadian postal code can lie in; none of the 1,651 areas is an exception. */
export function provincesOfCode(code: string): readonly string[] {
  return PROVINCES_BY_LETTER[code[0] ?? ''] ?? []
}

function byAnyName(table: string): ReadonlyMap<string, string> {
  return new Map(
    rowsOf(table).flatMap(([code = '', number = '', ...name]) =>
      [code, number, fold(name.join(' '))].map((id) => [id, code] as const),
    ),
  )
}

function rowsOf(table: string): string[][] {
  return table
    .trim()
    .split('\n')
    .map((row) => row.split(' '))
}

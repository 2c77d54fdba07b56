import type { CanonicalAddress, Locality } from '../address.ts'
import { readings, type Reading } from '../normalize/street.ts'
import { better, hasNumber, hasNumbers, numberStatus, type NumberStatus } from './numbers.ts'
import type { AreaFact, StreetName, StreetRow } from './rows.ts'

/** How far an address was validated: city and code, street, number within a range, exact number. */
export const LEVELS = ['postal', 'street', 'range', 'address'] as const
export type Level = (typeof LEVELS)[number]

export interface Coverage {
  /** An active dataset has streets there. */
  covered: boolean
  /** And probably has all of them. */
  complete: boolean
  /** And it is authoritative: then only authoritative data is used there. */
  authoritative: boolean
  /** The data used there has single numbers, so every other number is unknown. */
  by_number: boolean
}

export type StreetMatch =
  | { kind: 'found'; level: Exclude<Level, 'postal'>; row: StreetRow; rows: readonly StreetRow[] }
  /** The street exists, but the number doesn't, or is on another street of the same name. `rows` are all rows of the street. */
  | { kind: 'no_number'; status: NumberStatus; row: StreetRow; rows: readonly StreetRow[] }
  | { kind: 'no_street' }

/** What the data has in a place, by its code, or by its city in data without codes. */
export function factsOf(place: Locality, facts: readonly AreaFact[]): AreaFact[] {
  return facts.filter(
    ({ state, postal, city_key, streets }) =>
      streets > 0 && state === place.state && (postal === place.zip || (postal === '' && city_key === place.city_key)),
  )
}

/** Whether street data covers a place, by its code, or by its city in data without codes. */
export function coverage(place: Locality, facts: readonly AreaFact[]): Coverage {
  const there = factsOf(place, facts).filter(({ thin }) => thin !== true)
  const complete = there.filter((fact) => fact.complete)
  const authoritative = complete.filter(({ authority }) => authority === 'authoritative')
  return {
    covered: there.length > 0,
    complete: complete.length > 0,
    authoritative: authoritative.length > 0,
    by_number: (authoritative.length > 0 ? authoritative : complete).some(({ kind }) => kind === 'point'),
  }
}

/**
 * Whether a street of the data is in a locality with consistent city and code. The city of the street must be the given one,
 * unless the given one is another name of the code: the city of its post office, or an alias in the data. A city that has its
 * own streets in the data is not an alias. A street without a city may be in any.
 */
export function liesIn(row: StreetName, place: Locality, facts: readonly AreaFact[]): boolean {
  if (row.state !== place.state) return false
  if (row.postal === '') return row.city_key === place.city_key
  if (row.postal !== place.zip) return false
  if (row.city_derived || row.city_key === '' || row.city_key === place.city_key) return true
  return isOtherName(place, facts) && !isCommunity(place, facts)
}

function isOtherName(place: Locality, facts: readonly AreaFact[]): boolean {
  return facts.some(
    ({ postal, city_key, streets }) => postal === place.zip && city_key === place.city_key && streets === 0,
  )
}

function isCommunity(place: Locality, facts: readonly AreaFact[]): boolean {
  return facts.some(
    ({ postal, city_key, streets, city_derived }) =>
      postal === place.zip && city_key === place.city_key && streets > 0 && !city_derived,
  )
}

/**
 * Finds the exact street and number in `rows`, which must have every street of that name in the locality. For a match at
 * level `street`, it must have every street of every name that the text can be parsed as.
 */
export function findStreet(
  address: CanonicalAddress,
  rows: readonly StreetRow[],
  facts: readonly AreaFact[],
): StreetMatch {
  const { authoritative } = coverage(address, facts)
  const there = rows.filter(
    (row) => (!authoritative || row.authority === 'authoritative') && liesIn(row, address, facts),
  )
  const possible: readonly Reading[] = [address.street, ...address.street.other_readings]
  const same = there.filter((row) =>
    possible.some(({ key, learned }) => key === row.key && (learned === undefined || row.suffixes?.includes(learned))),
  )
  // a guide may have one part of a street without numbers; the other parts are still complete
  const numbered = same.filter(hasNumbers)
  const of_street = numbered.length > 0 ? numbered : same
  let best: { row: StreetRow; status: NumberStatus } | undefined
  for (const row of of_street) {
    const status = numberStatus(row, address.number)
    if (!best || better(status, best.status)) best = { row, status }
  }
  if (!best) return { kind: 'no_street' }
  const { row, status } = best
  if (status === 'point') return { kind: 'found', level: 'address', row, rows: of_street }
  if (status === 'range') return { kind: 'found', level: 'range', row, rows: of_street }
  // a street of the same name with another type or direction that has the number is more likely the right one
  const names = new Set([row.key, ...readings(address.street_text, address).map(({ key }) => key)].map(nameOf))
  const sibling = (other: StreetRow) =>
    other.key !== row.key && names.has(nameOf(other.key)) && hasNumber(numberStatus(other, address.number))
  if ((status === 'gap' || status === 'unnumbered') && !there.some(sibling))
    return { kind: 'found', level: 'street', row, rows: of_street }
  return { kind: 'no_number', status, row, rows: of_street }
}

function nameOf(key: string): string {
  return key.slice(0, key.indexOf('|'))
}

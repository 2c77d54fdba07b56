import type { CanonicalAddress, Locality } from '../address.ts'
import { readings } from '../normalize/street.ts'
import { better, hasNumber, hasNumbers, numberStatus, type NumberStatus } from './numbers.ts'
import type { AreaFact, StreetName, StreetRow } from './rows.ts'

/** What was validated: the city and code, the street, the number against a range, the exact number. */
export const LEVELS = ['postal', 'street', 'range', 'address'] as const
export type Level = (typeof LEVELS)[number]

export interface Coverage {
  /** Some active dataset has streets there. */
  covered: boolean
  /** And none of its streets is likely to be missing. */
  complete: boolean
  /** And it is authoritative: then only authoritative data counts there. */
  authoritative: boolean
  /** The data that counts there has single numbers, and says of every other that it is unknown. */
  by_number: boolean
}

export type StreetMatch =
  | { kind: 'found'; level: Exclude<Level, 'postal'>; row: StreetRow; rows: readonly StreetRow[] }
  /** The street exists, the number does not, or is on another street of the same name. `rows` are all of the street. */
  | { kind: 'no_number'; status: NumberStatus; row: StreetRow; rows: readonly StreetRow[] }
  | { kind: 'no_street' }

/** Whether street data covers a place: by its code, or by its city where the data has no codes. */
export function coverage(place: Locality, facts: readonly AreaFact[]): Coverage {
  const there = facts.filter(
    ({ state, postal, city_key, streets, thin }) =>
      streets > 0 &&
      thin !== true &&
      state === place.state &&
      (postal === place.zip || (postal === '' && city_key === place.city_key)),
  )
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
 * Whether a street of the data is in a locality whose city and code are consistent. Its city must be the given one, or the
 * given one must be another name of the code: that of its post office, or one that the data itself has for it. A name under
 * which the data has streets of its own is no such name. A street whose city the data does not say may be in any.
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
 * Finds the exact street and number in `rows`, which must have every street of that name in the locality; for a match of
 * level `street`, of every name that the text may be parsed as.
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
  const keys = new Set([address.street, ...address.street.other_readings].map(({ key }) => key))
  const same = there.filter((row) => keys.has(row.key))
  // a guide may have a part of the street without numbers: those of its other parts are still complete
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
  // not on this street, but on one of that name with another type or direction, which is more likely the right one
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

import type { CanonicalAddress, Locality } from '../address.ts'
import { readings } from '../normalise/street.ts'
import { better, hasNumber, numberStatus, type NumberStatus } from './numbers.ts'
import type { AreaFact, StreetName, StreetRow } from './rows.ts'

/** How much was checked: the city and code, the street, the number against a range, the very number. */
export const LEVELS = ['postal', 'street', 'range', 'address'] as const
export type Level = (typeof LEVELS)[number]

export interface Coverage {
  /** Some active dataset has streets there. */
  covered: boolean
  /** And none of its streets is likely to be missing. */
  complete: boolean
  /** And it is authoritative: then only authoritative data counts there. */
  authoritative: boolean
}

export type StreetVerdict =
  | { kind: 'found'; level: Exclude<Level, 'postal'>; row: StreetRow }
  /** The street is there, the number is not, or it is another street's by the same name. */
  | { kind: 'no_number'; row: StreetRow }
  | { kind: 'no_street' }

/** Whether street data speaks of a place: by its code, or by its city where the data has no codes. */
export function coverage(place: Locality, facts: readonly AreaFact[]): Coverage {
  const there = facts.filter(
    ({ state, postal, city_key, streets }) =>
      streets > 0 && state === place.state && (postal === place.zip || (postal === '' && city_key === place.city_key)),
  )
  return {
    covered: there.length > 0,
    complete: there.some(({ complete }) => complete),
    authoritative: there.some(({ authority, complete }) => complete && authority === 'authoritative'),
  }
}

/**
 * Whether a street of the data lies in the place that was typed, which the postal layer has found consistent. A city
 * that the data itself names within the code must be the street's own; any other name that the postal layer accepts for
 * the code will do, because the postal city and the 911 community often differ.
 */
export function liesIn(row: StreetName, place: Locality, facts: readonly AreaFact[]): boolean {
  if (row.state !== place.state) return false
  if (row.postal === '') return row.city_key === place.city_key
  if (row.postal !== place.zip) return false
  return row.city_derived || row.city_key === place.city_key || !isCommunity(place, facts)
}

function isCommunity(place: Locality, facts: readonly AreaFact[]): boolean {
  return facts.some(
    ({ postal, city_key, streets, city_derived }) =>
      postal === place.zip && city_key === place.city_key && streets > 0 && !city_derived,
  )
}

/**
 * Looks for the very street and number among `rows`, which must hold every street of that name in the place; where the
 * answer is the level `street`, of every name that the text may be read as.
 */
export function findStreet(
  address: CanonicalAddress,
  rows: readonly StreetRow[],
  facts: readonly AreaFact[],
): StreetVerdict {
  const { authoritative } = coverage(address, facts)
  const there = rows.filter(
    (row) => (!authoritative || row.authority === 'authoritative') && liesIn(row, address, facts),
  )
  const keys = new Set([address.street, ...address.street.also].map(({ key }) => key))
  const same = there.filter((row) => keys.has(row.key))
  // a guide has a part of the street without numbers: those of its other parts still are all there are
  const numbered = same.filter(({ ranges, points }) => ranges !== null || points !== null)
  let best: { row: StreetRow; status: NumberStatus } | undefined
  for (const row of numbered.length > 0 ? numbered : same) {
    const status = numberStatus(row, address.number.compare)
    if (!best || better(status, best.status)) best = { row, status }
  }
  if (!best) return { kind: 'no_street' }
  const { row, status } = best
  if (status === 'point') return { kind: 'found', level: 'address', row }
  if (status === 'range') return { kind: 'found', level: 'range', row }
  // not on this street, but on one of that name with another type or direction: that one is more likely meant
  const names = new Set([row.key, ...readings(address.street_text, address).map(({ key }) => key)].map(nameOf))
  const sibling = (other: StreetRow) =>
    other.key !== row.key && names.has(nameOf(other.key)) && hasNumber(numberStatus(other, address.number.compare))
  if ((status === 'gap' || status === 'unnumbered') && !there.some(sibling))
    return { kind: 'found', level: 'street', row }
  return { kind: 'no_number', row }
}

function nameOf(key: string): string {
  return key.slice(0, key.indexOf('|'))
}

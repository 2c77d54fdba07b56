import { localityOf, type Alternative, type CanonicalAddress, type Locality } from '../address.ts'
import { parseStreet } from '../normalize/street.ts'
import type { PlaceOption } from '../postal/check.ts'
import { liesIn } from './accept.ts'
import { nearestNumbers, otherForms } from './number-forms.ts'
import { ends, hasNumber, numberStatus, type StoredNumbers } from './numbers.ts'
import type { AreaFact, ListedStreet, StreetRow } from './rows.ts'
import { ALIKE, typed } from './score.ts'
import type { Scored, StreetIndex } from './street-index.ts'

/** Average rows per street whose numbers are fetched. */
const ROWS_PER_STREET = 20
/** Alternatives that score further below the best are not offered. */
const WINDOW = 0.09
const COST = { other_city: 0.06, other_zip: 0.08, other_state: 0.03, other_form: 0.03 } as const
/** Score of the nearest numbers on the given street, above any other name. */
const NEAREST_SCORE = 0.915
/** Score of a street of the same name with another type or direction that has the number, if the given street lacks it. */
const SAME_NAME_SCORE = 0.92
/** Score difference that keeps numbers in order. */
const NEXT_NUMBER = 0.001
const NEAREST_MAX = 3

/**
 * Streets with a similar name, most likely first, ties by the given code first; up to `limit` different keys. A street may have
 * several rows, one for each code or emergency zone.
 */
export function alikeStreets(
  address: CanonicalAddress,
  streets: readonly StreetIndex[],
  limit: number,
): Scored<ListedStreet>[] {
  const mine = typed(address.street_text, address)
  const found = new Map<string, Scored<ListedStreet>>()
  for (const index of streets) for (const scored of index.alike(mine)) found.set(scored.row.id, scored)
  const elsewhere = ({ row }: Scored<ListedStreet>) => (row.postal === address.zip ? 0 : 1)
  const keys = new Set<string>()
  return [...found.values()]
    .toSorted((a, b) => b.score - a.score || elsewhere(a) - elsewhere(b))
    .slice(0, limit * ROWS_PER_STREET)
    .filter(({ row }) => keys.has(row.key) || (keys.size < limit && keys.add(row.key)))
}

/** The proposals that result if the most likely streets have the number, each in the place of its code. `alike` is sorted. */
export function likelyAddresses(
  address: CanonicalAddress,
  alike: readonly Scored<ListedStreet>[],
  places: readonly Locality[],
): CanonicalAddress[] {
  const least = (alike[0]?.score ?? 0) - WINDOW
  const labels = new Map<string, CanonicalAddress>()
  for (const { row, score } of alike) {
    const place = places.find(({ zip }) => row.postal === zip || row.postal === '')
    if (score < least) break
    const id = `${row.label}|${row.postal}`
    if (!place || labels.has(id)) continue
    labels.set(id, { ...address, ...localityOf(place), street: parseStreet(row.label, place) })
  }
  return [...labels.values()]
}

export interface Proposal {
  alternative: Alternative
  score: number
  /** Identifies a number on a street in a place, see `proposalId`. */
  id: string
}

export function proposalId(key: string, number: string, { zip, city_key, state }: Locality): string {
  return `${number}|${key}|${zip}|${city_key}|${state}`
}

/**
 * Turns streets that have the number, or another form of it (`12` for `12 1/2`), into alternatives, each in the fitting locality
 * nearest to the given one. `places` are the likely localities, with the given one first if it is consistent.
 */
export function proposals(
  address: CanonicalAddress,
  streets: readonly Scored<StreetRow>[],
  places: readonly PlaceOption[],
  facts: readonly AreaFact[],
): Proposal[] {
  const found: Proposal[] = []
  for (const { row, score } of streets) {
    const has = hasNumber(numberStatus(row, address.number))
    const number = has ? address.number.text : otherForms(row, address.number)[0]
    if (number === undefined) continue
    const { place, cost } = placeOf(row, address, places, facts)
    found.push(proposal(number, row, place, score - cost - (has ? 0 : COST.other_form)))
  }
  return ranked(found)
}

/** Numbers to offer when the given street lacks the number: its other forms, or else, with `nearest`, the nearest numbers. */
export function numbersOfStreet(
  { number }: CanonicalAddress,
  rows: readonly StreetRow[],
  place: Locality,
  nearest: boolean,
): Proposal[] {
  const [row] = rows
  if (!row) return []
  const all = together(rows)
  const forms = otherForms(all, number)
  if (forms.length > 0) return forms.map((text, i) => proposal(text, row, place, 1 - i * NEXT_NUMBER))
  if (!nearest) return []
  const near = nearestNumbers(all, number, NEAREST_MAX)
  return near.map((text, i) => proposal(text, row, place, NEAREST_SCORE - i * NEXT_NUMBER))
}

/** Raises proposals on a street of the given name above numbers that are only near. */
export function preferSameName({ street }: CanonicalAddress, found: readonly Proposal[]): Proposal[] {
  return found.map((one) => {
    const same = parseStreet(one.alternative.street_name, one.alternative).base === street.base
    return same ? { ...one, score: Math.max(one.score, SAME_NAME_SCORE + one.score / 100) } : one
  })
}

/** The numbers of all rows of a street. */
function together(rows: readonly StreetRow[]): StoredNumbers {
  const [first] = rows
  if (rows.length === 1 && first) return first
  const points = rows.flatMap((row) => row.points ?? []).toSorted((a, b) => a - b)
  const ranges = rows.flatMap((row) => row.ranges ?? [])
  return {
    authority: first?.authority ?? 'indicative',
    ranges,
    points,
    others: rows.flatMap((row) => row.others ?? []),
  }
}

/** Where the street begins or ends, as the end of a sentence, if the number is beyond it. */
export function endOf(rows: readonly StreetRow[], { number: { prefix, n } }: CanonicalAddress): string {
  const [lowest, highest] = ends(together(rows), prefix)
  if (lowest > highest) return ''
  if (n > highest) return `: the street ends at ${prefix}${highest}`
  return n < lowest ? `: the street begins at ${prefix}${Math.max(1, lowest)}` : ''
}

function proposal(street_number: string, { label, key }: StreetRow, place: Locality, score: number): Proposal {
  const { city, state, country, zip } = place
  const alternative = { street_number, street_name: label, city, state, country, zip }
  return { alternative, score, id: proposalId(key, street_number, place) }
}

/** The best proposal and those within `WINDOW` of it, without duplicates. */
export function ranked(all: readonly Proposal[]): Proposal[] {
  const sorted = all.toSorted(
    (a, b) => b.score - a.score || (a.alternative.street_name < b.alternative.street_name ? -1 : 1),
  )
  const least = Math.max(ALIKE, (sorted[0]?.score ?? 1) - WINDOW) - 1e-9
  const seen = new Set<string>()
  return sorted.filter(({ score, id }) => score >= least && !seen.has(id) && seen.add(id))
}

function placeOf(
  row: StreetRow,
  address: CanonicalAddress,
  places: readonly PlaceOption[],
  facts: readonly AreaFact[],
): { place: Locality; cost: number } {
  const fitting = places.find((place) => liesIn(row, place, facts))
  if (fitting) return { place: fitting, cost: fitting.cost }
  const derived = row.city_derived || row.city === ''
  const place: Locality = {
    country: address.country,
    state: row.state,
    zip: row.postal === '' ? address.zip : row.postal,
    city: derived && row.city === '' ? address.city : row.city,
    city_key: derived && row.city === '' ? address.city_key : row.city_key,
  }
  const cost =
    (place.zip === address.zip ? 0 : COST.other_zip) +
    (place.city_key === address.city_key ? 0 : COST.other_city) +
    (place.state === address.state ? 0 : COST.other_state)
  return { place, cost }
}

import type { Alternative, CanonicalAddress, Locality } from '../address.ts'
import type { PlaceOption } from '../postal/check.ts'
import { liesIn } from './accept.ts'
import { hasNumber, numberStatus } from './numbers.ts'
import type { AreaFact, StreetName, StreetRow } from './rows.ts'
import { ALIKE, typed } from './score.ts'
import type { Scored, StreetIndex } from './street-index.ts'

/** Rows of a street, on average, whose numbers are fetched. */
const ROWS_PER_STREET = 20
/** Alternatives whose score is further below the best are not offered. */
const WINDOW = 0.09
const COST = { other_city: 0.06, other_zip: 0.08, other_state: 0.03 } as const

/**
 * The streets with a similar name, the likeliest first and of equal ones those in the given code; up to `limit` of different
 * keys. A street may have several rows, one for each code or emergency zone.
 */
export function alikeStreets(
  address: CanonicalAddress,
  streets: readonly StreetIndex[],
  limit: number,
): Scored<StreetName>[] {
  const mine = typed(address.street_text, address)
  const found = new Map<string, Scored<StreetName>>()
  for (const index of streets) for (const scored of index.alike(mine)) found.set(scored.row.id, scored)
  const elsewhere = ({ row }: Scored<StreetName>) => (row.postal === address.zip ? 0 : 1)
  const keys = new Set<string>()
  return [...found.values()]
    .toSorted((a, b) => b.score - a.score || elsewhere(a) - elsewhere(b))
    .slice(0, limit * ROWS_PER_STREET)
    .filter(({ row }) => keys.has(row.key) || (keys.size < limit && keys.add(row.key)))
}

export interface Proposal {
  alternative: Alternative
  score: number
  /** Equal for one street in one place, see `proposalId`. */
  id: string
}

export function proposalId(key: string, { zip, city_key, state }: Locality): string {
  return `${key}|${zip}|${city_key}|${state}`
}

/**
 * Makes alternatives of the streets that have the number, each in the locality that fits it and is nearest to the given one.
 * The number is always that of the request. `places` are the likely localities, the given one first if it is consistent.
 */
export function proposals(
  address: CanonicalAddress,
  streets: readonly Scored<StreetRow>[],
  places: readonly PlaceOption[],
  facts: readonly AreaFact[],
): Proposal[] {
  const found: Proposal[] = []
  for (const { row, score } of streets) {
    if (!hasNumber(numberStatus(row, address.number.compare))) continue
    const { place, cost } = placeOf(row, address, places, facts)
    const alternative = {
      street_number: address.number.text,
      street_name: row.label,
      city: place.city,
      state: place.state,
      country: address.country,
      zip: place.zip,
    }
    found.push({ alternative, score: score - cost, id: proposalId(row.key, place) })
  }
  return ranked(found)
}

/** The best and those within `WINDOW` of it, each once. */
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

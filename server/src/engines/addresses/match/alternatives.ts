import type { Alternative, CanonicalAddress, Locality } from '../address.ts'
import type { PlaceOption } from '../postal/check.ts'
import { liesIn } from './accept.ts'
import { hasNumber, numberStatus } from './numbers.ts'
import type { AreaFact, StreetName, StreetRow } from './rows.ts'
import { ALIKE, typed } from './score.ts'
import type { Scored, StreetIndex } from './street-index.ts'

/** Pieces of a street, on average, whose numbers are fetched. */
const MOST_PIECES = 20
/** Alternatives further than this behind the best are not shown. */
const WINDOW = 0.09
const COST = { other_city: 0.06, other_zip: 0.08, other_state: 0.03 } as const

/**
 * The streets that may have been meant, by name alone, the likeliest first and of those the ones in the typed code; at
 * most `most` of different names. One may lie there in many pieces, by code or by emergency zone.
 */
export function alikeStreets(
  address: CanonicalAddress,
  streets: readonly StreetIndex[],
  most: number,
): Scored<StreetName>[] {
  const mine = typed(address.street_text, address)
  const found = new Map<string, Scored<StreetName>>()
  for (const index of streets) for (const scored of index.alike(mine)) found.set(scored.row.id, scored)
  const elsewhere = ({ row }: Scored<StreetName>) => (row.postal === address.zip ? 0 : 1)
  const keys = new Set<string>()
  return [...found.values()]
    .toSorted((a, b) => b.score - a.score || elsewhere(a) - elsewhere(b))
    .slice(0, most * MOST_PIECES)
    .filter(({ row }) => keys.has(row.key) || (keys.size < most && keys.add(row.key)))
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
 * Turns streets that have the number into alternatives: each in the place that fits it and is nearest to what was typed.
 * The number is always the one typed. `places` are those that may be meant, the typed one first if it goes together.
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

/** The best and those hardly behind it, each once. */
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

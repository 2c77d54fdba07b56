import type { Alternative, CanonicalAddress, Locality } from '../address.ts'
import { parseStreet } from '../normalise/street.ts'
import type { PlaceOption } from '../postal/check.ts'
import { findStreet } from './accept.ts'
import { proposalId, ranked, type Proposal } from './alternatives.ts'
import { hasNumber, numberStatus } from './numbers.ts'
import type { AreaFact, StreetRow } from './rows.ts'

/** The typed address in other places than the one that was typed. */

/** Of a code without data: whether the data has this very address in the same city under another code. */
export function isElsewhere(address: CanonicalAddress, rows: readonly StreetRow[]): boolean {
  return rows.some(
    (row) =>
      row.key === address.street.key &&
      row.state === address.state &&
      row.city_key === address.city_key &&
      !row.city_derived &&
      row.postal !== '' &&
      hasNumber(numberStatus(row, address.number.compare)),
  )
}

/** City, state and code alone, of whatever has them. */
export function place({ country, state, zip, city, city_key }: Locality): Locality {
  return { country, state, zip, city, city_key }
}

/** The address with the option's place, its street read as it is read there. */
export function movedTo(address: CanonicalAddress, option: PlaceOption): CanonicalAddress {
  const moved = { ...address, ...place(option) }
  return { ...moved, street: parseStreet(address.street_text, moved) }
}

/** The places in which the very street and number are. */
export function exactly(
  address: CanonicalAddress,
  options: readonly PlaceOption[],
  rows: readonly StreetRow[],
  facts: readonly AreaFact[],
): Proposal[] {
  const found = options.flatMap((option): Proposal[] => {
    const verdict = findStreet(movedTo(address, option), rows, facts)
    if (verdict.kind !== 'found') return []
    const { label, key } = verdict.row
    return [{ alternative: inPlace(address, option, label), score: 1 - option.cost, id: proposalId(key, option) }]
  })
  return ranked(found)
}

/** The typed street in a place of which no streets are known. */
export function unseen(address: CanonicalAddress, option: PlaceOption): Proposal {
  const { label, key } = address.street
  return { alternative: inPlace(address, option, label), score: 1 - option.cost, id: proposalId(key, option) }
}

function inPlace(address: CanonicalAddress, { city, state, country, zip }: Locality, street_name: string): Alternative {
  return { street_number: address.number.text, street_name, city, state, country, zip }
}

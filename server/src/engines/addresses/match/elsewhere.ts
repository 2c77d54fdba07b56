import { localityOf, type Alternative, type CanonicalAddress, type Locality } from '../address.ts'
import { parseStreet } from '../normalize/street.ts'
import type { PlaceOption } from '../postal/check.ts'
import { findStreet } from './accept.ts'
import { proposalId, ranked, type Proposal } from './alternatives.ts'
import { hasNumber, numberStatus } from './numbers.ts'
import type { AreaFact, StreetRow } from './rows.ts'

/** Looks for the address of a request in other localities. */

/** For a code without data: whether the data has the exact address in the same city under another code. */
export function isUnderAnotherCode(address: CanonicalAddress, rows: readonly StreetRow[]): boolean {
  return rows.some(
    (row) =>
      row.key === address.street.key &&
      row.state === address.state &&
      row.city_key === address.city_key &&
      !row.city_derived &&
      row.postal !== '' &&
      hasNumber(numberStatus(row, address.number)),
  )
}

/** The address with the option's locality, its street parsed for that state. */
export function withLocality(address: CanonicalAddress, option: PlaceOption): CanonicalAddress {
  const changed = { ...address, ...localityOf(option) }
  return { ...changed, street: parseStreet(address.street_text, changed) }
}

/** Localities that have the exact street and number. */
export function exactMatches(
  address: CanonicalAddress,
  options: readonly PlaceOption[],
  rows: readonly StreetRow[],
  facts: readonly AreaFact[],
): Proposal[] {
  const found = options.flatMap((option): Proposal[] => {
    const match = findStreet(withLocality(address, option), rows, facts)
    if (match.kind !== 'found') return []
    const { label, key } = match.row
    return [
      {
        alternative: inPlace(address, option, label),
        score: 1 - option.cost,
        id: proposalId(key, address.number.text, option),
      },
    ]
  })
  return ranked(found)
}

/** The given street in a locality without street data. */
export function unverifiedStreet(address: CanonicalAddress, option: PlaceOption): Proposal {
  const { label, key } = address.street
  return {
    alternative: inPlace(address, option, label),
    score: 1 - option.cost,
    id: proposalId(key, address.number.text, option),
  }
}

function inPlace(address: CanonicalAddress, { city, state, country, zip }: Locality, street_name: string): Alternative {
  return { street_number: address.number.text, street_name, city, state, country, zip }
}

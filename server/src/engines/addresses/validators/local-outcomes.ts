import { canonicalKey, type Alternative, type CanonicalAddress, type Locality } from '../address.ts'
import type { Level } from '../match/accept.ts'
import { acceptedElements, differing, present, refusedElements } from '../match/elements.ts'
import type { StreetRow } from '../match/rows.ts'
import { parseStreet } from '../normalize/street.ts'
import type { Accepted, Element, NotGeocodable, Outcome } from './validator.ts'

/** The outcomes of the local validator. */

const POSTAL_SOURCE = { name: 'postal', vintage: '' }

export function onStreet(address: CanonicalAddress, level: Level, row: StreetRow): Accepted {
  const street = parseStreet(row.label, address)
  return {
    kind: 'ok',
    level,
    source: { name: row.dataset, vintage: row.vintage },
    elements: acceptedElements(street, level),
    key: canonicalKey({ ...address, street }),
    community: row.city_derived || row.city_key === address.city_key ? '' : row.city,
    esn: row.esn,
    psap: row.psap,
  }
}

export function byPostOnly(address: CanonicalAddress): Accepted {
  const elements = acceptedElements(address.street, 'postal')
  const key = canonicalKey(address)
  return { kind: 'ok', level: 'postal', source: POSTAL_SOURCE, elements, key, community: '', esn: '', psap: '' }
}

/** `reason` is a sentence about the number, dropped if the most likely alternative has the given number. */
export function corrected(address: CanonicalAddress, alternatives: Alternative[], reason?: string): Outcome {
  const [first] = alternatives
  const invalid = first ? differing(address, first) : []
  const elements = refusedElements(address.street, invalid)
  return { kind: 'correct', alternatives, elements, ...(reason !== undefined && invalid.includes('HNO') && { reason }) }
}

export function refused(address: CanonicalAddress, invalid: Element[], reason: string): NotGeocodable {
  return { kind: 'not_geocodable', reason, elements: refusedElements(address.street, invalid) }
}

/** Needs no lookup. */
export function mailOnly(address: CanonicalAddress, kind: string): NotGeocodable {
  const unchecked = present(address.street).filter((element) => element !== 'RD')
  const reason = `This is ${kind}. Enter a street address where a person can be found.`
  return { kind: 'not_geocodable', reason, elements: { valid: [], invalid: ['RD'], unchecked } }
}

export function placeName({ city, state, zip }: Locality): string {
  return `${city}, ${state} ${zip}`
}

import { cityKey, cityLabel } from './normalize/city.ts'
import { parseHouseNumber, type HouseNumber } from './normalize/number.ts'
import { parseStreet, type Street } from './normalize/street.ts'
import type { Country } from './normalize/types.ts'
import { ADDRESS_TYPES, type AddressType } from './normalize/unit.ts'

/** City, state, postal code and country of an address. */
export interface Locality {
  country: Country
  state: string
  /** Five digits, or `A1A 1A1`. */
  zip: string
  /** As written in responses. */
  city: string
  city_key: string
}

export interface Unit {
  type: AddressType
  id: string
}

/** An address that satisfies the field rules: parsed, not yet validated. */
export interface CanonicalAddress extends Locality {
  number: HouseNumber
  /** As typed. */
  street_text: string
  street: Street
  unit: Unit | null
}

/** The location fields of a corrected address; names and label come from the request. */
export interface Alternative {
  street_number: string
  street_name: string
  city: string
  state: string
  country: Country
  zip: string
}

export function canonicalAddress(fields: {
  country: Country
  state: string
  zip: string
  city: string
  street_name: string
  number: HouseNumber
  unit?: Unit | null
}): CanonicalAddress {
  const { country, state, zip, number, street_name, unit = null } = fields
  return {
    country,
    state,
    zip,
    city: cityLabel(fields.city),
    city_key: cityKey(fields.city),
    number,
    street_text: street_name,
    street: parseStreet(street_name, { country, state }),
    unit,
  }
}

/** Only the fields of a locality. */
export function localityOf({ country, state, zip, city, city_key }: Locality): Locality {
  return { country, state, zip, city, city_key }
}

/** The address of an alternative, with the unit of the address it corrects. */
export function alternativeAddress(alternative: Alternative, typed: CanonicalAddress): CanonicalAddress {
  const number = parseHouseNumber(alternative.street_number, alternative.country)
  // numbers of datasets always parse; those of a remote server may not
  return canonicalAddress({
    ...alternative,
    number: typeof number === 'string' ? typed.number : number,
    unit: typed.unit,
  })
}

/**
 * Equal for equal places, however they are written: `12 Market Street` and `12 MARKET ST`, `St. Louis` and `Saint Louis`.
 * Doesn't include names or label.
 */
export function canonicalKey(address: CanonicalAddress): string {
  const { number, street, unit, city_key, state, zip } = address
  const unitKey = unit === null ? '' : `${ADDRESS_TYPES[unit.type]} ${unit.id.trim().toUpperCase()}`
  return [number.key, street.key, unitKey, city_key, state, zip].join('|')
}

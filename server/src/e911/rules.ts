import { notKnown, required } from '@demarc/client'
import {
  ADDRESS_TYPES,
  addressType,
  type AddressType,
  type Alternative,
  canonicalAddress,
  type CanonicalAddress,
  type Country,
  countryOfState,
  fold,
  hiddenUnit,
  type HouseNumber,
  LENGTHS,
  parseHouseNumber,
  postalCode,
  streetEnd,
  type Unit,
} from '../engines/addresses/index.ts'

/** What an address is stored and answered with: trimmed, in canonical spelling where the interface has one. */
export interface E911Attributes {
  label: string
  first_name: string
  last_name: string
  street_number: string
  street_name: string
  address_type: AddressType | null
  address_type_number: string | null
  city: string
  state: string
  country: Country
  zip: string
}

export type FieldName = keyof E911Attributes
export type FieldErrors = Partial<Record<string, string[]>>

export type Checked =
  | { ok: true; attributes: E911Attributes; address: CanonicalAddress }
  | { ok: false; fields: Record<string, string[]> }

/** What an account holder gives of an address. */
export const FIELD_NAMES = [
  'label',
  'first_name',
  'last_name',
  'street_number',
  'street_name',
  'address_type',
  'address_type_number',
  'city',
  'state',
  'country',
  'zip',
] as const satisfies readonly FieldName[]
const FIELDS = new Set<string>(FIELD_NAMES)
// oxlint-disable-next-line no-control-regex -- these are what is looked for
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/

/**
 * The field rules of an address, before anything is looked up. Every failing field is reported at once, each with all
 * that is wrong with it. `null` and an empty text count as absent.
 */
export function checkFields(given: Readonly<Record<string, unknown>>): Checked {
  const errors = new Errors()
  for (const name of Object.keys(given)) if (!FIELDS.has(name)) errors.add(name, notKnown)
  const text = (name: FieldName & keyof typeof LENGTHS) => textField(given[name], name, LENGTHS[name], errors)
  const [label, first_name, last_name] = [text('label'), text('first_name'), text('last_name')]
  const [street_name, city] = [text('street_name'), text('city')]
  const country = countryField(given['country'], errors)
  const state = stateField(given['state'], country, errors)
  const zip = zipField(given['zip'], country, errors)
  const number = numberField(given['street_number'], country, errors)
  const unit = unitFields(given['address_type'], given['address_type_number'], errors)
  if (street_name !== '') checkStreet(street_name, { country: country ?? 'US', state }, errors)
  if (city !== '' && !/\p{L}/u.test(city)) errors.add('city', 'Must be the name of a city.')
  if (errors.found() || country === undefined || zip === undefined || number === undefined)
    return { ok: false, fields: errors.all() }
  const attributes: E911Attributes = {
    label,
    first_name,
    last_name,
    street_number: number.text,
    street_name,
    address_type: unit?.type ?? null,
    address_type_number: unit?.id ?? null,
    city,
    state,
    country,
    zip,
  }
  return { ok: true, attributes, address: canonicalAddress({ country, state, zip, city, street_name, number, unit }) }
}

/** The corrected-address object of the interface: the names are the caller's own, the rest is the alternative. */
export function correction(attributes: E911Attributes, alternative: Alternative): Record<string, string> {
  const { label, first_name, last_name } = attributes
  const { city, country, state, street_name, street_number, zip } = alternative
  return { city, country, first_name, label, last_name, state, street_name, street_number, zip }
}

class Errors {
  readonly #fields = new Map<string, string[]>()

  add(field: string, message: string): void {
    const known = this.#fields.get(field)
    if (known) known.push(message)
    else this.#fields.set(field, [message])
  }

  found(): boolean {
    return this.#fields.size > 0
  }

  all(): Record<string, string[]> {
    return Object.fromEntries(this.#fields)
  }
}

/** The trimmed text; empty when it fails. */
function textField(value: unknown, name: string, longest: number, errors: Errors): string {
  if (isAbsent(value)) return fail(errors, name, required)
  if (typeof value !== 'string') return fail(errors, name, 'Must be text.')
  const trimmed = value.trim()
  if (trimmed === '') return fail(errors, name, 'Must not be blank.')
  if (CONTROL.test(trimmed)) return fail(errors, name, 'Must not contain control characters.')
  if (trimmed.length > longest) return fail(errors, name, `At most ${longest} characters.`)
  return trimmed
}

function fail(errors: Errors, name: string, message: string): '' {
  errors.add(name, message)
  return ''
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || value === ''
}

function countryField(value: unknown, errors: Errors): Country | undefined {
  if (value === 'US' || value === 'CA') return value
  errors.add('country', isAbsent(value) ? required : 'Must be one of: US, CA.')
  return undefined
}

function stateField(value: unknown, country: Country | undefined, errors: Errors): string {
  if (isAbsent(value)) return fail(errors, 'state', required)
  const belongsTo = typeof value === 'string' ? countryOfState(value) : undefined
  if (typeof value !== 'string' || belongsTo === undefined)
    return fail(errors, 'state', 'Must be a US state or Canadian province, as two capital letters.')
  if (country !== undefined && belongsTo !== country) return fail(errors, 'state', `Is not in country ${country}.`)
  return value
}

function zipField(value: unknown, country: Country | undefined, errors: Errors): string | undefined {
  if (isAbsent(value)) {
    errors.add('zip', required)
    return undefined
  }
  const text = typeof value === 'string' ? value : ''
  const code = country === undefined ? (postalCode(text, 'US') ?? postalCode(text, 'CA')) : postalCode(text, country)
  if (code === undefined)
    errors.add('zip', country === 'CA' ? 'Must be a postal code: A1A 1A1.' : 'Must be a ZIP code: 12345 or 12345-6789.')
  return code
}

function numberField(value: unknown, country: Country | undefined, errors: Errors): HouseNumber | undefined {
  const number = isAbsent(value) ? required : parseHouseNumber(value, country ?? 'US')
  if (typeof number !== 'string') return number
  errors.add('street_number', number)
  return undefined
}

/** Type and number come together or not at all. */
function unitFields(type: unknown, id: unknown, errors: Errors): Unit | null {
  if (isAbsent(type)) {
    if (!isAbsent(id)) errors.add('address_type', 'Is required when address_type_number is given.')
    return null
  }
  const known = typeof type === 'string' ? addressType(type) : undefined
  if (known === undefined) errors.add('address_type', `Must be one of: ${Object.keys(ADDRESS_TYPES).join(', ')}.`)
  if (isAbsent(id)) {
    errors.add('address_type_number', 'Is required when address_type is given.')
    return null
  }
  const text = typeof id === 'number' ? String(id) : id
  const number = textField(text, 'address_type_number', LENGTHS.address_type_number, errors)
  return known === undefined || number === '' ? null : { type: known, id: number }
}

/** A correction has no field for a unit, so one that stood in the street would be lost when it is taken. */
function checkStreet(street: string, place: { country: Country; state: string }, errors: Errors): void {
  if (!/[\p{L}\p{N}]/u.test(fold(street))) return errors.add('street_name', 'Must be the name of a street.')
  const unit = hiddenUnit(street, (text) => streetEnd(text, place))
  if (!unit) return undefined
  const id = unit.id === '' ? '' : ` and "${unit.id}" in address_type_number`
  return errors.add('street_name', `Give "${unit.type}" in address_type${id}, and the street alone here.`)
}

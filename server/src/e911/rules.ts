import { e911, readBody, required } from '@demarc/client'
import {
  canonicalAddress,
  countryOfState,
  fold,
  hiddenUnit,
  parseHouseNumber,
  postalCode,
  streetEnd,
  type AddressType,
  type Alternative,
  type CanonicalAddress,
  type Country,
  type HouseNumber,
  type Unit,
} from '../engines/addresses/index.ts'

/** The fields of an address as stored and shown: trimmed, and in canonical spelling where the contract has one. */
export interface E911Attributes {
  label: string
  first_name: string
  last_name: string
  street_number: string
  street_name: string
  address_type: AddressType | null
  address_type_number: string | null
  city: string
  state: e911.E911Fields['state']
  country: Country
  zip: string
}

export type FieldName = keyof E911Attributes
type FieldErrors = Record<string, string[]>

export type Checked =
  | { ok: true; attributes: E911Attributes; address: CanonicalAddress }
  | { ok: false; fields: FieldErrors }

/** The fields of an address that a customer sends. */
export const FIELD_NAMES = Object.keys(e911.e911Fields.shape) as readonly FieldName[]

const NEEDED = FIELD_NAMES.filter((name) => !name.startsWith('address_type'))

/**
 * Applies the field rules to an address that is not from a request body: a row of a file or of the database. Reports every
 * failing field with all its errors.
 */
export function checkFields(values: Readonly<Record<string, unknown>>): Checked {
  const { issues, valid } = readBody(e911.e911Fields, values)
  const fields: FieldErrors = {}
  for (const { path, message } of issues) (fields[path.join('.')] ??= []).push(message)
  const checked = checkAddress(valid, new Set(Object.keys(fields)))
  if (issues.length === 0) return checked
  return { ok: false, fields: checked.ok ? fields : { ...checked.fields, ...fields } }
}

/**
 * Checks how the fields of an address, each valid by itself, fit together. Missing fields are reported too, except those in
 * `failing`, which were sent and have an error already.
 */
export function checkAddress(fields: e911.E911Change, failing: ReadonlySet<string> = new Set()): Checked {
  const { country, state, city, street_name } = fields
  const errors: FieldErrors = {}
  const refuse = (name: FieldName, message: string): null => {
    ;(errors[name] ??= []).push(message)
    return null
  }
  for (const name of NEEDED) if (fields[name] === undefined && !failing.has(name)) refuse(name, required)
  if (state !== undefined && country !== undefined && countryOfState(state) !== country)
    refuse('state', `Is not in country ${country}.`)
  const zip = fields.zip === undefined ? null : checkZip(fields.zip, country, refuse)
  const number = fields.street_number === undefined ? null : checkNumber(fields.street_number, country ?? 'US', refuse)
  const unit = checkUnit(fields, failing, refuse)
  if (street_name !== undefined) checkStreet(street_name, { country: country ?? 'US', state: state ?? '' }, refuse)
  const { label, first_name, last_name } = fields
  const text_fields = { label, first_name, last_name, street_name, city, state, country }
  if (Object.keys(errors).length > 0 || zip === null || number === null || !isComplete(text_fields))
    return { ok: false, fields: errors }
  return {
    ok: true,
    attributes: {
      ...text_fields,
      street_number: number.text,
      address_type: unit?.type ?? null,
      address_type_number: unit?.id ?? null,
      zip,
    },
    address: canonicalAddress({ ...text_fields, zip, number, unit }),
  }
}

/** The corrected-address object of the contract: names and label as the customer sent them, the rest from the alternative. */
export function correction(attributes: E911Attributes, alternative: Alternative): Record<string, string> {
  const { label, first_name, last_name } = attributes
  const { city, country, state, street_name, street_number, zip } = alternative
  return { city, country, first_name, label, last_name, state, street_name, street_number, zip }
}

type Refuse = (name: FieldName, message: string) => null

function isComplete<T extends object>(fields: T): fields is { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.values(fields).every((value) => value !== undefined)
}

/** The code in canonical spelling. */
function checkZip(text: string, country: Country | undefined, refuse: Refuse): string | null {
  const code = country === undefined ? (postalCode(text, 'US') ?? postalCode(text, 'CA')) : postalCode(text, country)
  if (code !== undefined) return code
  return refuse(
    'zip',
    country === 'CA' ? 'Must be a postal code: A1A 1A1.' : 'Must be a ZIP code: 12345 or 12345-6789.',
  )
}

function checkNumber(value: string | number, country: Country, refuse: Refuse): HouseNumber | null {
  const number = parseHouseNumber(value, country)
  return typeof number === 'string' ? refuse('street_number', number) : number
}

const unitType = 'Is required when address_type_number is given.'
const unitNumber = 'Is required when address_type is given.'

/** Unit type and number are required together. */
function checkUnit(
  { address_type: type, address_type_number: id }: e911.E911Change,
  failing: ReadonlySet<string>,
  refuse: Refuse,
): Unit | null {
  if (failing.has('address_type')) return id ? null : refuse('address_type_number', unitNumber)
  if (failing.has('address_type_number')) return type ? null : refuse('address_type', unitType)
  if (!type) return id ? refuse('address_type', unitType) : null
  return id ? { type, id } : refuse('address_type_number', unitNumber)
}

/** A correction has no field for a unit, so a unit in the street would be lost when the correction is accepted. */
function checkStreet(street: string, area: { country: Country; state: string }, refuse: Refuse): null {
  if (!/[\p{L}\p{N}]/u.test(fold(street))) return refuse('street_name', 'Must be the name of a street.')
  const unit = hiddenUnit(street, (text) => streetEnd(text, area))
  if (!unit) return null
  const id = unit.id === '' ? 'its number or name ("1" if it has none)' : `"${unit.id}"`
  return refuse(
    'street_name',
    `Put "${unit.type}" in address_type and ${id} in address_type_number, and only "${unit.street}" here.`,
  )
}

import { pidfLo } from '../engines/addresses/index.ts'
import { checkFields, type FieldName } from './rules.ts'
import type { AddressRow } from './store.ts'
import { timeText } from '../platform/clock.ts'

/** An emergency address as responses show it. */

export const e911Path = (id: string): string => `/v2/e911s/${id}`

type AddressFields = Pick<AddressRow, FieldName>

/** The customer's fields of a stored row, for responses and for revalidation. */
export const addressFields = (row: AddressFields): AddressFields => ({
  label: row.label,
  first_name: row.first_name,
  last_name: row.last_name,
  street_number: row.street_number,
  street_name: row.street_name,
  address_type: row.address_type,
  address_type_number: row.address_type_number,
  city: row.city,
  state: row.state,
  country: row.country,
  zip: row.zip,
})

/** The attributes of the address, also for documents of numbers that include it. */
export function e911Attributes(
  row: Omit<AddressRow, 'account_id' | 'id' | 'typed_key' | 'canonical_key' | 'created_at'>,
) {
  const { valid, invalid, unchecked } = row.elements
  return {
    ...addressFields(row),
    validation: {
      level: row.level,
      source: row.source,
      vintage: row.vintage,
      validated_at: timeText(row.validated_at),
      valid,
      invalid,
      unchecked,
      community: row.community || null,
      esn: row.esn || null,
      psap: row.psap || null,
    },
  }
}

export const e911Resource = (deps: { public_url: string }, row: AddressRow) => ({
  type: 'e911' as const,
  id: row.id,
  attributes: e911Attributes(row),
  links: { self: deps.public_url + e911Path(row.id) },
})

/** A stored address as a PIDF-LO document. `entity` is the URI of what is located there. */
export function presentLocation(row: AddressRow, entity: string): string {
  const checked = checkFields(addressFields(row))
  if (!checked.ok) throw new Error(`the stored address ${row.id} no longer satisfies the field rules`)
  return pidfLo(
    { address: checked.address, name: `${row.first_name} ${row.last_name}`, community: row.community },
    { entity, timestamp: row.validated_at.toISOString() },
  )
}

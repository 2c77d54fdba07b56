import { pidfLo } from '../engines/addresses/index.ts'
import { checkFields, type FieldName } from './rules.ts'
import type { AddressRow } from './store.ts'
import { timeText } from '../platform/clock.ts'

/** An emergency address as responses show it. */

export const e911Path = (id: string): string => `/v2/e911s/${id}`

type AddressFields = Pick<AddressRow, FieldName>

/** The customer's fields of a stored row, for responses and for revalidation. */
export function addressFields(row: AddressFields): AddressFields {
  const {
    label,
    first_name,
    last_name,
    street_number,
    street_name,
    address_type,
    address_type_number,
    city,
    state,
    country,
    zip,
  } = row
  return {
    label,
    first_name,
    last_name,
    street_number,
    street_name,
    address_type,
    address_type_number,
    city,
    state,
    country,
    zip,
  }
}

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

/** The address as a resource. */
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

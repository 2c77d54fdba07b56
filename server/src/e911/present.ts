import type { AddressRow } from './address-store.ts'
import { pidfLo } from './pidf.ts'
import { checkFields } from './rules.ts'

/** A stored address as a PIDF-LO document. `entity` is the URI of what is located there: the address's own. */
export function presentLocation(row: AddressRow, entity: string): string {
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
  const checked = checkFields({
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
  })
  if (!checked.ok) throw new Error(`the stored address ${row.id} no longer keeps the field rules`)
  return pidfLo(
    { address: checked.address, name: `${first_name} ${last_name}` },
    { entity, timestamp: row.validated_at.toISOString() },
  )
}

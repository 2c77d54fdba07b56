import type { AddressRow } from './store.ts'
import { addressFields } from './document.ts'
import { pidfLo } from '../engines/addresses/index.ts'
import { checkFields } from './rules.ts'

/** A stored address as a PIDF-LO document. `entity` is the URI of what is located there: the address's own. */
export function presentLocation(row: AddressRow, entity: string): string {
  const checked = checkFields(addressFields(row))
  if (!checked.ok) throw new Error(`the stored address ${row.id} no longer satisfies the field rules`)
  return pidfLo(
    { address: checked.address, name: `${row.first_name} ${row.last_name}`, community: row.community },
    { entity, timestamp: row.validated_at.toISOString() },
  )
}

import type { e911, E911AddressType } from '@demarc/client'
import type { ColumnType, Generated } from 'kysely'
import type { ElementVerdicts, Level } from '../engines/addresses/index.ts'

export interface E911AddressTable {
  account_id: string
  id: Generated<string>
  label: string
  first_name: string
  last_name: string
  street_number: string
  street_name: string
  address_type: E911AddressType | null
  address_type_number: string | null
  city: string
  state: e911.E911Fields['state']
  country: e911.E911Fields['country']
  zip: string
  /** Keys of the place as typed, and with the street as the data spells it. */
  typed_key: string
  canonical_key: string
  level: Level
  source: string
  vintage: string
  elements: ColumnType<ElementVerdicts, string, string>
  /** The 911 community if it isn't the postal city, and the answering point; empty where the data has none. */
  community: Generated<string>
  esn: Generated<string>
  psap: Generated<string>
  validated_at: Date
  created_at: Date
}

declare module '../platform/db.ts' {
  interface Database {
    e911_address: E911AddressTable
  }
}

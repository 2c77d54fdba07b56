import type { Generated } from 'kysely'

export type NumberType = 'longcode' | 'toll-free'
export type MessageStatus = 'unprovisioned' | 'pending' | 'provisioned'

export interface NumberTable {
  account_id: string
  /** 11 digits, country code 1. */
  value: string
  alias: string | null
  number_type: NumberType
  state: string | null
  rate_center: string | null
  iso_country: string
  status: 'active' | 'inactive'
  cnam_lookups_enabled: Generated<boolean>
  /** Dollars, exact. */
  monthly_cost: string
  message_status: Generated<MessageStatus>
  primary_route_id: Generated<string>
  failover_route_id: string | null
  cnam_id: string | null
  e911_id: Generated<string | null>
  created_at: Date
}

declare module '../platform/db.ts' {
  interface Database {
    number: NumberTable
  }
}

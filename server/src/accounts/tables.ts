import type { Generated } from 'kysely'

export interface AccountTable {
  id: Generated<string>
  name: string
  created_at: Date
  signing_secret: string
  previous_signing_secret: string | null
  previous_valid_until: Date | null
  closed_at: Generated<Date | null>
  /** Legal hold. */
  held_at: Generated<Date | null>
  hold_reason: Generated<string | null>
  held_by: Generated<string | null>
}

export interface AccessKeyTable {
  account_id: string
  id: Generated<string>
  access_key: string
  /** Hex of the keyed hash. */
  secret_hash: string
  name: string
  scopes: string[]
  created_at: Date
  last_used_at: Date | null
  expires_at: Date | null
  revoked_at: Date | null
}

export interface OperatorKeyTable {
  id: Generated<string>
  access_key: string
  secret_hash: string
  name: string
  scopes: string[]
  created_at: Date
  last_used_at: Date | null
  revoked_at: Date | null
}

declare module '../platform/db.ts' {
  interface Database {
    account: AccountTable
    access_key: AccessKeyTable
    operator_key: OperatorKeyTable
  }
}

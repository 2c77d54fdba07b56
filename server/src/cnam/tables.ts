import type { Generated } from 'kysely'

/** Pending: not approved and without a rejection reason. */
export interface CnamTable {
  account_id: string
  id: Generated<string>
  /** Upper case. */
  value: string
  is_approved: Generated<boolean>
  /** Set only while approved. */
  approved_at: Date | null
  created_at: Date
  /** Set only while rejected or withdrawn. */
  rejection_reason: string | null
}

declare module '../platform/db.ts' {
  interface Database {
    cnam: CnamTable
  }
}

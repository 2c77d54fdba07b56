import type { Generated } from 'kysely'

/** Not approved and without a reason: waiting for the operator. */
export interface CnamTable {
  account_id: string
  id: Generated<string>
  /** Upper case. */
  value: string
  is_approved: Generated<boolean>
  /** Set exactly while approved. */
  approved_at: Date | null
  created_at: Date
  /** Set while rejected or withdrawn. */
  rejection_reason: string | null
}

declare module '../platform/db.ts' {
  interface Database {
    cnam: CnamTable
  }
}

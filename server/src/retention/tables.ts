import type { Generated } from 'kysely'

export interface PersonalDataDeletionTable {
  account_id: string
  requested_at: Date
  requested_by: string
  completed_at: Generated<Date | null>
  /** Rows by class. */
  deleted: Generated<Record<string, number>>
  kept: Generated<Record<string, number>>
}

declare module '../platform/db.ts' {
  interface Database {
    personal_data_deletion: PersonalDataDeletionTable
  }
}

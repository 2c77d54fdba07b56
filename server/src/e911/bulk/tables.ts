import type { ColumnType, Generated } from 'kysely'
import type { LevelCounts, VerdictCounts } from './validate-row.ts'

export interface E911ValidationTable {
  account_id: string
  id: Generated<string>
  media_type: 'text/csv' | 'application/x-ndjson'
  /** The upload. */
  given_sha256: string
  given_bytes: string
  /** The result. */
  sha256: string | null
  bytes: string | null
  status: 'processing' | 'completed' | 'failed'
  failure_reason: string | null
  progress: Generated<number>
  row_count: Generated<number>
  verdicts: ColumnType<VerdictCounts, never, VerdictCounts>
  levels: ColumnType<LevelCounts, never, LevelCounts>
  created_at: Date
  expires_at: Date | null
  expired_at: Date | null
}

declare module '../../platform/db.ts' {
  interface Database {
    e911_validation: E911ValidationTable
  }
}

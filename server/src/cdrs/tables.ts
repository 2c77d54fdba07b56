import type { Generated } from 'kysely'

export interface CdrExportTable {
  account_id: string
  id: Generated<string>
  callback_url: string | null
  format: 'csv' | 'csv.zst' | 'ndjson' | 'parquet'
  /** As the customer sent them. */
  filter_parameters: Record<string, unknown>
  /** Parsed, for the warehouse query. Times are ISO 8601. */
  filter: Record<string, unknown>
  status: 'processing' | 'completed' | 'failed'
  failure_reason: string | null
  progress: number
  requested_at: Date
  created_at: Date
  finished_at: Date | null
  expires_at: Date | null
  sha256: string | null
  bytes: string | null
  num_calls: string | null
  billed_seconds: string | null
  total_cost: string | null
  call_subtotal: string | null
  connect_fees: string | null
  cnamlookup_fees: string | null
  usf_fees: string | null
  ccrf: string | null
  file_removed_at: Date | null
}

export interface CdrIngestTable {
  id: Generated<string>
  received_at: Date
  duration_ms: number
  /** As in events. */
  actor: string
  content_type: string
  content_encoding: string | null
  mapping: string | null
  /** The account that the request names. */
  account_id: string | null
  bytes: string
  accepted: string
  duplicates: string
  rejected: string
  newest_call_at: Date | null
  failure: string | null
  refused_lines: Generated<number>
  refused_sha256: string | null
  refused_bytes: string | null
  refused_expires_at: Date | null
}

export interface CdrLedgerTable {
  account_id: string
  /** `YYYY-MM`, in UTC. */
  month: string
  num_calls: string
  billed_seconds: string
  total_cost: string
}

export interface CdrSchemaStepTable {
  mode: string
  name: string
  digest: string
  servers: number
  applied_at: Generated<Date>
}

export interface CdrShardTable {
  account_id: string
  /** From 0. */
  shard: number
  version: Generated<string>
  confirmed: Generated<boolean>
}

export interface CdrMoveTable {
  account_id: string
  from_shard: number
  to_shard: number
  started_at: Generated<Date>
  state: Generated<'copying' | 'switched' | 'removing'>
  /** Microseconds. */
  claims_until: Generated<string>
  switched_at: Date | null
  switched_us: string | null
}

export interface CdrMoveMonthTable {
  account_id: string
  /** `YYYY-MM`, in UTC. */
  month: string
  /** Microseconds. */
  copied_until: string
}

export interface CdrColdTable {
  account_id: string
  /** `YYYY-MM`, in UTC. */
  month: string
  state: 'removing' | 'cold' | 'loading' | 'loaded'
  version: Generated<string>
  /** Microseconds. */
  changed_us: string
  until_us: string
  num_calls: string
  billed_seconds: string
  total_cost: string
}

export interface CdrColdFileTable {
  account_id: string
  month: string
  part: number
  sha256: string
  bytes: string
  num_calls: string
  loaded: Generated<boolean>
}

export interface CdrMigrationTable {
  id: Generated<string>
  from_store: string
  to_store: string
  /** Sealed. */
  address: string
  current: Generated<'from' | 'to'>
  /** Microseconds. */
  same_until: Generated<string>
  claims_until: Generated<string>
  started_at: Generated<Date>
  switched_at: Generated<Date | null>
  confirmed_at: Generated<Date | null>
}

export interface CdrMigrationMonthTable {
  account_id: string
  /** `YYYY-MM`, in UTC. */
  month: string
  /** Microseconds. */
  copied_until: string
}

declare module '../platform/db.ts' {
  interface Database {
    cdr_cold: CdrColdTable & { kept_until: Generated<Date> }
    cdr_cold_file: CdrColdFileTable
    cdr_export: CdrExportTable
    cdr_ingest: CdrIngestTable
    cdr_ledger: CdrLedgerTable
    cdr_schema_step: CdrSchemaStepTable
    cdr_migration: CdrMigrationTable
    cdr_migration_month: CdrMigrationMonthTable
    cdr_move: CdrMoveTable
    cdr_move_month: CdrMoveMonthTable
    cdr_shard: CdrShardTable
  }
}

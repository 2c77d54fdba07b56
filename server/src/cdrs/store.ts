import { sql, type Insertable, type Selectable } from 'kysely'
import { visibleTo, type Actor } from '../platform/actor.ts'
import type { Executor } from '../platform/db.ts'
import {
  countRows,
  hasValue,
  isRow,
  type NamedFile,
  newestFirst,
  readById,
  readNamedFiles,
  type RowKey,
  sumStoredBytes,
} from '../platform/rows.ts'
import type { CdrExportTable } from './tables.ts'

export type ExportRow = Selectable<CdrExportTable>

const columns = [
  'account_id',
  'id',
  'callback_url',
  'format',
  'filter_parameters',
  'filter',
  'status',
  'failure_reason',
  'progress',
  'requested_at',
  'created_at',
  'finished_at',
  'expires_at',
  'sha256',
  'bytes',
  'num_calls',
  'billed_seconds',
  'total_cost',
  'call_subtotal',
  'connect_fees',
  'cnamlookup_fees',
  'usf_fees',
  'ccrf',
  'file_removed_at',
] as const

export async function insertExport(
  tx: Executor,
  row: Pick<Insertable<CdrExportTable>, 'account_id' | 'callback_url' | 'format' | 'created_at' | 'requested_at'> & {
    filter_parameters: string
    filter: string
  },
): Promise<ExportRow> {
  const { filter_parameters, filter, ...plain } = row
  return await tx
    .insertInto('cdr_export')
    .values({
      ...plain,
      status: 'processing',
      progress: 0,
      filter_parameters: sql`${filter_parameters}::json`,
      filter: sql`${filter}::json`,
    })
    .returning(columns)
    .executeTakeFirstOrThrow()
}

export const findExport = readById<ExportRow>('cdr_export', columns)

interface ExportListValues {
  status: ExportRow['status'] | undefined
  limit: number
  offset: number
}

export async function listExports(
  db: Executor,
  actor: Pick<Actor, 'account_id'>,
  { status, ...page }: ExportListValues,
): Promise<ExportRow[]> {
  return await db
    .selectFrom('cdr_export')
    .select(columns)
    .where(visibleTo(actor))
    .where(hasValue('status', status))
    .$call(newestFirst(page))
    .execute()
}

/** The account's unfinished exports. */
export async function countProcessing(db: Executor, account_id: string): Promise<number> {
  return await countRows(db, 'cdr_export', sql<boolean>`account_id = ${account_id} and status = 'processing'`)
}

/** Updates the share of rows written while the export is processing. */
export async function setProgress(db: Executor, row: RowKey, progress: number): Promise<void> {
  await db.updateTable('cdr_export').set({ progress }).where(isRow(row)).where('status', '=', 'processing').execute()
}

/** Sets `completed` or `failed`. Undefined if the export is no longer processing. */
export async function finishExport(
  tx: Executor,
  row: RowKey,
  outcome: Partial<Omit<ExportRow, 'account_id' | 'id' | 'filter' | 'filter_parameters'>> &
    Pick<ExportRow, 'status' | 'finished_at'>,
): Promise<ExportRow | undefined> {
  return await tx
    .updateTable('cdr_export')
    .set(outcome)
    .where(isRow(row))
    .where('status', '=', 'processing')
    .returning(columns)
    .executeTakeFirst()
}

/** Marks an expired export's file as removed. Undefined if it is already removed or not due. */
export async function markExpired(tx: Executor, id: string, now: Date): Promise<ExportRow | undefined> {
  return await tx
    .updateTable('cdr_export')
    .set({ file_removed_at: now })
    .where('id', '=', id)
    .where('status', '=', 'completed')
    .where('file_removed_at', 'is', null)
    .where('expires_at', '<=', now)
    .returning(columns)
    .executeTakeFirst()
}

/** The files among these that an export, a delivery's rejected lines, or a month of call records still use. */
export async function referencedFiles(db: Executor, digests: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{ sha256: string }>`
    select distinct sha256 from cdr_export where sha256 = any(${digests}::text[]) and file_removed_at is null
    union select refused_sha256 from cdr_ingest where refused_sha256 = any(${digests}::text[])
    union select sha256 from cdr_cold_file where sha256 = any(${digests}::text[])`.execute(db)
  return new Set(rows.map((r) => r.sha256))
}

/** Files of exports, of rejected lines, and of call records, by digest. */
export const storedFiles = (db: Executor, from: string, limit: number): Promise<NamedFile[]> =>
  readNamedFiles(
    db,
    sql`
    (select sha256, bytes, account_id, 'export ' || id as used_by
      from cdr_export where sha256 >= ${from} and file_removed_at is null order by sha256 limit ${limit})
    union all
    (select refused_sha256, refused_bytes, null, 'the rejected lines of delivery ' || id
      from cdr_ingest where refused_sha256 >= ${from} order by refused_sha256 limit ${limit})
    union all
    (select sha256, bytes, account_id, 'the call records of ' || month
      from cdr_cold_file where sha256 >= ${from} order by sha256 limit ${limit})`,
  )

/** Bytes of the account's export files. */
export const storedBytes = (db: Executor, account_id: string): Promise<number> =>
  sumStoredBytes(
    db,
    'cdr_export',
    sql<boolean>`account_id = ${account_id} and sha256 is not null and file_removed_at is null`,
  )

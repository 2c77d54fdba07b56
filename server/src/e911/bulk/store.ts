import { sql, type Selectable } from 'kysely'
import type { Executor } from '../../platform/db.ts'
import {
  countRows,
  isRow,
  type NamedFile,
  readById,
  readNamedFiles,
  storedBytes_min,
  type RowKey,
} from '../../platform/rows.ts'
import type { LevelCounts, VerdictCounts } from './validate-row.ts'
import type { E911ValidationTable } from './tables.ts'

export type ValidationRow = Selectable<E911ValidationTable>

/** Progress so far. */
export interface Tally {
  row_count: number
  verdicts: VerdictCounts
  levels: LevelCounts
  /** 0 to 1. */
  progress: number
}

const columns = [
  'account_id',
  'id',
  'media_type',
  'given_sha256',
  'given_bytes',
  'sha256',
  'bytes',
  'status',
  'failure_reason',
  'progress',
  'row_count',
  'verdicts',
  'levels',
  'created_at',
  'expires_at',
  'expired_at',
] as const

export async function insertValidation(
  tx: Executor,
  row: Pick<ValidationRow, 'account_id' | 'media_type' | 'given_sha256' | 'given_bytes' | 'created_at'>,
): Promise<ValidationRow> {
  return await tx
    .insertInto('e911_validation')
    .values({ ...row, status: 'processing' })
    .returning(columns)
    .executeTakeFirstOrThrow()
}

export const findValidation = readById<ValidationRow>('e911_validation', columns)

/** Validations of the account that are queued or running. */
export async function countProcessing(db: Executor, account_id: string): Promise<number> {
  return await countRows(db, 'e911_validation', sql<boolean>`account_id = ${account_id} and status = 'processing'`)
}

/** Records progress while the validation is running. */
export async function setProgress(db: Executor, row: RowKey, tally: Tally): Promise<void> {
  await db.updateTable('e911_validation').set(tally).where(isRow(row)).where('status', '=', 'processing').execute()
}

/** Finishes a validation once; undefined if another worker already has. */
export async function finishValidation(
  tx: Executor,
  row: RowKey,
  outcome: { expires_at: Date } & (
    | (Tally & { status: 'completed'; sha256: string; bytes: string })
    | { status: 'failed'; failure_reason: string }
  ),
): Promise<ValidationRow | undefined> {
  return await tx
    .updateTable('e911_validation')
    .set(outcome)
    .where(isRow(row))
    .where('status', '=', 'processing')
    .returning(columns)
    .executeTakeFirst()
}

/** Marks a validation as expired; undefined if it already is, or is not due. */
export async function markExpired(tx: Executor, id: string, now: Date): Promise<ValidationRow | undefined> {
  return await tx
    .updateTable('e911_validation')
    .set({ expired_at: now })
    .where('id', '=', id)
    .where('expired_at', 'is', null)
    .where('expires_at', '<=', now)
    .returning(columns)
    .executeTakeFirst()
}

/** Files that validations need: the upload while it is processed, the result until it expires. */
const neededFiles = sql`
  (select account_id, id, file as sha256, size as bytes
   from e911_validation cross join lateral
     (values (given_sha256, given_bytes, status = 'processing'), (sha256, bytes, sha256 is not null)) as f (file, size, needed)
   where expired_at is null and needed) as needed_file`

/** Which of these files a validation still needs, as upload or result. */
export async function validationFilesAmong(db: Executor, digests: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{ sha256: string }>`
    select sha256 from ${neededFiles} where sha256 = any(${digests}::text[])`.execute(db)
  return new Set(rows.map((r) => r.sha256))
}

/** Files that validations still need, by digest. */
export const validationFilesFrom = (db: Executor, from: string, limit: number): Promise<NamedFile[]> =>
  readNamedFiles(
    db,
    sql`select sha256, bytes, account_id, 'validation ' || id as used_by from ${neededFiles}
      where sha256 >= ${from} order by sha256 limit ${limit}`,
  )

/** Bytes of the files that the account's validations still need. */
export async function storedBytes(db: Executor, account_id: string): Promise<number> {
  const { rows } = await sql<{ bytes: string }>`
    select coalesce(sum(greatest(bytes, ${sql.lit(storedBytes_min)})), 0) as bytes
    from ${neededFiles} where account_id = ${account_id}`.execute(db)
  return Number(rows[0]?.bytes ?? 0)
}

import { sql } from 'kysely'
import type { Executor } from '../../platform/db.ts'
import type { Authority, DatasetStatus, DatasetUpload, E911DatasetTable } from './tables.ts'

/** SQL of the datasets as the operator sees them. Switching them is in switch-store.ts, loading them in import/store.ts. */

export interface DatasetRow {
  id: string
  name: string
  vintage: string
  format: string
  authority: Authority
  status: DatasetStatus
  failure: string | null
  rows_read: string
  rows_skipped: string
  skipped: Record<string, number>
  streets: string
  ranges: string
  progress: number
  sha256: string | null
  created_at: Date
  activated_at: Date | null
  upload: DatasetUpload | null
}

const columns = sql.raw(
  'id::text as id, name, vintage, format, authority, status, failure, rows_read, rows_skipped, skipped, streets, ranges, progress, sha256, created_at, activated_at, upload',
)

export async function listDatasets(db: Executor): Promise<DatasetRow[]> {
  return (await sql<DatasetRow>`select ${columns} from e911_dataset order by name, vintage, id`.execute(db)).rows
}

export async function findDataset(db: Executor, id: string): Promise<DatasetRow | undefined> {
  return (await sql<DatasetRow>`select ${columns} from e911_dataset where id::text = ${id}`.execute(db)).rows[0]
}

/** A dataset that is about to be loaded; without an upload from the command line. */
export type NewDataset = Pick<
  E911DatasetTable,
  'name' | 'vintage' | 'format' | 'kind' | 'authority' | 'licence' | 'source' | 'created_at'
> & { upload: DatasetUpload | null }

/**
 * The row of a dataset that is about to be loaded: a new one, or that of an attempt that failed, or, for who holds the name
 * (see `lockName`), that was cut short. One that is loaded, active or being loaded is left as it is; `begun` says which.
 */
export async function beginDataset(
  tx: Executor,
  wish: NewDataset,
  over: readonly DatasetStatus[] = ['failed'],
): Promise<{ row: DatasetRow; begun: boolean }> {
  const { name, vintage, format, kind, authority, licence, source, created_at } = wish
  const upload = wish.upload && JSON.stringify(wish.upload)
  const sha256 = wish.upload?.sha256 ?? null
  const begun = `status = 'loading', failure = null, progress = 0, rows_read = 0, rows_skipped = 0, skipped = '{}'`
  const again = await sql<DatasetRow>`
    update e911_dataset set format = ${format}, kind = ${kind}, authority = ${authority}, licence = ${licence},
      source = ${source}, upload = ${upload}::json, sha256 = ${sha256}, ${sql.raw(begun)}
    where name = ${name} and vintage = ${vintage} and status = any(${over}::text[])
    returning ${columns}`.execute(tx)
  if (again.rows[0]) return { row: again.rows[0], begun: true }
  const there = await sql<DatasetRow>`
    select ${columns} from e911_dataset where name = ${name} and vintage = ${vintage}`.execute(tx)
  if (there.rows[0]) return { row: there.rows[0], begun: false }
  const made = await sql<DatasetRow>`
    insert into e911_dataset (name, vintage, format, kind, authority, licence, source, status, created_at, upload, sha256)
    values (${name}, ${vintage}, ${format}, ${kind}, ${authority}, ${licence}, ${source}, 'loading', ${created_at}, ${upload}::json, ${sha256})
    on conflict (name, vintage) do nothing
    returning ${columns}`.execute(tx)
  // somebody else made it in this very moment: then it is there
  return made.rows[0] ? { row: made.rows[0], begun: true } : await beginDataset(tx, wish, over)
}

/** The file of a dataset that is loaded is no longer needed. */
export async function forgetUpload(db: Executor, id: string): Promise<void> {
  await sql`update e911_dataset set upload = null where id::text = ${id} and status <> 'loading'`.execute(db)
}

/** Those of these files that a dataset still waits to be loaded from. */
export async function uploadsAmong(db: Executor, digests: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{
    sha256: string
  }>`select upload->>'sha256' as sha256 from e911_dataset where upload->>'sha256' = any(${digests}::text[])`.execute(db)
  return new Set(rows.map((r) => r.sha256))
}

import { sql } from 'kysely'
import type { Executor } from '../platform/db.ts'
import type { Authority, DatasetKind, DatasetStatus, DatasetUpload } from './tables.ts'

/** SQL of the datasets as the operator sees them. Loading and switching them is in import/store.ts. */

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
  created_at: Date
  activated_at: Date | null
  upload: DatasetUpload | null
}

const columns = sql.raw(
  'id::text as id, name, vintage, format, authority, status, failure, rows_read, rows_skipped, skipped, streets, ranges, created_at, activated_at, upload',
)

export async function listDatasets(db: Executor): Promise<DatasetRow[]> {
  return (await sql<DatasetRow>`select ${columns} from e911_dataset order by name, vintage, id`.execute(db)).rows
}

export async function findDataset(db: Executor, id: string): Promise<DatasetRow | undefined> {
  return (await sql<DatasetRow>`select ${columns} from e911_dataset where id::text = ${id}`.execute(db)).rows[0]
}

/**
 * The row of a dataset that is about to be loaded: a new one, or that of an attempt that failed. One that is loaded, active or
 * being loaded is left as it is; `begun` says which.
 */
export async function beginDataset(
  tx: Executor,
  wish: {
    name: string
    vintage: string
    format: string
    kind: DatasetKind
    authority: Authority
    created_at: Date
    upload: DatasetUpload
  },
): Promise<{ row: DatasetRow; begun: boolean }> {
  const { name, vintage, format, kind, authority, created_at } = wish
  const upload = JSON.stringify(wish.upload)
  const { rows } = await sql<DatasetRow>`
    insert into e911_dataset as d (name, vintage, format, kind, authority, status, created_at, upload)
    values (${name}, ${vintage}, ${format}, ${kind}, ${authority}, 'loading', ${created_at}, ${upload}::json)
    on conflict (name, vintage) do update set format = excluded.format, kind = excluded.kind, authority = excluded.authority, status = 'loading', failure = null,
      rows_read = 0, rows_skipped = 0, skipped = '{}', upload = excluded.upload where d.status = 'failed'
    returning ${columns}`.execute(tx)
  if (rows[0]) return { row: rows[0], begun: true }
  const there = (
    await sql<DatasetRow>`select ${columns} from e911_dataset where name = ${name} and vintage = ${vintage}`.execute(tx)
  ).rows[0]
  if (!there) throw new Error('a dataset went while it was looked at')
  return { row: there, begun: false }
}

/** The file of a dataset is no longer needed. */
export async function forgetUpload(db: Executor, id: string): Promise<void> {
  await sql`update e911_dataset set upload = null where id::text = ${id}`.execute(db)
}

/** Those of these files that a dataset still waits to be loaded from. */
export async function uploadsAmong(db: Executor, digests: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{
    sha256: string
  }>`select upload->>'sha256' as sha256 from e911_dataset where upload->>'sha256' = any(${digests}::text[])`.execute(db)
  return new Set(rows.map((r) => r.sha256))
}

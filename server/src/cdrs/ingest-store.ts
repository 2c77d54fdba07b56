import { sql, type Insertable, type Selectable } from 'kysely'
import type { Executor } from '../platform/db.ts'
import { newestFirst } from '../platform/rows.ts'
import type { CdrIngestTable } from './tables.ts'

/** Deliveries of call records. They are the operator's. */

export type IngestRow = Selectable<CdrIngestTable>

/** Does not wait for the disk: what is recorded of a delivery may be lost in a power failure, its call records are not. */
export async function insertIngest(tx: Executor, row: Insertable<CdrIngestTable>): Promise<IngestRow> {
  await sql`set local synchronous_commit = off`.execute(tx)
  return await tx.insertInto('cdr_ingest').values(row).returningAll().executeTakeFirstOrThrow()
}

export async function listIngests(db: Executor, page: { limit: number; offset: number }): Promise<IngestRow[]> {
  return await db.selectFrom('cdr_ingest').selectAll().$call(newestFirst(page)).execute()
}

export async function findIngest(db: Executor, id: string): Promise<IngestRow | undefined> {
  return await db.selectFrom('cdr_ingest').selectAll().where('id', '=', id).executeTakeFirst()
}

/** Deletes rows up to `id` and those that are older; returns the files that they had. */
export async function deleteIngests(tx: Executor, up_to: { id: string; received_before: Date }): Promise<string[]> {
  const { rows } = await sql<{ refused_sha256: string | null }>`
    delete from cdr_ingest where id <= ${up_to.id} or received_at < ${up_to.received_before}
    returning refused_sha256`.execute(tx)
  return rows.flatMap(({ refused_sha256 }) => refused_sha256 ?? [])
}

/** Takes the refused lines off all rows but the last `kept` that have some; returns the files. */
export async function dropOldRefused(tx: Executor, kept: number): Promise<string[]> {
  return await dropRefused(
    tx,
    sql<boolean>`id <= (select id from cdr_ingest where refused_sha256 is not null order by id desc offset ${kept} limit 1)`,
  )
}

/** Takes the refused lines off a row if they have expired; returns the file. */
export const dropExpiredRefused = (tx: Executor, id: string, now: Date): Promise<string[]> =>
  dropRefused(tx, sql<boolean>`id = ${id} and refused_expires_at <= ${now}`)

async function dropRefused(tx: Executor, which: ReturnType<typeof sql<boolean>>): Promise<string[]> {
  const { rows } = await sql<{ sha256: string }>`
    with dropped as (select id, refused_sha256 from cdr_ingest where refused_sha256 is not null and ${which} for update)
    update cdr_ingest i set refused_sha256 = null from dropped where i.id = dropped.id
    returning dropped.refused_sha256 as sha256`.execute(tx)
  return rows.map(({ sha256 }) => sha256)
}

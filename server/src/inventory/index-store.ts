import { sql } from 'kysely'
import type { Executor } from '../platform/db.ts'
import { EntryList, type IndexEntry } from './search-index.ts'
import { profileColumns, type Profile } from './tables.ts'

/** Reads what the search index holds. */

/** More changes than this are read as a whole. */
export const changes_max = 50_000

/** Which transactions a read showed, as text: `xmin:xmax:those in progress`. */
export type Snapshot = string

export async function currentSnapshot(db: Executor): Promise<Snapshot> {
  const { rows } = await sql<{ snapshot: string }>`select pg_current_snapshot()::text as snapshot`.execute(db)
  return rows[0]?.snapshot ?? ''
}

/**
 * Numbers that changed in transactions that a snapshot did not show, and the snapshot of this read; null entries if there are
 * too many.
 */
export async function readChanges(
  db: Executor,
  since: Snapshot,
): Promise<{ snapshot: Snapshot; entries: IndexEntry[] | null }> {
  const [, xmax = '0', in_progress = ''] = since.split(':')
  const { rows } = await sql<{ snapshot: string; entries: [number, number, boolean][] | null }>`
    with changed as (
      -- in order, so that PostgreSQL reads them by the index even without statistics
      (select number from inventory_change where xid >= ${xmax}::xid8 order by xid limit ${changes_max + 1})
      union
      (select number from inventory_change where xid = any(${`{${in_progress}}`}::xid8[]) order by xid limit ${changes_max + 1})
    )
    select pg_current_snapshot()::text as snapshot, case when (select count(*) from changed) <= ${changes_max} then (
      select coalesce(json_agg(json_build_array(i.number, i.profile_id, i.status = 'available') order by i.number), '[]')
      from changed join inventory_number i using (number)
    ) end as entries`.execute(db)
  const { snapshot = '', entries = null } = rows[0] ?? {}
  return {
    snapshot,
    entries: entries?.map(([number, profile_id, available]) => ({ number, profile_id, available })) ?? null,
  }
}

const page_rows = 50_000

/** Every number, ascending. */
export async function readAll(db: Executor): Promise<EntryList> {
  const all = new EntryList()
  for (;;) {
    const after = all.at(all.length - 1)?.number ?? 0
    // `order by number` alone would sort the whole table for each page, by the column of the result, which has no index
    const { rows } = await sql<IndexEntry>`
      select number::float8 as number, profile_id, status = 'available' as available from inventory_number i
      where number > ${after}::bigint order by i.number limit ${page_rows}`.execute(db)
    for (const row of rows) all.push(row)
    if (rows.length < page_rows) return all
  }
}

/** Every profile, by ascending id. */
export async function readProfiles(db: Executor): Promise<Profile[]> {
  return await db
    .selectFrom('inventory_profile')
    .select(['id', ...profileColumns])
    .orderBy('id')
    .execute()
}

/**
 * Deletes changes of transactions that are still to come. They are from another database server, which this database was
 * restored from.
 */
export async function deleteForeignChanges(db: Executor): Promise<void> {
  await sql`delete from inventory_change where xid >= pg_snapshot_xmax(pg_current_snapshot())`.execute(db)
}

/** Deletes the oldest changes, by the database's clock. */
export async function deleteOldChanges(db: Executor, kept_s: number): Promise<void> {
  await sql`delete from inventory_change where changed_at < now() - make_interval(secs => ${kept_s})`.execute(db)
}

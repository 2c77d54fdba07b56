import { sql } from 'kysely'
import type { Executor } from '../../platform/db.ts'
import { droppingStaging, ID_LOCK, NAME_LOCK } from './import/store.ts'

/** SQL of making datasets count and go. Nothing here takes long: what goes leaves its streets to be cleared in pieces. */

/**
 * Tells everybody that other data is active from this commit on. Called first, so that those who switch do so one after
 * another: each waits for this row.
 */
export async function nextVersion(tx: Executor): Promise<void> {
  await sql`update e911_version set version = version + 1`.execute(tx)
}

/** The status of a dataset, which stays so until the transaction ends; undefined when there is none. */
export async function holdStatus(tx: Executor, id: number): Promise<string | undefined> {
  const { rows } = await sql<{ status: string }>`
    select status from e911_dataset where id = ${id} for no key update`.execute(tx)
  return rows[0]?.status
}

/** Removes the active vintage of the dataset's name, unless it is the dataset itself. */
export async function dropActiveRival(tx: Executor, id: number): Promise<void> {
  await sql`
    delete from e911_dataset
    where status = 'active' and id <> ${id} and name = (select name from e911_dataset where id = ${id})`.execute(tx)
}

export async function markActive(tx: Executor, id: number, now: Date): Promise<void> {
  await sql`
    update e911_dataset set status = 'active', activated_at = coalesce(activated_at, ${now}), upload = null
    where id = ${id}`.execute(tx)
}

export async function dropRow(tx: Executor, id: number): Promise<void> {
  await sql`delete from e911_dataset where id = ${id}`.execute(tx)
}

/** A dataset that went, with the ids of the streets that it left behind. */
export interface Dropped {
  dataset_id: number
  first_street: string | null
  last_street: string | null
}

export async function droppedDatasets(db: Executor): Promise<Dropped[]> {
  const { rows } = await sql<Dropped>`
    select dataset_id, first_street, last_street from e911_dropped order by dataset_id`.execute(db)
  return rows
}

/** Removes those of a dropped dataset's streets that have an id below this one. */
export async function clearStreetsBelow(
  tx: Executor,
  { dataset_id, first_street }: Dropped,
  end: bigint,
): Promise<void> {
  await sql`
    delete from e911_street
    where dataset_id = ${dataset_id} and id >= ${first_street} and id < ${String(end)}`.execute(tx)
  await sql`update e911_dropped set first_street = ${String(end)} where dataset_id = ${dataset_id}`.execute(tx)
}

/** Removes places of a dataset, `most` at most. Gives how many. */
export async function clearAreas(db: Executor, id: number, most: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from e911_area where ctid = any (array(select ctid from e911_area where dataset_id = ${id} limit ${most}))`.execute(
    db,
  )
  return Number(numAffectedRows ?? 0)
}

/** Nothing of it is left. */
export async function forgetDropped(db: Executor, id: number): Promise<void> {
  await sql`delete from e911_dropped where dataset_id = ${id}`.execute(db)
}

/** False while somebody loads the dataset, or one of its name; otherwise nobody begins before the transaction ends. */
export async function holdIdle(tx: Executor, id: number, name: string | null): Promise<boolean> {
  const { rows } = await sql<{ idle: boolean }>`
    select pg_try_advisory_xact_lock(${ID_LOCK}, ${id})
      and (${name}::text is null or pg_try_advisory_xact_lock(${NAME_LOCK}, hashtext(${name}))) as idle`.execute(tx)
  return rows[0]?.idle === true
}

/** Removes the staging tables of a dataset. */
export async function clearStaging(tx: Executor, id: number): Promise<void> {
  await sql.raw(droppingStaging(id)).execute(tx)
}

/** Datasets that are being loaded and that no job will take up again: from the command line. */
export async function loadingByHand(db: Executor): Promise<{ id: number; name: string }[]> {
  const { rows } = await sql<{ id: number; name: string }>`
    select id, name from e911_dataset where status = 'loading' and upload is null`.execute(db)
  return rows
}

/** Datasets that have staging tables, whether there still is such a dataset or not. */
export async function stagedDatasets(db: Executor): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select distinct substring(relname from '^e911_staging_([0-9]+)_[0-9]+$')::int as id from pg_class
    where relname ~ '^e911_staging_[0-9]+_[0-9]+$' and relkind = 'r' and pg_table_is_visible(oid)`.execute(db)
  return rows.map(({ id }) => id)
}

/** Says of a dataset that is being loaded why it will not be. Its file is no longer needed. */
export async function markFailed(db: Executor, id: number, failure: string): Promise<void> {
  await sql`
    update e911_dataset set status = 'failed', failure = ${failure}, upload = null
    where id = ${id} and status = 'loading'`.execute(db)
}

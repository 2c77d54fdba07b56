import { sql } from 'kysely'
import type { Executor } from '../../platform/db.ts'
import type { Authority } from '../addresses/index.ts'
import { droppingStaging, ID_LOCK, NAME_LOCK } from './import/staging-store.ts'
import type { DatasetKind, DatasetStatus, DatasetUpload, E911DatasetTable, LoadedCounts } from './tables.ts'

/** SQL of datasets: begun, loaded, active, dropped. Staging is in import/staging-store.ts, looking streets up in lookup-store.ts. */

export interface Dataset {
  id: number
  name: string
  vintage: string
  format: string
  kind: DatasetKind
  authority: Authority
  licence: string
  source: string
  status: DatasetStatus
  failure: string | null
  rows_read: number
  rows_skipped: number
  skipped: Record<string, number>
  streets: number
  ranges: number
  /** 0 to 1; 1 is loaded. */
  progress: number
  sha256: string | null
  created_at: Date
  activated_at: Date | null
  /** Sent in over HTTP, and not loaded yet. */
  upload: DatasetUpload | null
}

const columns = sql.raw(`id, name, vintage, format, kind, authority, licence, source, status, failure,
  rows_read::float8 as rows_read, rows_skipped::float8 as rows_skipped, skipped, streets::float8 as streets,
  ranges::float8 as ranges, progress, sha256, created_at, activated_at, upload`)

/** Every dataset, whatever its status, by name and vintage. */
export async function listDatasets(db: Executor): Promise<Dataset[]> {
  return (await sql<Dataset>`select ${columns} from e911_dataset order by name, vintage, id`.execute(db)).rows
}

/** By its id as it stands in a path, or as the number that it is. */
export async function findDataset(db: Executor, id: string | number): Promise<Dataset | undefined> {
  return (await sql<Dataset>`select ${columns} from e911_dataset where id::text = ${String(id)}`.execute(db)).rows[0]
}

export async function findVintage(db: Executor, name: string, vintage: string): Promise<Dataset | undefined> {
  const { rows } = await sql<Dataset>`
    select ${columns} from e911_dataset where name = ${name} and vintage = ${vintage}`.execute(db)
  return rows[0]
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
  input: NewDataset,
  over: readonly DatasetStatus[] = ['failed'],
): Promise<{ row: Dataset; begun: boolean }> {
  const { name, vintage, format, kind, authority, licence, source, created_at } = input
  const upload = input.upload && JSON.stringify(input.upload)
  const sha256 = input.upload?.sha256 ?? null
  const begun = `status = 'loading', failure = null, progress = 0, rows_read = 0, rows_skipped = 0, skipped = '{}'`
  const again = await sql<Dataset>`
    update e911_dataset set format = ${format}, kind = ${kind}, authority = ${authority}, licence = ${licence},
      source = ${source}, upload = ${upload}::json, sha256 = ${sha256}, ${sql.raw(begun)}
    where name = ${name} and vintage = ${vintage} and status = any(${over}::text[])
    returning ${columns}`.execute(tx)
  if (again.rows[0]) return { row: again.rows[0], begun: true }
  const existing = await findVintage(tx, name, vintage)
  if (existing) return { row: existing, begun: false }
  const made = await sql<Dataset>`
    insert into e911_dataset (name, vintage, format, kind, authority, licence, source, status, created_at, upload, sha256)
    values (${name}, ${vintage}, ${format}, ${kind}, ${authority}, ${licence}, ${source}, 'loading', ${created_at}, ${upload}::json, ${sha256})
    on conflict (name, vintage) do nothing
    returning ${columns}`.execute(tx)
  // a concurrent transaction inserted it first: then it is there
  return made.rows[0] ? { row: made.rows[0], begun: true } : await beginDataset(tx, input, over)
}

/** The file of a dataset that is loaded is no longer needed. */
export async function clearUpload(db: Executor, id: number): Promise<void> {
  await sql`update e911_dataset set upload = null where id = ${id} and status <> 'loading'`.execute(db)
}

/** Those of these files that a dataset still waits to be loaded from. */
export async function uploadsAmong(db: Executor, digests: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{
    sha256: string
  }>`select upload->>'sha256' as sha256 from e911_dataset where upload->>'sha256' = any(${digests}::text[])`.execute(db)
  return new Set(rows.map((r) => r.sha256))
}

export interface Counts {
  rows_read: number
  rows_skipped: number
  skipped: Record<string, number>
}

/** Records how far the loading is, 0 to 1. False when the dataset was removed meanwhile. */
export async function recordProgress(
  db: Executor,
  id: number,
  { rows_read, rows_skipped, skipped }: Counts,
  progress: number,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update e911_dataset
    set rows_read = ${rows_read}, rows_skipped = ${rows_skipped}, skipped = ${JSON.stringify(skipped)}, progress = ${progress}
    where id = ${id} and status = 'loading'`.execute(db)
  return numAffectedRows === 1n
}

/** False when the dataset was removed meanwhile. */
export async function markLoaded(db: Executor, id: number, counts: LoadedCounts): Promise<boolean> {
  const { streets, ranges, first_street, last_street } = counts
  const { numAffectedRows } = await sql`
    update e911_dataset set status = 'loaded', progress = 1, streets = ${streets}, ranges = ${ranges},
      first_street = ${first_street}, last_street = ${last_street}
    where id = ${id} and status = 'loading'`.execute(db)
  return numAffectedRows === 1n
}

/** Records why a dataset that is being loaded will not be. Its file is no longer needed. */
export async function markFailed(db: Executor, id: number, failure: string): Promise<void> {
  await sql`
    update e911_dataset set status = 'failed', failure = ${failure}, upload = null
    where id = ${id} and status = 'loading'`.execute(db)
}

/**
 * Makes other data the active one from this commit on, for every cache. Called first, so that those who switch do so one
 * after another: each waits for this row.
 */
export async function nextVersion(tx: Executor): Promise<void> {
  await sql`update e911_version set version = version + 1`.execute(tx)
}

/** Another one after every change of what is active. */
export async function dataVersion(db: Executor): Promise<string> {
  const { version } = await db.selectFrom('e911_version').select('version').executeTakeFirstOrThrow()
  return version
}

/** The status of a dataset, which stays so until the transaction ends; undefined when there is none. */
export async function lockStatusForUpdate(tx: Executor, id: number): Promise<string | undefined> {
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

/** Its streets are left to be cleared in pieces: see `droppedDatasets`. */
export async function deleteDataset(tx: Executor, id: number): Promise<void> {
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
export async function deleteDropped(db: Executor, id: number): Promise<void> {
  await sql`delete from e911_dropped where dataset_id = ${id}`.execute(db)
}

/** False while somebody loads the dataset, or one of its name; otherwise nobody begins before the transaction ends. */
export async function tryLockIdle(tx: Executor, id: number, name: string | null): Promise<boolean> {
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

export interface StateCoverage {
  country: string
  state: string
  datasets: number
  places: number
  streets: number
}

/** What active datasets have in each state; a state that is absent is validated by its postal codes alone. */
export async function coverageByState(db: Executor): Promise<StateCoverage[]> {
  const { rows } = await sql<StateCoverage>`
    select a.country, a.state, count(distinct a.dataset_id)::int as datasets, count(*)::int as places, sum(a.streets)::int as streets
    from e911_area a join e911_dataset d on d.id = a.dataset_id and d.status = 'active'
    where a.streets > 0 group by a.country, a.state order by a.country, a.state`.execute(db)
  return rows
}

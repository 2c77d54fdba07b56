import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import { readRows, type Executor } from '../../platform/db.ts'
import { dropStagingSql, ID_LOCK, NAME_LOCK } from './import/staging-store.ts'
import type {
  DatasetOptions,
  DatasetReport,
  DatasetStatus,
  DatasetUpload,
  E911DatasetTable,
  LoadedCounts,
} from './tables.ts'

/** SQL for datasets and their status. See import/staging-store.ts for staging tables and lookup-store.ts for lookups. */

/** A dataset with counts as numbers; float8 is exact up to 2^53. */
export interface Dataset extends Pick<
  E911DatasetTable,
  | 'name'
  | 'vintage'
  | 'format'
  | 'kind'
  | 'authority'
  | 'license'
  | 'source'
  | 'status'
  | 'failure'
  | 'sha256'
  | 'created_at'
  | 'activated_at'
> {
  id: number
  rows_read: number
  rows_skipped: number
  skipped: Record<string, number>
  streets: number
  ranges: number
  /** 0 to 1; 1 is loaded. */
  progress: number
  /** Uploaded over HTTP and not loaded yet. */
  upload: DatasetUpload | null
  /** How its file is read. */
  options: DatasetOptions
  report: DatasetReport | null
}

const columns = sql.raw(`id, name, vintage, format, kind, authority, license, source, status, failure,
  rows_read::float8 as rows_read, rows_skipped::float8 as rows_skipped, skipped, streets::float8 as streets,
  ranges::float8 as ranges, progress, sha256, created_at, activated_at, upload, options, report`)

/** Every dataset of any status, by name and vintage. */
export async function listDatasets(db: Executor): Promise<Dataset[]> {
  return (await sql<Dataset>`select ${columns} from e911_dataset order by name, vintage, id`.execute(db)).rows
}

export const activeDatasets = async (db: Executor): Promise<Dataset[]> =>
  (await listDatasets(db)).filter(({ status }) => status === 'active')

/** By its id as in a URL path, or as a number. */
export async function findDataset(db: Executor, id: string | number): Promise<Dataset | undefined> {
  return (await sql<Dataset>`select ${columns} from e911_dataset where id::text = ${String(id)}`.execute(db)).rows[0]
}

/** The dataset of that name and vintage: one that is loading, waiting, or failed comes before the active and the superseded one. */
export async function findVintage(db: Executor, name: string, vintage: string): Promise<Dataset | undefined> {
  const { rows } = await sql<Dataset>`
    select ${columns} from e911_dataset where name = ${name} and vintage = ${vintage}
    order by array_position(array['active', 'superseded'], status) nulls first, id desc limit 1`.execute(db)
  return rows[0]
}

/** The active vintage of that name. */
export async function findActive(db: Executor, name: string): Promise<Dataset | undefined> {
  const { rows } = await sql<Dataset>`
    select ${columns} from e911_dataset where name = ${name} and status = 'active'`.execute(db)
  return rows[0]
}

/** A dataset to load; `upload` is null for an import from the command line. */
export type NewDataset = Pick<
  E911DatasetTable,
  'name' | 'vintage' | 'format' | 'kind' | 'authority' | 'license' | 'source' | 'created_at'
> & { upload: DatasetUpload | null; options: DatasetOptions }

/** Whether a dataset was read with the same format, authority, and options. */
export function isSameReading(row: Dataset, input: Pick<NewDataset, 'format' | 'authority' | 'options'>): boolean {
  const same = isDeepStrictEqual(row.options, JSON.parse(JSON.stringify(input.options)))
  return same && row.format === input.format && row.authority === input.authority
}

/**
 * The row for a dataset to load: a new row, the row of a failed attempt, or, under the lock of the name (see `lockName`), of an
 * interrupted one. A dataset that is loading, or was loaded with the same options, is left unchanged, and `begun` is false. With
 * other options, the same file is loaded next to the active dataset, and replaces one that waits for activation.
 */
export async function beginDataset(
  tx: Executor,
  input: NewDataset,
  restartable: readonly DatasetStatus[] = ['failed'],
): Promise<{ row: Dataset; begun: boolean }> {
  const { name, vintage, format, kind, authority, license, source, created_at } = input
  const upload = input.upload && JSON.stringify(input.upload)
  const sha256 = input.upload?.sha256 ?? null
  const options = JSON.stringify(input.options)
  const initial = `status = 'loading', failure = null, report = null, progress = 0, rows_read = 0, rows_skipped = 0, skipped = '{}'`
  const restarted = await sql<Dataset>`
    update e911_dataset set format = ${format}, kind = ${kind}, authority = ${authority}, license = ${license},
      source = ${source}, upload = ${upload}::json, sha256 = ${sha256}, options = ${options}::json, ${sql.raw(initial)}
    where name = ${name} and vintage = ${vintage} and status = any(${restartable}::text[])
    returning ${columns}`.execute(tx)
  if (restarted.rows[0]) return { row: restarted.rows[0], begun: true }
  const existing = await findVintage(tx, name, vintage)
  const same_file = existing?.sha256 === sha256
  if (existing && (existing.status === 'loading' || !same_file || isSameReading(existing, input)))
    return { row: existing, begun: false }
  if (existing?.status === 'loaded' || existing?.status === 'held') await deleteDataset(tx, existing.id)
  const inserted = await sql<Dataset>`
    insert into e911_dataset (name, vintage, format, kind, authority, license, source, status, created_at, upload, sha256, options)
    values (${name}, ${vintage}, ${format}, ${kind}, ${authority}, ${license}, ${source}, 'loading', ${created_at}, ${upload}::json,
      ${sha256}, ${options}::json)
    on conflict (name, vintage) where status not in ('active', 'superseded') do nothing
    returning ${columns}`.execute(tx)
  // a concurrent transaction inserted it first: the next attempt finds that row
  return inserted.rows[0] ? { row: inserted.rows[0], begun: true } : await beginDataset(tx, input, restartable)
}

/** Called when a dataset is loaded and its file is no longer needed. */
export async function clearUpload(db: Executor, id: number): Promise<void> {
  await sql`update e911_dataset set upload = null where id = ${id} and status <> 'loading'`.execute(db)
}

/** Which of these files datasets have yet to be loaded from. */
export async function uploadsAmong(db: Executor, digests: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{
    sha256: string
  }>`select upload->>'sha256' as sha256 from e911_dataset where upload->>'sha256' = any(${digests}::text[])`.execute(db)
  return new Set(rows.map((r) => r.sha256))
}

/** Files that datasets have yet to be loaded from, by digest. */
export async function uploadsFrom(
  db: Executor,
  from: string,
  limit: number,
): Promise<{ sha256: string; dataset_id: number }[]> {
  const { rows } = await sql<{ sha256: string; dataset_id: number }>`
    select upload->>'sha256' as sha256, id as dataset_id
    from e911_dataset where upload->>'sha256' >= ${from} order by upload->>'sha256' limit ${limit}`.execute(db)
  return rows
}

export interface Counts {
  rows_read: number
  rows_skipped: number
  skipped: Record<string, number>
}

/** Records import progress, 0 to 1. False if the dataset was deleted in the meantime. */
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

/** Marks a dataset as loaded, or as held if its report has reasons. False if it was deleted in the meantime. */
export async function markLoaded(
  db: Executor,
  id: number,
  counts: LoadedCounts,
  report: DatasetReport,
): Promise<boolean> {
  const { streets, ranges, first_street, last_street } = counts
  const suffixes = report.suffixes.map(({ country, written, taken_for }) => `${country} ${written} ${taken_for}`)
  const { numAffectedRows } = await sql`
    update e911_dataset set status = ${report.held.length > 0 ? 'held' : 'loaded'}, progress = 1, streets = ${streets},
      ranges = ${ranges}, first_street = ${first_street}, last_street = ${last_street}, suffixes = ${suffixes}::text[], report = ${JSON.stringify(report)}::json
    where id = ${id} and status = 'loading'`.execute(db)
  return numAffectedRows === 1n
}

/** Records why an import failed. Its file is no longer needed. */
export async function markFailed(db: Executor, id: number, failure: string): Promise<void> {
  await sql`
    update e911_dataset set status = 'failed', failure = ${failure}, upload = null
    where id = ${id} and status = 'loading'`.execute(db)
}

/**
 * Invalidates all caches of the active data when this transaction commits. Call it first: its row lock serializes transactions
 * that change which data is active.
 */
export async function incrementVersion(tx: Executor): Promise<void> {
  await sql`update e911_version set version = version + 1`.execute(tx)
}

/** The version of the active data; every change increments it. */
export async function dataVersion(db: Executor): Promise<string> {
  const [found] = await readRows<{ version: string }>(db, 'select version::text from e911_version', [])
  if (!found) throw new Error('the street data has no version')
  return found.version
}

/** Locks a dataset until the transaction ends and returns its status; undefined if it doesn't exist. */
export async function lockStatusForUpdate(tx: Executor, id: number): Promise<DatasetStatus | undefined> {
  const { rows } = await sql<{ status: DatasetStatus }>`
    select status from e911_dataset where id = ${id} for no key update`.execute(tx)
  return rows[0]?.status
}

/** Keeps the active vintage of the dataset's name for rollback, and deletes the one kept before. */
export async function supersedeActiveVintage(tx: Executor, id: number): Promise<void> {
  const named = sql`id <> ${id} and name = (select name from e911_dataset where id = ${id})`
  const active = await sql`select from e911_dataset where status = 'active' and ${named}`.execute(tx)
  if (active.rows.length === 0) return
  await sql`delete from e911_dataset where status = 'superseded' and ${named}`.execute(tx)
  await sql`update e911_dataset set status = 'superseded' where status = 'active' and ${named}`.execute(tx)
}

export async function markActive(tx: Executor, id: number, now: Date): Promise<void> {
  await sql`
    update e911_dataset set status = 'active', activated_at = ${now}, upload = null
    where id = ${id} and status <> 'active'`.execute(tx)
}

/** Deletes the row; its streets are deleted later in batches, see `droppedDatasets`. */
export async function deleteDataset(tx: Executor, id: number): Promise<void> {
  await sql`delete from e911_dataset where id = ${id}`.execute(tx)
}

/** A deleted dataset with the ids of streets that are still stored. */
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

/** Deletes the streets of a dropped dataset with an id below `end`. */
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

/** Deletes up to `limit` places of a dataset. Returns how many. */
export async function clearAreas(db: Executor, id: number, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from e911_area where ctid = any (array(select ctid from e911_area where dataset_id = ${id} limit ${limit}))`.execute(
    db,
  )
  return Number(numAffectedRows ?? 0)
}

/** Call when its streets and places are deleted. */
export async function deleteDropped(db: Executor, id: number): Promise<void> {
  await sql`delete from e911_dropped where dataset_id = ${id}`.execute(db)
}

/** False while a session loads the dataset or one of its name. Otherwise no import of it can start until the transaction ends. */
export async function tryLockIdle(tx: Executor, id: number, name: string | null): Promise<boolean> {
  const { rows } = await sql<{ idle: boolean }>`
    select pg_try_advisory_xact_lock(${ID_LOCK}, ${id})
      and (${name}::text is null or pg_try_advisory_xact_lock(${NAME_LOCK}, hashtext(${name}))) as idle`.execute(tx)
  return rows[0]?.idle === true
}

/** Drops the staging tables of a dataset. */
export async function clearStaging(tx: Executor, id: number): Promise<void> {
  await sql.raw(dropStagingSql(id)).execute(tx)
}

/** Datasets that are loading from the command line; no job retries them. */
export async function loadingFromCommandLine(db: Executor): Promise<{ id: number; name: string }[]> {
  const { rows } = await sql<{ id: number; name: string }>`
    select id, name from e911_dataset where status = 'loading' and upload is null`.execute(db)
  return rows
}

/** Ids of datasets with staging tables, even if the dataset no longer exists. */
export async function stagedDatasets(db: Executor): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select distinct substring(relname from '^e911_staging_([0-9]+)_[0-9]+$')::int as id from pg_class
    where relname ~ '^e911_staging_[0-9]+_[0-9]+$' and relkind = 'r' and pg_table_is_visible(oid)`.execute(db)
  return rows.map(({ id }) => id)
}

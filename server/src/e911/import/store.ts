import type pg from 'pg'
import type { Authority, DatasetKind, DatasetStatus } from '../tables.ts'

/** First part of the advisory lock of a dataset's name; any number that nothing else here uses. */
const LOADING_LOCK = 0xe911

/** The part that a session sets for itself: aggregation of a country wants memory and time. */
const SETTINGS = [
  `set statement_timeout = 0`,
  `set idle_in_transaction_session_timeout = 0`,
  `set work_mem = '256MB'`,
  `set maintenance_work_mem = '256MB'`,
]

const NEXT_VERSION = 'update e911_version set version = version + 1'

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
  created_at: Date
  activated_at: Date | null
}

export type NewDataset = Pick<
  Dataset,
  'name' | 'vintage' | 'format' | 'kind' | 'authority' | 'licence' | 'source' | 'created_at'
>

const COLUMNS = `id, name, vintage, format, kind, authority, licence, source, status, failure,
  rows_read::float8 as rows_read, rows_skipped::float8 as rows_skipped, skipped, streets::float8 as streets,
  ranges::float8 as ranges, created_at, activated_at`

export async function prepareSession(client: pg.ClientBase): Promise<void> {
  for (const setting of SETTINGS) await client.query(setting)
}

/** Holds the name until the session ends or lets go; false when another session has it. */
export async function lockName(client: pg.ClientBase, name: string): Promise<boolean> {
  const { rows } = await client.query<{ held: boolean }>('select pg_try_advisory_lock($1, hashtext($2)) as held', [
    LOADING_LOCK,
    name,
  ])
  return rows[0]?.held === true
}

export async function unlockName(client: pg.ClientBase, name: string): Promise<void> {
  await client.query('select pg_advisory_unlock($1, hashtext($2))', [LOADING_LOCK, name])
}

export async function findVintage(client: pg.ClientBase, name: string, vintage: string): Promise<Dataset | undefined> {
  const { rows } = await client.query<Dataset>(`select ${COLUMNS} from e911_dataset where name = $1 and vintage = $2`, [
    name,
    vintage,
  ])
  return rows[0]
}

export async function findDataset(client: pg.ClientBase | pg.Pool, id: number): Promise<Dataset | undefined> {
  const { rows } = await client.query<Dataset>(`select ${COLUMNS} from e911_dataset where id = $1`, [id])
  return rows[0]
}

export async function datasets(client: pg.ClientBase | pg.Pool): Promise<Dataset[]> {
  const { rows } = await client.query<Dataset>(`select ${COLUMNS} from e911_dataset order by name, vintage, id`)
  return rows
}

export async function insertDataset(client: pg.ClientBase, dataset: NewDataset): Promise<number> {
  const { name, vintage, format, kind, authority, licence, source, created_at } = dataset
  const { rows } = await client.query<{ id: number }>(
    `insert into e911_dataset (name, vintage, format, kind, authority, licence, source, status, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, 'loading', $8) returning id`,
    [name, vintage, format, kind, authority, licence, source, created_at],
  )
  const id = rows[0]?.id
  if (id === undefined) throw new Error('The dataset was not stored.')
  return id
}

export async function deleteDataset(client: pg.ClientBase, id: number): Promise<boolean> {
  await dropStaging(client, id)
  const { rowCount } = await client.query('delete from e911_dataset where id = $1', [id])
  await client.query(NEXT_VERSION)
  return rowCount === 1
}

/** The id is a number of our own making, so it is safe within the statement. */
function stagingTable(id: number): string {
  return `e911_staging_${Math.trunc(id)}`
}

export async function createStaging(client: pg.ClientBase, id: number): Promise<string> {
  const table = stagingTable(id)
  await client.query(`create unlogged table ${table} (
    country text not null, state text not null, postal text not null, city text not null, city_key text collate "C" not null,
    city_derived boolean not null, label text not null, key text collate "C" not null,
    low int, high int, parity int, esn text not null, psap text not null
  )`)
  return table
}

export async function dropStaging(client: pg.ClientBase | pg.Pool, id: number): Promise<void> {
  await client.query(`drop table if exists ${stagingTable(id)}`)
}

/** Gathers the staged lines into streets, each with all its numbers, lying in the order in which they are looked for. */
export async function gatherStreets(client: pg.ClientBase, id: number, kind: DatasetKind): Promise<void> {
  const numbers =
    kind === 'range'
      ? `array_agg(array[low, high, parity] order by low, high) filter (where low is not null), null::int[]`
      : `null::int[], array_agg(distinct low order by low)`
  await client.query(
    `insert into e911_street (dataset_id, country, state, postal, city, city_key, city_derived, label, key, ranges, points, esn, psap)
     select $1::smallint, country, state, postal, min(city), city_key, city_derived, min(label), key, ${numbers}, esn, psap
     from ${stagingTable(id)}
     where key <> ''
     group by country, state, postal, city_key, city_derived, key, esn, psap
     order by country, state, postal, city_key, key`,
    [id],
  )
}

/** Notes which places the streets lie in, and under which other names the data knows them. */
export async function gatherAreas(client: pg.ClientBase, id: number): Promise<void> {
  await client.query(
    `insert into e911_area (dataset_id, country, state, postal, city, city_key, city_derived, streets, complete)
     select dataset_id, country, state, postal, min(city), city_key, bool_and(city_derived), count(*), true
     from e911_street where dataset_id = $1 group by dataset_id, country, state, postal, city_key`,
    [id],
  )
  await client.query(
    `insert into e911_area (dataset_id, country, state, postal, city, city_key, city_derived, streets, complete)
     select $1, country, state, postal, min(city), city_key, false, 0, true
     from ${stagingTable(id)} where key = '' group by country, state, postal, city_key
     on conflict do nothing`,
    [id],
  )
}

/** The codes in which the dataset has streets, with how many. */
export async function codesOf(client: pg.ClientBase, id: number): Promise<{ postal: string; streets: number }[]> {
  const { rows } = await client.query<{ postal: string; streets: number }>(
    `select postal, sum(streets)::int as streets from e911_area where dataset_id = $1 and postal <> '' group by postal`,
    [id],
  )
  return rows
}

export async function markIncomplete(client: pg.ClientBase, id: number, codes: readonly string[]): Promise<void> {
  await client.query('update e911_area set complete = false where dataset_id = $1 and postal = any($2)', [id, codes])
}

export interface Counts {
  rows_read: number
  rows_skipped: number
  skipped: Record<string, number>
}

export async function noteProgress(pool: pg.Pool, id: number, counts: Counts): Promise<void> {
  await pool.query('update e911_dataset set rows_read = $2, rows_skipped = $3, skipped = $4 where id = $1', [
    id,
    counts.rows_read,
    counts.rows_skipped,
    JSON.stringify(counts.skipped),
  ])
}

export async function markLoaded(client: pg.ClientBase, id: number, counts: Counts): Promise<void> {
  await client.query(
    `update e911_dataset set status = 'loaded', rows_read = $2, rows_skipped = $3, skipped = $4,
       streets = (select count(*) from e911_street where dataset_id = $1),
       ranges = (select coalesce(sum(coalesce(cardinality(points), array_length(ranges, 1), 0)), 0) from e911_street where dataset_id = $1)
     where id = $1`,
    [id, counts.rows_read, counts.rows_skipped, JSON.stringify(counts.skipped)],
  )
}

export async function markFailed(pool: pg.Pool, id: number, failure: string): Promise<void> {
  await pool.query(`update e911_dataset set status = 'failed', failure = $2 where id = $1`, [id, failure])
}

/** Makes one vintage the one that counts and removes the one that did, with its streets. False when it is not loaded. */
export async function activate(client: pg.ClientBase, id: number, now: Date): Promise<boolean> {
  await client.query(
    `delete from e911_dataset where status = 'active' and id <> $1 and name = (select name from e911_dataset where id = $1)`,
    [id],
  )
  const { rowCount } = await client.query(
    `update e911_dataset set status = 'active', activated_at = coalesce(activated_at, $2) where id = $1 and status in ('loaded', 'active')`,
    [id, now],
  )
  await client.query(NEXT_VERSION)
  return rowCount === 1
}

export async function analyse(client: pg.ClientBase): Promise<void> {
  await client.query('analyze e911_street')
  await client.query('analyze e911_area')
}

export interface StateCoverage {
  country: string
  state: string
  datasets: number
  places: number
  streets: number
}

/** What active datasets have in each state; a state that is absent is validated by its postal codes alone. */
export async function coverageByState(pool: pg.Pool): Promise<StateCoverage[]> {
  const { rows } = await pool.query<StateCoverage>(
    `select a.country, a.state, count(distinct a.dataset_id)::int as datasets, count(*)::int as places, sum(a.streets)::int as streets
     from e911_area a join e911_dataset d on d.id = a.dataset_id and d.status = 'active'
     where a.streets > 0 group by a.country, a.state order by a.country, a.state`,
  )
  return rows
}

/** Another one after every change of what is active. */
export async function dataVersion(pool: pg.Pool): Promise<string> {
  const { rows } = await pool.query<{ version: string }>('select version::text as version from e911_version')
  const [row] = rows
  if (!row) throw new Error('the street data has no version')
  return row.version
}

export async function inTransaction(client: pg.ClientBase, work: () => Promise<unknown>): Promise<void> {
  await client.query('begin')
  try {
    await work()
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw error
  }
}

import type pg from 'pg'
import { sqlState } from '../../../platform/db.ts'
import type { DatasetKind, LoadedCounts } from '../tables.ts'
import type { MeasuredPlace, PlaceCount } from './measure.ts'

/** First keys of the advisory locks for loading a dataset, unique among this service's locks. */
export const NAME_LOCK = 0xe911
export const ID_LOCK = 0xe912

/** Number of staging tables of an import. Each is sorted separately, which takes a fraction of the memory. */
export const BUCKETS = 8

/** Session settings: aggregating national data takes memory and time. */
const SETTINGS = [
  `set statement_timeout = 0`,
  `set idle_in_transaction_session_timeout = 0`,
  `set work_mem = '256MB'`,
  // the session of a killed process may still hold the lock of the name for a moment
  `set lock_timeout = '10s'`,
]
/** Makes the server abort the statement of a killed process. */
const CHECK_CONNECTION = `set client_connection_check_interval = '1s'`

export async function prepareSession(client: pg.ClientBase): Promise<void> {
  for (const setting of SETTINGS) await client.query(setting)
  try {
    await client.query(CHECK_CONNECTION)
  } catch (error) {
    // invalid_parameter_value: the server's operating system does not support it
    if (sqlState(error) !== '22023') throw error
  }
}

/** Locks the name until the session ends or unlocks it; false if another session holds the lock. */
export const lockName = (client: pg.ClientBase, name: string): Promise<boolean> =>
  tryLock(client, 'select pg_advisory_lock($1, hashtext($2))', [NAME_LOCK, name])

/** Locks the dataset by id, which works without its row. */
export const lockDataset = (client: pg.ClientBase, id: number): Promise<boolean> =>
  tryLock(client, 'select pg_advisory_lock($1, $2)', [ID_LOCK, id])

async function tryLock(client: pg.ClientBase, text: string, values: (string | number)[]): Promise<boolean> {
  try {
    await client.query(text, values)
    return true
  } catch (error) {
    // lock_not_available
    if (sqlState(error) === '55P03') return false
    throw error
  }
}

export async function unlockAll(client: pg.ClientBase): Promise<void> {
  await client.query('select pg_advisory_unlock_all()')
}

/** Safe in a statement, because both values are numbers. */
export function stagingTable(id: number, bucket: number): string {
  return `e911_staging_${Math.trunc(id)}_${Math.trunc(bucket)}`
}

/** Creates a staging table. Collation "C" sorts much faster than a language's collation. */
export async function createStaging(client: pg.ClientBase, id: number, bucket: number): Promise<string> {
  const table = stagingTable(id, bucket)
  await client.query(`create unlogged table ${table} (
    country text collate "C" not null, state text collate "C" not null, postal text collate "C" not null,
    city text collate "C" not null, city_key text collate "C" not null, city_derived boolean not null,
    label text collate "C" not null, key text collate "C" not null,
    esn text collate "C" not null, psap text collate "C" not null, numbers text, others text
  )`)
  return table
}

/** Drops the staging tables of a dataset that exist. */
export async function dropStaging(client: pg.ClientBase, id: number): Promise<void> {
  await client.query(dropStagingSql(id))
}

/** The statement that drops the staging tables of a dataset. */
export function dropStagingSql(id: number): string {
  const tables = Array.from({ length: BUCKETS }, (_, bucket) => stagingTable(id, bucket))
  return `drop table if exists ${tables.join(', ')}`
}

/** Aggregates the lines of a staging table into streets with all their numbers, in the order of the lookup index. */
export async function gatherStreets(
  client: pg.ClientBase,
  id: number,
  bucket: number,
  kind: DatasetKind,
): Promise<void> {
  // numbers within one line are already sorted and distinct
  const [ranges, points] =
    kind === 'range'
      ? [
          `case when lines = 1 then numbers else (
             select array_agg(one order by one) from (
               select distinct array[numbers[i][1], numbers[i][2], numbers[i][3]] from generate_subscripts(numbers, 1) i
             ) as each (one)
           ) end`,
          'null::int[]',
        ]
      : [
          'null::int[]',
          'case when lines = 1 then numbers else (select array_agg(distinct n order by n) from unnest(numbers) n) end',
        ]
  await client.query(
    `insert into e911_street (dataset_id, country, state, postal, city, city_key, city_derived, label, key, ranges, points, others, esn, psap)
     select $1::smallint, country, state, postal, city, city_key, city_derived, label, key, ${ranges}, ${points},
       case when lines = 1 then others else (select array_agg(distinct one order by one) from unnest(others) one) end,
       esn, psap
     from (
       select country, state, postal, min(city) as city, city_key, city_derived, min(label) as label, key, esn, psap,
         count(*) as lines, ('{' || string_agg(numbers, ',') || '}')::int[] as numbers,
         ('{' || string_agg(others, ',') || '}')::text[] as others
       from ${stagingTable(id, bucket)}
       where key <> ''
       group by country, state, postal, city_key, city_derived, key, esn, psap
     ) gathered
     order by country, state, postal, city_key, key`,
    [id],
  )
}

/** Stores the places of the streets and their aliases. */
export async function gatherAreas(client: pg.ClientBase, id: number, buckets: readonly number[]): Promise<void> {
  await client.query(
    `insert into e911_area (dataset_id, country, state, postal, city, city_key, city_derived, streets, numbers, complete)
     select dataset_id, country, state, postal, min(city), city_key, bool_and(city_derived), count(*),
       sum(coalesce(cardinality(points), array_length(ranges, 1), 0)), true
     from e911_street where dataset_id = $1 group by dataset_id, country, state, postal, city_key`,
    [id],
  )
  for (const bucket of buckets)
    await client.query(
      `insert into e911_area (dataset_id, country, state, postal, city, city_key, city_derived, streets, complete)
       select $1, country, state, postal, min(city), city_key, false, 0, true
       from ${stagingTable(id, bucket)} where key = '' group by country, state, postal, city_key
       on conflict do nothing`,
      [id],
    )
}

/** Counts for each measured place, see `PlaceCount`. */
export async function placeCounts(client: pg.ClientBase, id: number): Promise<PlaceCount[]> {
  const { rows } = await client.query<PlaceCount>(
    `select country, state, ${MEASURED_PLACE}, sum(streets)::float8 as streets, sum(numbers)::float8 as numbers
     from e911_area where dataset_id = $1 and streets > 0 group by 1, 2, 3, 4`,
    [id],
  )
  return rows
}

/** A Canadian postal code has too few houses, so its city is measured. */
const MEASURED_PLACE = `case when country = 'US' then postal else '' end as postal,
  case when country = 'US' and postal <> '' then '' else city_key end as city_key`

/** Stores how well each place is covered. */
export async function markMeasured(client: pg.ClientBase, id: number, places: readonly MeasuredPlace[]): Promise<void> {
  await client.query(
    `update e911_area a set share = m.share, thin = m.thin, complete = not m.beyond
     from json_to_recordset($2::json) m (country text, state text, postal text, city_key text, share real, thin bool, beyond bool)
     where a.dataset_id = $1 and a.country = m.country and a.state = m.state
       and (m.postal = '' or a.postal = m.postal) and (m.city_key = '' or a.city_key = m.city_key)
       and (m.postal <> '' or a.country <> 'US' or a.postal = '')`,
    [id, JSON.stringify(places)],
  )
}

export async function loadedCounts(client: pg.ClientBase, id: number): Promise<LoadedCounts> {
  const { rows } = await client.query<LoadedCounts>(
    `select count(*) as streets, min(id) as first_street, max(id) as last_street,
       coalesce(sum(coalesce(cardinality(points), array_length(ranges, 1), 0) + coalesce(cardinality(others), 0)), 0) as ranges
     from e911_street where dataset_id = $1`,
    [id],
  )
  const [row] = rows
  if (!row) throw new Error('an aggregate returned no row')
  return row
}

export async function analyze(client: pg.ClientBase): Promise<void> {
  await client.query('analyze e911_street')
  await client.query('analyze e911_area')
}

import type pg from 'pg'
import { sqlState } from '../../../platform/db.ts'
import type { DatasetKind, LoadedCounts } from '../tables.ts'

/** First parts of the advisory locks of a dataset that is being loaded; any numbers that nothing else here uses. */
export const NAME_LOCK = 0xe911
export const ID_LOCK = 0xe912

/** How many staging tables an import has: so many times smaller is what has to be sorted at once. */
export const BUCKETS = 8

/** The part that a session sets for itself: aggregation of a country wants memory and time. */
const SETTINGS = [
  `set statement_timeout = 0`,
  `set idle_in_transaction_session_timeout = 0`,
  `set work_mem = '256MB'`,
  // the name may be held for a moment by the session of a process that was killed
  `set lock_timeout = '10s'`,
]
/** So that the work of a process that was killed ends with it, and not when it would be done. */
const NOTICE_HANGUP = `set client_connection_check_interval = '1s'`

export async function prepareSession(client: pg.ClientBase): Promise<void> {
  for (const setting of SETTINGS) await client.query(setting)
  try {
    await client.query(NOTICE_HANGUP)
  } catch (error) {
    // invalid_parameter_value: the server runs on a system that cannot
    if (sqlState(error) !== '22023') throw error
  }
}

/** Holds the name until the session ends or lets go; false when another session has it and keeps it. */
export const lockName = (client: pg.ClientBase, name: string): Promise<boolean> =>
  locked(client, 'select pg_advisory_lock($1, hashtext($2))', [NAME_LOCK, name])

/** Holds the dataset itself, also when its row goes. */
export const lockDataset = (client: pg.ClientBase, id: number): Promise<boolean> =>
  locked(client, 'select pg_advisory_lock($1, $2)', [ID_LOCK, id])

async function locked(client: pg.ClientBase, text: string, values: (string | number)[]): Promise<boolean> {
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

/** The id is a number of our own making, so it is safe within the statement. */
function stagingTable(id: number, bucket: number): string {
  return `e911_staging_${Math.trunc(id)}_${Math.trunc(bucket)}`
}

/** Makes a table for a part of the lines. Comparing texts byte by byte makes sorting them much faster than by a language. */
export async function createStaging(client: pg.ClientBase, id: number, bucket: number): Promise<string> {
  const table = stagingTable(id, bucket)
  await client.query(`create unlogged table ${table} (
    country text collate "C" not null, state text collate "C" not null, postal text collate "C" not null,
    city text collate "C" not null, city_key text collate "C" not null, city_derived boolean not null,
    label text collate "C" not null, key text collate "C" not null,
    esn text collate "C" not null, psap text collate "C" not null, numbers text
  )`)
  return table
}

/** Removes the staging tables of a dataset, those that there are. */
export async function dropStaging(client: pg.ClientBase, id: number): Promise<void> {
  await client.query(droppingStaging(id))
}

/** The statement that removes the staging tables of a dataset. */
export function droppingStaging(id: number): string {
  const tables = Array.from({ length: BUCKETS }, (_, bucket) => stagingTable(id, bucket))
  return `drop table if exists ${tables.join(', ')}`
}

/** Gathers the lines of a staging table into streets, each with all its numbers, lying in the order in which they are looked for. */
export async function gatherStreets(
  client: pg.ClientBase,
  id: number,
  bucket: number,
  kind: DatasetKind,
): Promise<void> {
  // each line has its own in order; those of several lines are put in order together
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
    `insert into e911_street (dataset_id, country, state, postal, city, city_key, city_derived, label, key, ranges, points, esn, psap)
     select $1::smallint, country, state, postal, city, city_key, city_derived, label, key, ${ranges}, ${points}, esn, psap
     from (
       select country, state, postal, min(city) as city, city_key, city_derived, min(label) as label, key, esn, psap,
         count(*) as lines, ('{' || string_agg(numbers, ',') || '}')::int[] as numbers
       from ${stagingTable(id, bucket)}
       where key <> ''
       group by country, state, postal, city_key, city_derived, key, esn, psap
     ) gathered
     order by country, state, postal, city_key, key`,
    [id],
  )
}

/** Notes which places the streets lie in, and under which other names the data knows them. */
export async function gatherAreas(client: pg.ClientBase, id: number, buckets: readonly number[]): Promise<void> {
  await client.query(
    `insert into e911_area (dataset_id, country, state, postal, city, city_key, city_derived, streets, complete)
     select dataset_id, country, state, postal, min(city), city_key, bool_and(city_derived), count(*), true
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

export async function gathered(client: pg.ClientBase, id: number): Promise<LoadedCounts> {
  const { rows } = await client.query<LoadedCounts>(
    `select count(*) as streets, min(id) as first_street, max(id) as last_street,
       coalesce(sum(coalesce(cardinality(points), array_length(ranges, 1), 0)), 0) as ranges
     from e911_street where dataset_id = $1`,
    [id],
  )
  const [row] = rows
  if (!row) throw new Error('a count without a row')
  return row
}

export async function analyse(client: pg.ClientBase): Promise<void> {
  await client.query('analyze e911_street')
  await client.query('analyze e911_area')
}

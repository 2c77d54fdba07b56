import type pg from 'pg'
import type { Comparison, DatasetReport } from '../tables.ts'

/** SQL for the report on a dataset, within the transaction that loads it. */

const LOST_NAMES = 20

/** Shares of points or ranges without each attribute; a street without numbers counts as one. */
export async function sharesWithout(client: pg.ClientBase, id: number): Promise<DatasetReport['without']> {
  const { rows } = await client.query<DatasetReport['without']>(
    `select
       coalesce(sum(n) filter (where split_part(key, '|', 2) = '') / sum(n)::float8, 0) as suffix,
       coalesce(sum(n) filter (where key like '%||') / sum(n)::float8, 0) as direction,
       coalesce(sum(n) filter (where city = '' or city_derived) / sum(n)::float8, 0) as city,
       coalesce(sum(n) filter (where postal = '') / sum(n)::float8, 0) as postal_code
     from (
       select key, city, city_derived, postal, greatest(1, coalesce(cardinality(points), array_length(ranges, 1), 1)) as n
       from e911_street where dataset_id = $1
     ) street`,
    [id],
  )
  const [row] = rows
  if (!row) throw new Error('an aggregate returned no row')
  return row
}

/** Compares the streets and places of a dataset with the one that will replace it. */
export async function compared(
  client: pg.ClientBase,
  before: { id: number; vintage: string; streets: number; ranges: number },
  after: { id: number; ranges: number },
): Promise<Comparison> {
  const [streets, places] = [
    await difference(client, before.id, after.id, `select ${PLACE}, key from e911_street`),
    await difference(client, before.id, after.id, `select ${PLACE}, '' from e911_area`, 'streets > 0 and not thin'),
  ]
  const { count, names, gained } = places
  return {
    dataset_id: before.id,
    vintage: before.vintage,
    streets: { before: streets.before, lost: streets.count, gained: streets.gained },
    ranges: { before: before.ranges, after: after.ranges },
    places: { before: places.before, lost: count, gained, lost_names: names },
  }
}

/** A place as measured: by code in the United States. */
const PLACE = `country, state, case when country = 'US' then postal else '' end as postal,
  case when country = 'US' and postal <> '' then '' else city_key end as city_key`

interface Difference {
  before: number
  count: number
  gained: number
  names: string[]
}

async function difference(
  client: pg.ClientBase,
  before: number,
  after: number,
  select: string,
  where = 'true',
): Promise<Difference> {
  const { rows } = await client.query<Difference>(
    `with old as materialized (${select} where dataset_id = $1 and ${where} group by 1, 2, 3, 4, 5),
     new as materialized (${select} where dataset_id = $2 and ${where} group by 1, 2, 3, 4, 5),
     lost as materialized (table old except table new)
     select (select count(*) from old)::float8 as before, (select count(*) from lost)::float8 as count,
       (select count(*) from (table new except table old) more)::float8 as gained,
       array(select concat_ws(' ', state, nullif(postal, ''), nullif(city_key, '')) from lost order by 1 limit ${LOST_NAMES}) as names`,
    [before, after],
  )
  const [row] = rows
  if (!row) throw new Error('a select without from returned no row')
  return row
}

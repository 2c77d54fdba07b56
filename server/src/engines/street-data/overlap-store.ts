import { sql } from 'kysely'
import type { Executor } from '../../platform/db.ts'
import type { DatasetReport } from './tables.ts'

/** SQL for the overlap of authoritative with indicative data: where both have a place, only the authoritative is used. */

type Overlap = NonNullable<DatasetReport['overlap']>

/** Streets that are compared; a national dataset has millions in common with another. */
const STREETS_MAX = 20_000
const EXAMPLES_MAX = 5

const STREET_COLUMNS = sql.raw(
  't.id, t.dataset_id, t.country, t.state, t.postal, t.city, t.city_key, t.label, t.key, t.points, t.ranges',
)

/**
 * House numbers, and ends of ranges, of indicative data that stop counting while the dataset and the active ones of other names
 * are active, because authoritative data of the same place lacks them. Null if the dataset is not involved in any.
 */
export async function overlapOf(db: Executor, id: number): Promise<Overlap | null> {
  const { rows } = await sql<Overlap>`
    with own as (select id, name, authority from e911_dataset where id = ${id}),
    candidate as (
      select d.id, d.name || ' ' || d.vintage as title, d.authority from e911_dataset d, own
      where d.id = own.id or (d.status = 'active' and d.name <> own.name)
    ),
    place as materialized (
      select distinct a.country, a.state, a.postal, a.city_key from e911_area a join candidate d on d.id = a.dataset_id, own
      where d.authority = 'authoritative' and a.streets > 0 and a.complete and not a.thin
        and (own.authority <> 'authoritative' or d.id = own.id)
    ),
    street as materialized (
      select ${STREET_COLUMNS}, d.title from (
        select ${STREET_COLUMNS} from place p join e911_street t on t.country = p.country and t.postal = p.postal
          and t.state = p.state and t.postal <> '' and p.postal <> ''
        union
        select ${STREET_COLUMNS} from place p join e911_street t on t.country = p.country and t.state = p.state
          and t.city_key = p.city_key and t.city_key <> '' and p.postal = ''
      ) t join candidate d on d.id = t.dataset_id, own
      where d.authority = 'indicative' and (own.authority = 'authoritative' or d.id = own.id)
      limit ${STREETS_MAX}
    ),
    number as (
      select ${STREET_COLUMNS}, title, n from street t cross join lateral (
        select unnest(t.points) as n
        union select t.ranges[i][j] from generate_subscripts(t.ranges, 1) i, (values (1), (2)) as ends (j)
      ) numbers where n > 0
    ),
    compared as (
      select title, concat_ws(', ', n || ' ' || label, nullif(city, ''), trim(state || ' ' || postal)) as example, exists (
        select from e911_street t join candidate d on d.id = t.dataset_id and d.authority = 'authoritative'
        where t.country = number.country and t.state = number.state and t.key = number.key
          and (t.postal = number.postal or (t.postal = '' and t.city_key = number.city_key))
          and (t.points @> array[n] or coalesce(t.points, t.ranges[:][1:1]) is null or exists (
            select from generate_subscripts(t.ranges, 1) i
            where n between t.ranges[i][1] and t.ranges[i][2] and (t.ranges[i][3] = 0 or n % 2 = t.ranges[i][3] % 2)
          ))
      ) as is_known
      from number
    )
    select count(*)::int as numbers, (count(*) filter (where not is_known))::int as lost,
      coalesce(array_agg(distinct title) filter (where not is_known), '{}') as datasets,
      coalesce((array_agg(example order by example) filter (where not is_known))[1:${sql.lit(EXAMPLES_MAX)}], '{}') as examples
    from compared`.execute(db)
  const [found] = rows
  return found === undefined || found.numbers === 0 ? null : found
}

/** Replaces the overlap in the report of a dataset. */
export async function recordOverlap(db: Executor, id: number, overlap: Overlap | null): Promise<void> {
  await sql`
    update e911_dataset set report = (report::jsonb || jsonb_build_object('overlap', ${JSON.stringify(overlap)}::jsonb))::json
    where id = ${id} and report is not null`.execute(db)
}

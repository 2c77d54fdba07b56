import { sql } from 'kysely'
import type { Country, Found, Locality, Probe, Streets } from '../addresses/index.ts'
import { readRows, type Db, type Executor } from '../../platform/db.ts'
import { dataVersion } from './store.ts'

/** The streets of the active datasets. `db` is not a transaction, because some statements run concurrently. */
export function activeStreets(db: Db): Streets {
  return {
    lookUp: (probes, numbered) => lookUp(db, probes, numbered),
    streetsOfCode: (place) => streetsOfCode(db, place),
    streetsOfCity: (place) => streetsOfCity(db, place),
    codesLike: (place) => codesLike(db, place),
    communities: (country, state) => communities(db, country, state),
    dataVersion: () => dataVersion(db),
  }
}

const ACTIVE = "join e911_dataset d on d.id = s.dataset_id and d.status = 'active'"
const FACT_COLUMNS =
  'd.authority, d.kind, s.state, s.postal, s.city, s.city_key, s.city_derived, s.streets, s.complete, s.thin'
// as text, because in JSON a bigint would be a number
const ROW_COLUMNS = `s.id::text as id, s.dataset_id, d.authority, s.state, s.postal, s.city, s.city_key, s.city_derived, s.label, s.key,
  d.name as dataset, d.vintage, d.suffixes, s.ranges, s.points, s.others, s.esn, s.psap`
/** What the columns of a fact are read from. */
const AREA_COLUMNS =
  'a.dataset_id, a.state, a.postal, a.city, a.city_key, a.city_derived, a.streets, a.complete, a.thin'
/** What the columns of a row are read from. */
const STREET_COLUMNS =
  't.id, t.dataset_id, t.state, t.postal, t.city, t.city_key, t.city_derived, t.label, t.key, t.ranges, t.points, t.others, t.esn, t.psap'
// one text is cheaper than a row per street; the values contain no tabs or line feeds
const NAME_LINES = "string_agg(concat_ws(E'\\t', s.id, s.postal, s.label, s.key), E'\\n') as lines"

/**
 * Implements `Streets.lookUp`. A key begins with the name and `|`, and `}` is the next character. One statement, so everything is
 * from one snapshot. Streets and places are found before the join to their datasets, because there may be a dataset for every
 * county. The limit excludes no probe: it tells the planner that there are few, so it keeps one generic plan. Otherwise it
 * plans every call, which costs five times the lookup.
 */
const lookUpOf = (more: string) => `
  with p as materialized (
    select p.country, p.state, p.postal, p.city_key, p.base from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[]) as p (country, state, postal, city_key, base)
    limit $6::bigint
  ),
  area as materialized (
    select ${AREA_COLUMNS} from (select distinct country, postal from p) c
    join e911_area a on a.country = c.country and a.postal = c.postal and a.postal <> ''
    union all
    select ${AREA_COLUMNS} from (select distinct country, state, city_key from p) c
    join e911_area a on a.country = c.country and a.state = c.state and a.city_key = c.city_key and a.postal = ''
  ),
  street as materialized (
    select ${STREET_COLUMNS} from p
    cross join lateral (
      select ${STREET_COLUMNS} from e911_street t
      where t.country = p.country and t.postal = p.postal and t.postal <> ''
        and t.key >= p.base || '|' and t.key < p.base || '}'
      union all
      select ${STREET_COLUMNS} from e911_street t
      where t.country = p.country and t.state = p.state and t.city_key = p.city_key and t.city_key <> ''
        and t.key >= p.base || '|' and t.key < p.base || '}'
    ) t
    ${more}
  )
  select
    (select version::text from e911_version) as version,
    (select coalesce(json_agg(f), '[]') from (select ${FACT_COLUMNS} from area s ${ACTIVE}) f) as facts,
    (select coalesce(json_agg(r), '[]') from (select ${ROW_COLUMNS} from street s ${ACTIVE}) r) as rows`

const LOOK_UP = lookUpOf('')
const LOOK_UP_NUMBERED = lookUpOf(`union all
    select ${STREET_COLUMNS} from e911_street t
    where t.id = any($7::bigint[]) and (
      t.others is not null
      or t.points && $8::int[]
      or exists (
        select from generate_subscripts(t.ranges, 1) i, unnest($8::int[]) n
        where n between t.ranges[i][1] and t.ranges[i][2]
      )
    )`)

async function lookUp(
  db: Executor,
  probes: readonly Probe[],
  numbered?: { ids: readonly string[]; numbers: readonly number[] },
): Promise<Found> {
  const values = [
    ...(['country', 'state', 'zip', 'city_key', 'base'] as const).map((name) => probes.map((probe) => probe[name])),
    String(probes.length),
  ]
  const [found] = numbered
    ? await readRows<Found>(db, LOOK_UP_NUMBERED, [...values, numbered.ids, numbered.numbers.map(String)])
    : await readRows<Found>(db, LOOK_UP, values)
  if (!found) throw new Error('a select without from returned no row')
  return { ...found, rows: unique(found.rows) }
}

interface Lines {
  lines: string | null
}

const STREETS_OF_CODE = `
  select ${NAME_LINES} from e911_street s ${ACTIVE}
  where s.country = $1 and s.postal = $2 and s.postal <> ''`

/** The names of all streets of the place's code. */
async function streetsOfCode(db: Executor, { country, zip }: Locality): Promise<string> {
  const [row] = await readRows<Lines>(db, STREETS_OF_CODE, [country, zip])
  return row?.lines ?? ''
}

/** The names of all streets of the place's city. Not batched with other reads, because a city may have ten thousand. */
async function streetsOfCity(db: Executor, { country, state, city_key }: Locality): Promise<string> {
  const { rows } = await sql<Lines>`
    select ${sql.raw(NAME_LINES)} from e911_street s ${sql.raw(ACTIVE)}
    where s.country = ${country} and s.state = ${state} and s.city_key = ${city_key} and s.city_key <> ''`.execute(db)
  return rows[0]?.lines ?? ''
}

/** Up to 50 codes that datasets have for the city and that are one edit away from the given code. */
async function codesLike(db: Executor, place: Locality): Promise<string[]> {
  const { country, state, city_key, zip } = place
  const patterns = [...zip].flatMap((_, i) => [
    `${zip.slice(0, i)}_${zip.slice(i + 1)}`,
    `${zip.slice(0, i)}${zip[i + 1] ?? ''}${zip[i] ?? ''}${zip.slice(i + 2)}`,
  ])
  const { rows } = await sql<{ postal: string }>`
    select distinct s.postal from e911_area s ${sql.raw(ACTIVE)}
    where s.country = ${country} and s.state = ${state} and s.city_key = ${city_key} and s.postal <> ''
      and s.postal like any(${patterns}::text[])
    limit 50`.execute(db)
  return rows.map(({ postal }) => postal)
}

/** Cities of a state in datasets without codes. */
async function communities(
  db: Executor,
  country: Country,
  state: string,
): Promise<{ city: string; city_key: string }[]> {
  const { rows } = await sql<{ city: string; city_key: string }>`
    select distinct s.city, s.city_key from e911_area s ${sql.raw(ACTIVE)}
    where s.country = ${country} and s.state = ${state} and s.postal = '' and s.streets > 0`.execute(db)
  return rows
}

/** A street may be found both by its code and by its city. */
function unique<T extends { id: string }>(rows: T[]): T[] {
  return [...new Map(rows.map((row) => [row.id, row])).values()]
}

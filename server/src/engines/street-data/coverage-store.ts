import type { e911Datasets, ResponseBody } from '@demarc/client'
import { sql } from 'kysely'
import type { Executor } from '../../platform/db.ts'

/** SQL for the coverage of datasets. */

type StateCoverage = ResponseBody<typeof e911Datasets.listE911Datasets>['meta']['coverage'][number]

/** Places and streets of active datasets by state; addresses in other states are validated by postal code. */
export async function coverageByState(db: Executor): Promise<StateCoverage[]> {
  const { rows } = await sql<StateCoverage>`
    select a.country, a.state, count(distinct a.dataset_id)::int as datasets, count(*)::int as places, sum(a.streets)::int as streets
    from e911_area a join e911_dataset d on d.id = a.dataset_id and d.status = 'active'
    where a.streets > 0 group by a.country, a.state order by a.country, a.state`.execute(db)
  return rows
}

type PlaceCoverage = ResponseBody<typeof e911Datasets.listE911DatasetPlaces>['data'][number]

/** The measured places of a dataset (see import/measure.ts), by state, code and city. */
export async function placesOf(
  db: Executor,
  id: number,
  filter: { coverage?: PlaceCoverage['coverage'] | undefined },
  page: { limit: number; offset: number },
): Promise<PlaceCoverage[]> {
  const { rows } = await sql<PlaceCoverage>`
    select country, state, postal, city, streets, numbers, share, coverage from (
      select country, state, code as postal, (array_agg(city order by streets desc, city))[1] as city,
        sum(streets)::float8 as streets, sum(numbers)::float8 as numbers, min(share)::float8 as share,
        case when bool_or(thin) then 'thin' when bool_and(complete) then 'covered' else 'partial' end as coverage
      from (
        select country, state, city, streets, numbers, share, thin, complete, case when country = 'US' then postal else '' end as code,
          case when country = 'US' and postal <> '' then '' else city_key end as town
        from e911_area a where dataset_id = ${id} and streets > 0
      ) area
      group by country, state, code, town
    ) place
    where ${filter.coverage ?? null}::text is null or coverage = ${filter.coverage ?? null}
    order by country, state, postal, city limit ${page.limit} offset ${page.offset}`.execute(db)
  return rows
}

/** A ZIP code, or a city in data without codes, with its coverage in the best active dataset. */
export interface BestCoverage {
  state: string
  /** Empty for a city. */
  postal: string
  /** Empty for a ZIP code. */
  city_key: string
  streets: number
  coverage: PlaceCoverage['coverage']
}

/** The places of active datasets in the United States or one state, assessed for each dataset as in `placesOf`. */
export async function bestCoverage(db: Executor, state: string | undefined): Promise<BestCoverage[]> {
  const { rows } = await sql<BestCoverage>`
    select state, postal, town as city_key, sum(streets)::float8 as streets,
      (array['thin', 'partial', 'covered'])[max(level)] as coverage
    from (
      select a.state, a.postal, case when a.postal = '' then a.city_key else '' end as town, sum(a.streets) as streets,
        case when bool_or(a.thin) then 1 when bool_and(a.complete) then 3 else 2 end as level
      from e911_area a join e911_dataset d on d.id = a.dataset_id and d.status = 'active'
      where a.country = 'US' and a.streets > 0 and (${state ?? null}::text is null or a.state = ${state ?? null})
      group by a.dataset_id, a.state, a.postal, town
    ) place
    group by state, postal, town`.execute(db)
  return rows
}

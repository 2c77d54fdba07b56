import { sql } from 'kysely'
import type { e911Coverage } from '@demarc/client'
import { recheckDue, type ActiveData } from '../e911/index.ts'
import { visibleTo, type Actor } from '../platform/actor.ts'
import type { Database, Executor } from '../platform/db.ts'

/** E911 coverage: missing or weak emergency addresses across an account's numbers and addresses. */

/** The requirements that addresses are compared with. */
export interface CoverageFacts {
  /** Levels below the required one. */
  levels_below: readonly string[]
  /** The active street data. */
  active: readonly ActiveData[]
}

/** A number or address with one gap; the other kind's columns are null. */
export interface CoverageRow {
  gap: e911Coverage.E911Gap
  id: string
  alias: string | null
  label: string | null
  street_number: string | null
  street_name: string | null
  city: string | null
  state: string | null
  level: Database['e911_address']['level'] | null
  validated_at: Date | null
}

export interface CoverageCounts extends Record<e911Coverage.E911Gap, number> {
  numbers: number
  addresses: number
}

/**
 * Numbers and addresses with their gaps. An address key without its sixth of nine parts, the unit, identifies the building, so
 * it is equal for all addresses in one building (`canonicalKey` of the addresses engine).
 */
function gaps(actor: Actor, { levels_below, active }: CoverageFacts) {
  return sql`
    number_without as (
      select value as id, alias from number
      where ${visibleTo(actor)} and number_type = 'longcode' and status = 'active' and e911_id is null),
    address as (
      select id, label, street_number, street_name, city, state, level, validated_at, address_type, source, vintage,
        bool_or(address_type is not null) over (partition by account_id,
          (string_to_array(canonical_key, '|'))[:5], (string_to_array(canonical_key, '|'))[7:]) as has_units
      from e911_address where ${visibleTo(actor)}),
    gap as (
      select 1 as rank, 'no_address' as gap, id, alias, null as label, null as street_number, null as street_name,
        null as city, null as state, null as level, null::timestamptz as validated_at from number_without
      union all
      select g.rank, g.gap, id, null, label, street_number, street_name, city, state, level, validated_at
      from address cross join lateral (values
        (2, 'below_level', level = any(${[...levels_below]}::text[])),
        (3, 'recheck_due', ${recheckDue(active)}),
        (4, 'no_unit', has_units and address_type is null)) as g (rank, gap, is_gap)
      where g.is_gap)`
}

/** Ordered by gap, then ascending; one gap or all. */
export async function listGaps(
  db: Executor,
  actor: Actor,
  facts: CoverageFacts,
  gap: e911Coverage.E911Gap | undefined,
  page: { limit: number; offset: number },
): Promise<CoverageRow[]> {
  const { rows } = await sql<CoverageRow>`
    with ${gaps(actor, facts)}
    select gap, id, alias, label, street_number, street_name, city, state, level, validated_at from gap
    where ${gap ?? null}::text is null or gap = ${gap ?? null}
    order by rank, id limit ${page.limit} offset ${page.offset}`.execute(db)
  return rows
}

export async function countGaps(db: Executor, actor: Actor, facts: CoverageFacts): Promise<CoverageCounts> {
  const { rows } = await sql<CoverageCounts>`
    with ${gaps(actor, facts)}
    select (select count(*)::float8 from number
        where ${visibleTo(actor)} and number_type = 'longcode' and status = 'active') as numbers,
      (select count(*)::float8 from address) as addresses,
      count(*) filter (where gap = 'no_address')::float8 as no_address,
      count(*) filter (where gap = 'below_level')::float8 as below_level,
      count(*) filter (where gap = 'recheck_due')::float8 as recheck_due,
      count(*) filter (where gap = 'no_unit')::float8 as no_unit
    from gap`.execute(db)
  const [counts] = rows
  if (counts === undefined) throw new Error('a count without a row')
  return counts
}

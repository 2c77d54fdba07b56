import { sql } from 'kysely'
import type { Executor } from '../platform/db.ts'
import { countRows } from '../platform/rows.ts'
import type { Profile } from './tables.ts'

/** Counts of the inventory, for the operator. */

export type RateCenter = Pick<Profile, 'number_type' | 'state' | 'rate_center'>

export interface StockRow extends RateCenter {
  available: number
  reserved: number
  active: number
  aging: number
  held: number
  /** Orders in the three last periods, oldest first. */
  ordered: [number, number, number]
  /** Aging numbers that return before `until`. */
  returning_soon: number
}

const count = (status: string) => sql`count(*) filter (where i.status = ${status})::integer`

/** Counts by rate center, the fewest available numbers first. `periods`: their beginnings, oldest first; the last one ends now. */
export async function countByRateCenter(
  db: Executor,
  {
    periods: [first, second, third],
    until,
    low_below,
    is_low,
  }: { periods: readonly [Date, Date, Date]; until: Date; low_below: number; is_low: boolean | undefined },
  { limit, offset }: { limit: number; offset: number },
): Promise<StockRow[]> {
  const orders = (from: Date, before: Date | null) =>
    sql`count(*) filter (where i.ordered_at >= ${from} and (${before}::timestamptz is null or i.ordered_at < ${before}))::integer`
  const { rows } = await sql<StockRow>`
    select number_type, state, rate_center, available, reserved, active, aging, held, ordered, returning_soon from (
      select p.number_type, p.state, p.rate_center, ${count('available')} as available, ${count('reserved')} as reserved,
        ${count('active')} as active, ${count('aging')} as aging, ${count('held')} as held,
        array[${orders(first, second)}, ${orders(second, third)}, ${orders(third, null)}] as ordered,
        count(*) filter (where i.status = 'aging' and i.aging_until < ${until})::integer as returning_soon
      from inventory_number i join inventory_profile p on p.id = i.profile_id
      group by p.number_type, p.state, p.rate_center
    ) counted
    where ${is_low === undefined ? sql`true` : sql`(available < ${low_below}) = ${is_low}`}
    order by available, state, rate_center, number_type limit ${limit} offset ${offset}`.execute(db)
  return rows
}

/** Stores which rate centers have few available numbers. Returns those that are new, and those that no longer have few. */
export async function updateLow(
  tx: Executor,
  low_below: number,
  low_since: Date,
): Promise<{ begun: RateCenter[]; ended: RateCenter[] }> {
  const { rows } = await sql<RateCenter & { is_low: boolean }>`
    with low as (
      select p.number_type, p.state, p.rate_center
      from inventory_number i join inventory_profile p on p.id = i.profile_id
      where i.status not in ('recalled', 'ported_out')
      group by p.number_type, p.state, p.rate_center having ${count('available')} < ${low_below}
    ), ended as (
      delete from inventory_low l where not exists (
        select from low where low.number_type = l.number_type and low.state = l.state and low.rate_center = l.rate_center
      ) returning number_type, state, rate_center
    ), begun as (
      insert into inventory_low (number_type, state, rate_center, low_since)
      select number_type, state, rate_center, ${low_since}::timestamptz from low on conflict do nothing
      returning number_type, state, rate_center
    )
    select number_type, state, rate_center, true as is_low from begun
    union all select number_type, state, rate_center, false from ended`.execute(tx)
  return { begun: rows.filter(({ is_low }) => is_low), ended: rows.filter(({ is_low }) => !is_low) }
}

/** How many rate centers had few available numbers at the last check. */
export const countLow = (db: Executor): Promise<number> => countRows(db, 'inventory_low', sql<boolean>`true`)

export interface BlockRow {
  /** Country code, area code, exchange, and thousands digit. */
  block: string
  state: string
  rate_center: string
  assigned: number
  reserved: number
  aging: number
  administrative: number
  available: number
}

/** Counts of long codes by thousands-block, ascending. Recalled numbers are left out; ported-out ones remain assigned. */
export async function countByBlock(
  db: Executor,
  range: { from: string; below: string },
  { limit, offset }: { limit: number; offset: number },
): Promise<BlockRow[]> {
  const { rows } = await sql<BlockRow>`
    select i.number / 1000 as block, min(p.state) as state, min(p.rate_center) as rate_center, ${count('active')} + ${count('ported_out')} as assigned,
      ${count('reserved')} as reserved, ${count('aging')} as aging, ${count('held')} as administrative,
      ${count('available')} as available
    from inventory_number i join inventory_profile p on p.id = i.profile_id
    where i.number >= ${range.from} and i.number < ${range.below} and i.status <> 'recalled' and p.number_type = 'longcode'
    group by i.number / 1000 order by block limit ${limit} offset ${offset}`.execute(db)
  return rows
}

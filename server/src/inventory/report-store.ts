import { sql } from 'kysely'
import type { Executor } from '../platform/db.ts'
import type { Profile } from './tables.ts'

/** Counts of the inventory, for the operator. */

export interface StockRow extends Pick<Profile, 'number_type' | 'state' | 'rate_center'> {
  available: number
  reserved: number
  active: number
  aging: number
  held: number
  ordered: number
}

const count = (status: string) => sql`count(*) filter (where i.status = ${status})::integer`

/** Counts by rate center, the fewest available numbers first. `since`: which numbers count as ordered recently. */
export async function countByRateCenter(
  db: Executor,
  { since, low_below, is_low }: { since: Date; low_below: number; is_low: boolean | undefined },
  { limit, offset }: { limit: number; offset: number },
): Promise<StockRow[]> {
  const { rows } = await sql<StockRow>`
    select number_type, state, rate_center, available, reserved, active, aging, held, ordered from (
      select p.number_type, p.state, p.rate_center, ${count('available')} as available, ${count('reserved')} as reserved,
        ${count('active')} as active, ${count('aging')} as aging, ${count('held')} as held,
        count(*) filter (where i.status = 'active' and i.changed_at >= ${since})::integer as ordered
      from inventory_number i join inventory_profile p on p.id = i.profile_id
      group by p.number_type, p.state, p.rate_center
    ) counted
    where ${is_low === undefined ? sql`true` : sql`(available < ${low_below}) = ${is_low}`}
    order by available, state, rate_center, number_type limit ${limit} offset ${offset}`.execute(db)
  return rows
}

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

/** Counts of long codes by thousands-block, ascending. Recalled numbers are left out. */
export async function countByBlock(
  db: Executor,
  range: { from: string; below: string },
  { limit, offset }: { limit: number; offset: number },
): Promise<BlockRow[]> {
  const { rows } = await sql<BlockRow>`
    select i.number / 1000 as block, min(p.state) as state, min(p.rate_center) as rate_center, ${count('active')} as assigned,
      ${count('reserved')} as reserved, ${count('aging')} as aging, ${count('held')} as administrative,
      ${count('available')} as available
    from inventory_number i join inventory_profile p on p.id = i.profile_id
    where i.number >= ${range.from} and i.number < ${range.below} and i.status <> 'recalled' and p.number_type = 'longcode'
    group by i.number / 1000 order by block limit ${limit} offset ${offset}`.execute(db)
  return rows
}

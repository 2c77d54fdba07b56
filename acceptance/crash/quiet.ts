import type { Audited } from './service.ts'
import { hang_ms, until } from '../support/until.ts'
import { moveClock, type World } from './world.ts'

/** A retry delay need not pass in real time. */
const step_s = 300

const due = `
  select 'job ' || kind || ' ' || key as what from job
    where dead_at is null and due_at <= now() + (select ahead_ms from clock_offset) * interval '1 millisecond'`

/**
 * Unfinished work, by each feature's rows; the demo cast has a receiver that never responds, so its work may stay unfinished
 * for days.
 */
const under_way = `
  select 'export ' || id as what from cdr_export where status = 'processing'
  union all select 'bulk validation ' || id from e911_validation where status = 'processing'
  union all select 'street data ' || name from e911_dataset where status = 'loading'
  union all select 'streets of ' || dataset_id from e911_dropped
  union all select 'document ' || id from port_order_document where status in ('pending', 'processing')
  union all select 'notification ' || id from notification where status = 'pending' and url not like '%.example/%'`

/** Waits until no work is left; advances the clock past retry delays. */
export async function quiet(world: World, service: Pick<Audited, 'assertOwnWill'>): Promise<void> {
  let left: string[] = []
  const list = async (sql: string) => (await world.database.rows<{ what: string }>(sql)).map(({ what }) => what)
  try {
    await until('everything to be done', hang_ms, async () => {
      service.assertOwnWill()
      left = await list(due)
      if (left.length > 0) return false
      left = await list(under_way)
      if (left.length > 0 && (await list(due)).length === 0) await moveClock(world, step_s)
      return left.length === 0
    })
  } catch (error) {
    throw new Error(`Not done: ${left.slice(0, 20).join(', ')}`, { cause: error })
  }
}

import { systemActor } from '../platform/actor.ts'
import type { Deps } from '../platform/context.ts'
import { inTransaction } from '../platform/db.ts'
import { recordEvent } from '../platform/events.ts'
import * as reports from './report-store.ts'

/** An event names at most this many rate centers. */
const namedRateCenters_max = 100

/** The id of a rate center in reports and events. */
export const rateCenterId = ({ number_type, state, rate_center }: reports.RateCenter): string =>
  [number_type, state, rate_center].filter((each) => each !== '').join('/')

/**
 * Compares the rate centers that have few available numbers with those that had, and records which are new and which are over.
 * Once per crossing, because one transaction changes the rows and records the events. Safe to run twice.
 */
export async function checkStock(deps: Deps, low_below: number): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    const c = { tx, clock: deps.clock, actor: systemActor('check-stock', null) }
    const { begun, ended } = await reports.updateLow(tx, low_below, deps.clock.now())
    const changes = [
      ['inventory.restocked', ended],
      ['inventory.low', begun],
    ] as const
    for (const [type, rate_centers] of changes) {
      const ids = rate_centers.map(rateCenterId).toSorted()
      const [first] = ids
      if (first === undefined) continue
      const data = { rate_centers_count: ids.length, rate_centers: ids.slice(0, namedRateCenters_max), low_below }
      await recordEvent(c, null, { type, subject_type: 'inventory', subject_id: first, data })
    }
  })
}

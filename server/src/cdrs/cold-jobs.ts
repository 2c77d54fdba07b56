import type { Deps } from '../platform/context.ts'
import { inTransaction } from '../platform/db.ts'
import { enqueue, exponentialBackoff, type JobKind, nextNight, nightlyKey, scheduleNightly } from '../platform/jobs.ts'
import { FileDamaged } from '../platform/verified-files.ts'
import type { AccountMonth, Warehouse } from '../engines/call-records/index.ts'
import { ColdMonthFailed, loadMonth } from './cold.ts'
import { loadJob } from './cold-requests.ts'
import * as store from './cold-store.ts'
import { completeRemoval, freezeMonths, type FreezeOptions } from './freeze.ts'
import { coldBefore, coldLimits } from './rules.ts'

/** The job that moves old months to the file store. Keys: `nightly`, and `start` when a worker starts, for what a killed one left. */
const freezeJob = 'freeze-call-records'
const startKey = 'start'

/** Schedules the nightly job unless it is scheduled. Every worker calls this. */
export const scheduleFreezing = (deps: Deps): Promise<void> =>
  inTransaction(deps.db, async (tx) => {
    await enqueue(tx, freezeJob, startKey, deps.clock.now())
    await scheduleNightly(tx, freezeJob, deps.clock.now(), deps.time_zone)
  })

export const coldJobs = (deps: Deps, warehouse: Warehouse, cold_after_months: number | null): JobKind[] => [
  {
    kind: loadJob,
    concurrency: 1,
    attempts_max: 1000,
    backoff_ms: exponentialBackoff(1000, 3_600_000),
    run: async ({ key, signal }) => {
      const [account_id = '', month = ''] = key.split(':')
      await loadMonth(deps, warehouse, { account_id, month }, { signal })
    },
  },
  {
    kind: freezeJob,
    concurrency: 1,
    attempts_max: 1000,
    backoff_ms: exponentialBackoff(60_000, 3_600_000),
    run: async ({ key, signal }) => {
      await completeChanges(deps, warehouse)
      if (key !== nightlyKey) return
      const now = deps.clock.now()
      const is_unfinished =
        cold_after_months !== null && (await freezeOld(deps, warehouse, cold_after_months, { signal }))
      return { again_at: is_unfinished ? now : nextNight(now, deps.time_zone) }
    },
  },
]

/** Gauges of months in the file store. `due`: months that are old enough, and are not there yet. */
export const coldGauges = {
  months: async ({ db }: Deps) => (await store.countCold(db)).months,
  bytes: async ({ db }: Deps) => (await store.countCold(db)).bytes,
  due: async ({ db, clock }: Deps, cold_after_months: number | null) =>
    cold_after_months === null ? 0 : await store.countDue(db, coldBefore(clock.now(), cold_after_months)),
}

/** Completes what a killed process has begun, except for loading, which the next read of the month continues. */
async function completeChanges(deps: Deps, warehouse: Warehouse): Promise<void> {
  for (;;) {
    const rows = await store.listChanging(deps.db, 'removing', coldLimits.months_at_once)
    if (rows.length === 0) return
    await completeRemoval(deps, warehouse, rows)
  }
}

/** Moves months that are old enough to the file store, oldest first. Returns whether there may be more. */
export async function freezeOld(
  deps: Deps,
  warehouse: Warehouse,
  cold_after_months: number,
  options: FreezeOptions & { signal: AbortSignal },
): Promise<boolean> {
  const { signal } = options
  // their files are written again, with what has arrived since, a night later
  for (const key of await store.listGrown(deps.db, coldLimits.months_at_once))
    try {
      await loadMonth(deps, warehouse, key, { kept_until: deps.clock.now(), signal })
    } catch (error) {
      // has an alert, and must not keep other months from being moved
      if (!(error instanceof FileDamaged || error instanceof ColdMonthFailed)) throw error
    }
  const now = deps.clock.now()
  const before = coldBefore(now, cold_after_months)
  let after: AccountMonth = { account_id: '0', month: '' }
  let [seen, frozen] = [0, 0]
  while (seen < coldLimits.months_per_run) {
    signal.throwIfAborted()
    const page = await store.listCandidates(deps.db, { before, after, now, most: coldLimits.months_at_once })
    const last = page.at(-1)
    if (last === undefined) break
    frozen += (await freezeMonths(deps, warehouse, page, options)).length
    after = last
    seen += page.length
  }
  if (frozen > 0) deps.log.info({ months: frozen }, 'moved call records to the file store')
  return frozen > 0 && seen >= coldLimits.months_per_run
}

import type { Deps } from '../platform/context.ts'
import { inTransaction } from '../platform/db.ts'
import { exponentialBackoff, type JobKind, nextNight, nightlyKey, scheduleNightly } from '../platform/jobs.ts'
import type { Warehouse } from '../engines/call-records/index.ts'
import { personalDataJob, retentionJob } from './actions.ts'
import type { Periods } from './class-store.ts'
import { deleteDue, deletePersonalData } from './run.ts'

/** Schedules the nightly deletion unless it is scheduled. Every worker calls this. */
export const scheduleRetention = (deps: Deps): Promise<void> =>
  inTransaction(deps.db, (tx) => scheduleNightly(tx, retentionJob, deps.clock.now(), deps.time_zone))

export const retentionJobs =
  ({ warehouse, config }: { warehouse: Warehouse; config: { periods: Periods } }) =>
  (deps: Deps): JobKind[] => {
    const retention = { deps, warehouse, periods: config.periods }
    const limits = { concurrency: 1, attempts_max: 1000, backoff_ms: exponentialBackoff(60_000, 3_600_000) }
    return [
      {
        ...limits,
        kind: retentionJob,
        run: async ({ key, signal }) => {
          await deleteDue(retention, signal)
          if (key === nightlyKey) return { again_at: nextNight(deps.clock.now(), deps.time_zone) }
        },
      },
      { ...limits, kind: personalDataJob, run: ({ key, signal }) => deletePersonalData(retention, key, signal) },
    ]
  }

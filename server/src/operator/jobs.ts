import type { Deps } from '../platform/context.ts'
import { inTransaction } from '../platform/db.ts'
import { deleteExpiredKeys } from '../platform/idempotency.ts'
import { exponentialBackoff, enqueue, type JobKind } from '../platform/jobs.ts'
import { sweepOrphans, type References } from './orphans.ts'

const day_ms = 86_400_000
const housekeepingJob = 'housekeeping'

/** Enqueues the daily housekeeping unless it is enqueued already; called by every worker at its start. */
export async function scheduleHousekeeping(deps: Deps): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    const waiting = await tx
      .selectFrom('job')
      .select('key')
      .where('kind', '=', housekeepingJob)
      .where('dead_at', 'is', null)
      .executeTakeFirst()
    if (!waiting) await enqueue(tx, housekeepingJob, 'daily', deps.clock.now())
  })
}

/** Daily: deletes expired idempotency keys, unfinished files of processes that died, and files that nothing references. */
export const housekeepingJobs =
  (references: readonly References[]) =>
  (deps: Deps): JobKind[] => [
    {
      kind: housekeepingJob,
      concurrency: 1,
      attempts_max: 1000,
      backoff_ms: exponentialBackoff(60_000, 3_600_000),
      async run({ signal }) {
        const now = deps.clock.now()
        await inTransaction(deps.db, (tx) => deleteExpiredKeys(tx, now))
        // by the wall clock: a file that is being written is not old because the business clock was moved
        const yesterday = new Date(Date.now() - day_ms)
        await deps.files.sweepTemp(yesterday)
        await sweepOrphans(deps, references, yesterday, signal)
        return { again_at: new Date(now.getTime() + day_ms) }
      },
    },
  ]

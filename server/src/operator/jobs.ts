import type { Deps } from '../platform/context.ts'
import { inTransaction, type Tx } from '../platform/db.ts'
import { deleteExpiredKeys } from '../platform/idempotency.ts'
import { removeFileJob } from '../platform/file-references.ts'
import { exponentialBackoff, enqueue, type JobKind } from '../platform/jobs.ts'
import { removeUnreferenced, sweepOrphans, type References } from './orphans.ts'

const hour_ms = 3_600_000
const day_ms = 24 * hour_ms
/** A file that was not written for so long is not being written: no request lasts longer, and no job waits longer for bytes. */
const unused_ms = hour_ms
const housekeepingJob = 'housekeeping'
const housekeepingKey = 'daily'

/** Enqueues the housekeeping unless it is enqueued already; called by every worker at its start. */
export async function scheduleHousekeeping(deps: Deps): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    if (!(await nextHousekeeping(tx))) await enqueue(tx, housekeepingJob, housekeepingKey, deps.clock.now())
  })
}

/**
 * Brings the next housekeeping forward if the last was an hour ago; called by every worker now and then. Its job is due only
 * daily, because moving the clock by a month runs every job that becomes due.
 */
export async function hastenHousekeeping(deps: Deps): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    const now = deps.clock.now()
    const due_at = (await nextHousekeeping(tx))?.due_at.getTime() ?? 0
    const last = due_at - day_ms
    if (due_at > now.getTime() && last <= now.getTime() - hour_ms)
      await enqueue(tx, housekeepingJob, housekeepingKey, now)
  })
}

const nextHousekeeping = (tx: Tx) =>
  tx
    .selectFrom('job')
    .select('due_at')
    .where('kind', '=', housekeepingJob)
    .where('dead_at', 'is', null)
    .executeTakeFirst()

/**
 * Housekeeping, daily at least: deletes expired idempotency keys, unfinished files of processes that died, and files that
 * nothing references. And deletes files when rows cease to refer to them.
 */
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
        const older_than = new Date(Date.now() - unused_ms)
        await deps.files.sweepTemp(older_than)
        await sweepOrphans(deps, references, older_than, signal)
        return { again_at: new Date(now.getTime() + day_ms) }
      },
    },
    {
      kind: removeFileJob,
      concurrency: 4,
      attempts_max: 1000,
      backoff_ms: exponentialBackoff(1000, hour_ms),
      async run({ key }) {
        await removeUnreferenced(deps, references, key)
      },
    },
  ]

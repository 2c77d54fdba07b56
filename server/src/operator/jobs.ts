import type { Deps } from '../platform/context.ts'
import { inTransaction, type Db, type Tx } from '../platform/db.ts'
import { deleteExpiredKeys } from '../platform/idempotency.ts'
import { removeFileJob } from '../platform/file-references.ts'
import { scrubFiles, type StoredFiles } from '../platform/file-scrub.ts'
import { exponentialBackoff, enqueue, nextNight, scheduleNightly, type JobKind } from '../platform/jobs.ts'
import { removeExpiredPermits } from '../platform/permits.ts'
import { removeExpiredCounts } from '../platform/window-counts.ts'
import { removeUnreferenced, sweepOrphans, type References } from './orphans.ts'

const hour_ms = 3_600_000
const day_ms = 24 * hour_ms
/** An unfinished file not written for this long is abandoned: no request lasts longer, and no job waits longer for bytes. */
const unused_ms = hour_ms
const housekeepingJob = 'housekeeping'
const housekeepingKey = 'daily'
/** Compares every stored file with its digest, each night. */
const scrubJob = 'scrub-files'

/**
 * Makes housekeeping due now, because a killed process may have left files, and schedules the check of all files unless it is
 * scheduled. Every worker calls this at its start.
 */
export async function scheduleHousekeeping(deps: Deps): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    const now = deps.clock.now()
    await enqueue(tx, housekeepingJob, housekeepingKey, now)
    await scheduleNightly(tx, scrubJob, now, deps.time_zone)
  })
}

/**
 * Brings the next housekeeping forward if the last one was an hour ago. Every worker calls this periodically. The job itself is
 * due only daily, because moving the demo clock by a month runs every job that becomes due.
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
 * Housekeeping, at least daily: deletes expired idempotency keys, counts, and permits, unfinished files of dead processes, unreferenced files, and what the `cleanups` of features delete.
 * Another job deletes files when their last row drops them.
 */
export const housekeepingJobs =
  (
    references: readonly References[],
    sources: readonly StoredFiles[],
    cleanups: readonly ((db: Db) => Promise<void>)[],
  ) =>
  (deps: Deps): JobKind[] => [
    {
      kind: housekeepingJob,
      concurrency: 1,
      attempts_max: 1000,
      backoff_ms: exponentialBackoff(60_000, 3_600_000),
      async run({ signal }) {
        const now = deps.clock.now()
        await inTransaction(deps.db, (tx) => deleteExpiredKeys(tx, now))
        await removeExpiredCounts(deps.db)
        await removeExpiredPermits(deps.db)
        for (const clean of cleanups) await clean(deps.db)
        // by the wall clock: moving the business clock must not age a file that is being written
        const older_than = new Date(Date.now() - unused_ms)
        await deps.files.sweepTemp(older_than)
        await sweepOrphans(deps, references, signal)
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
    {
      kind: scrubJob,
      concurrency: 1,
      attempts_max: 1000,
      backoff_ms: exponentialBackoff(60_000, hour_ms),
      async run({ signal }) {
        const is_unfinished = await scrubFiles(deps, sources, signal)
        const now = deps.clock.now()
        return { again_at: is_unfinished ? now : nextNight(now, deps.time_zone) }
      },
    },
  ]

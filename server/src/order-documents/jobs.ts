import type { Deps } from '../platform/context.ts'
import { exponentialBackoff, type JobKind } from '../platform/jobs.ts'
import type { Outbound } from '../platform/outbound/index.ts'
import type { Storage } from '../platform/storage.ts'
import { pullJob } from './actions.ts'
import { pullDocument } from './pull.ts'
import { pullLimits, type PullLimits } from './rules.ts'
import { findPull } from './store.ts'

export const documentJobs =
  ({ outbound, storage }: { outbound: Outbound; storage: Storage }) =>
  (deps: Deps): JobKind[] => {
    const slots = createPullSlots(pullLimits)
    return [
      {
        kind: pullJob,
        concurrency: pullLimits.at_once,
        // failed pulls are results, not failures of the job: those are our own, such as an unavailable database
        attempts_max: 1000,
        backoff_ms: exponentialBackoff(500, 60_000),
        async run({ key, signal }) {
          const account_id = (await findPull(deps.db, key))?.account_id
          if (account_id === undefined) return undefined
          const retry_at = slots.acquire(account_id, deps.clock.now())
          if (retry_at) return { again_at: retry_at }
          try {
            const again_at = await pullDocument(
              deps,
              { outbound, timeout_ms: pullLimits.timeout_ms, storage },
              key,
              signal,
            )
            return again_at ? { again_at } : undefined
          } finally {
            slots.release(account_id)
          }
        },
      },
    ]
  }

/** Limits the concurrent pulls of each account in this worker. */
export function createPullSlots(limits: Pick<PullLimits, 'per_account' | 'wait_ms' | 'wait_gap_ms'>) {
  const acquired = new Map<string, number>()
  const last_retry_ms = new Map<string, number>()
  return {
    /** Null when a slot was acquired, which must be released; else when to try again. */
    acquire(account_id: string, now: Date): Date | null {
      const count = acquired.get(account_id) ?? 0
      if (count < limits.per_account) {
        acquired.set(account_id, count + 1)
        return null
      }
      // spread out, so that waiting jobs do not all run at once
      const retry_ms = Math.max(
        now.getTime() + limits.wait_ms,
        (last_retry_ms.get(account_id) ?? 0) + limits.wait_gap_ms,
      )
      last_retry_ms.set(account_id, retry_ms)
      return new Date(retry_ms)
    },
    release(account_id: string): void {
      const count = (acquired.get(account_id) ?? 0) - 1
      if (count > 0) return void acquired.set(account_id, count)
      acquired.delete(account_id)
      last_retry_ms.delete(account_id)
    },
  }
}

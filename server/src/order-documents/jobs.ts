import type { Deps } from '../platform/context.ts'
import { doubling, type JobKind } from '../platform/jobs.ts'
import type { Outbound } from '../platform/outbound/index.ts'
import { pullJob } from './actions.ts'
import { pullDocument } from './pull.ts'
import { pullLimits, type PullLimits } from './rules.ts'
import { findPull } from './store.ts'

export const documentJobs =
  ({ outbound }: { outbound: Outbound }) =>
  (deps: Deps): JobKind[] => {
    const places = createPlaces(pullLimits)
    return [
      {
        kind: pullJob,
        concurrency: pullLimits.at_once,
        // failures of servers are outcomes; these are our own, a database that is away
        attempts_max: 1000,
        backoff_ms: doubling(500, 60_000),
        async run({ key, signal }) {
          const account_id = (await findPull(deps.db, key))?.account_id
          if (account_id === undefined) return undefined
          const later = places.take(account_id, deps.clock.now())
          if (later) return { again_at: later }
          try {
            const again_at = await pullDocument(deps, { outbound, timeout_ms: pullLimits.timeout_ms }, key, signal)
            return again_at ? { again_at } : undefined
          } finally {
            places.leave(account_id)
          }
        },
      },
    ]
  }

/** Counts what each account has under way in this worker. */
export function createPlaces(limits: Pick<PullLimits, 'per_account' | 'wait_ms' | 'wait_gap_ms'>) {
  const taken = new Map<string, number>()
  const asked_back = new Map<string, number>()
  return {
    /** Null when a place was given, which is to be left again; otherwise when to ask anew. */
    take(account_id: string, now: Date): Date | null {
      const held = taken.get(account_id) ?? 0
      if (held < limits.per_account) {
        taken.set(account_id, held + 1)
        return null
      }
      // one after another, so that a hundred that wait do not all come back at once, again and again
      const back_at = Math.max(now.getTime() + limits.wait_ms, (asked_back.get(account_id) ?? 0) + limits.wait_gap_ms)
      asked_back.set(account_id, back_at)
      return new Date(back_at)
    },
    leave(account_id: string): void {
      const held = (taken.get(account_id) ?? 0) - 1
      if (held > 0) return void taken.set(account_id, held)
      taken.delete(account_id)
      asked_back.delete(account_id)
    },
  }
}

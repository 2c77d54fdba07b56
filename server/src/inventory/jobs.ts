import type { Deps } from '../platform/context.ts'
import { exponentialBackoff, type JobKind } from '../platform/jobs.ts'
import { endAging, endAgingJob } from './actions.ts'
import { expireOrder, expireOrderJob } from './approvals.ts'
import { expireReservation, expireReservationJob } from './reservations.ts'

// retried until they succeed, because a number would stay unavailable
const retried = { attempts_max: 1000, backoff_ms: exponentialBackoff(1000, 3_600_000) } as const

export const inventoryJobs = (deps: Deps): JobKind[] => [
  { ...retried, kind: endAgingJob, concurrency: 2, run: ({ key }) => endAging(deps, key) },
  { ...retried, kind: expireReservationJob, concurrency: 2, run: ({ key }) => expireReservation(deps, key) },
  { ...retried, kind: expireOrderJob, concurrency: 2, run: ({ key }) => expireOrder(deps, key) },
]

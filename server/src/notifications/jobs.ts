import type { Deps } from '../platform/context.ts'
import { notifyJob } from '../platform/events.ts'
import { doubling, type JobKind } from '../platform/jobs.ts'
import type { Outbound } from '../platform/outbound/index.ts'
import { deliver, deliverJob, prepareNotification } from './actions.ts'

/** Deliveries at once: one slow receiver must not hold up the others for long. */
const deliveries_at_once = 16

export const notificationJobs =
  ({ outbound }: { outbound: Outbound }) =>
  (deps: Deps): JobKind[] => [
    {
      kind: notifyJob,
      concurrency: 8,
      attempts_max: 100,
      backoff_ms: doubling(500, 60_000),
      run: (job) => prepareNotification(deps, job.key),
    },
    {
      kind: deliverJob,
      concurrency: deliveries_at_once,
      // failures of receivers are outcomes; these are our own, a database that is away
      attempts_max: 1000,
      backoff_ms: doubling(500, 60_000),
      async run(job) {
        const again_at = await deliver(deps, outbound, job.key, job.signal)
        return again_at ? { again_at } : undefined
      },
    },
  ]

import type { Deps } from '../platform/context.ts'
import { notifyJob } from '../platform/events.ts'
import { doubling, type JobKind } from '../platform/jobs.ts'
import type { Outbound } from '../platform/outbound/index.ts'
import { deliver, deliverJob, prepareNotification, type WayOut } from './actions.ts'
import type { DeliveryLimits } from './rules.ts'
import { makeTurns } from './turns.ts'

export const notificationJobs =
  ({ outbound, delivery }: { outbound: Outbound; delivery: DeliveryLimits }) =>
  (deps: Deps): JobKind[] => {
    const way: WayOut = { outbound, turns: makeTurns(delivery), timeout_ms: delivery.timeout_ms }
    return [
      {
        kind: notifyJob,
        concurrency: 8,
        attempts_max: 100,
        backoff_ms: doubling(500, 60_000),
        run: (job) => prepareNotification(deps, job.key),
      },
      {
        kind: deliverJob,
        concurrency: delivery.at_once,
        // failures of receivers are outcomes; these are our own, a database that is away
        attempts_max: 1000,
        backoff_ms: doubling(500, 60_000),
        async run(job) {
          const again_at = await deliver(deps, way, job.key, job.signal)
          return again_at ? { again_at } : undefined
        },
      },
    ]
  }

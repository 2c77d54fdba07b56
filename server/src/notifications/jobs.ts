import type { Deps } from '../platform/context.ts'
import { notifyJob } from '../platform/events.ts'
import { exponentialBackoff, type JobKind } from '../platform/jobs.ts'
import type { Outbound } from '../platform/outbound/index.ts'
import { deliver, deliverJob, prepareNotification, type Egress } from './actions.ts'
import type { DeliveryLimits } from './rules.ts'
import { createDeliverySlots } from './delivery-slots.ts'

export const notificationJobs =
  ({ outbound, delivery }: { outbound: Outbound; delivery: DeliveryLimits }) =>
  (deps: Deps): JobKind[] => {
    const egress: Egress = { outbound, slots: createDeliverySlots(deps, delivery), timeout_ms: delivery.timeout_ms }
    return [
      {
        kind: notifyJob,
        concurrency: 8,
        attempts_max: 100,
        backoff_ms: exponentialBackoff(500, 60_000),
        run: (job) => prepareNotification(deps, job.key),
      },
      {
        kind: deliverJob,
        concurrency: delivery.at_once,
        // a failed delivery is an outcome, not an error; the job fails only if, for example, the database is unavailable
        attempts_max: 1000,
        backoff_ms: exponentialBackoff(500, 60_000),
        async run(job) {
          const again_at = await deliver(deps, egress, job.key, job.signal)
          return again_at ? { again_at } : undefined
        },
      },
    ]
  }

import type { Deps } from '../platform/context.ts'
import { exponentialBackoff, type JobKind } from '../platform/jobs.ts'
import type { Outbound } from '../platform/outbound/index.ts'
import type { Storage } from '../platform/storage.ts'
import { pullJob } from './actions.ts'
import { pullDocument } from './pull.ts'
import { pullLimits } from './rules.ts'

export const documentJobs =
  ({ outbound, storage }: { outbound: Outbound; storage: Storage }) =>
  (deps: Deps): JobKind[] => [
    {
      kind: pullJob,
      concurrency: pullLimits.at_once,
      turns: { per_account: pullLimits.per_account },
      // a failed pull is a result; the job itself fails only for internal reasons, such as an unavailable database
      attempts_max: 1000,
      backoff_ms: exponentialBackoff(500, 60_000),
      async run({ key, signal }) {
        const egress = { outbound, timeout_ms: pullLimits.timeout_ms, storage }
        const again_at = await pullDocument(deps, egress, key, signal)
        return again_at ? { again_at } : undefined
      },
    },
  ]

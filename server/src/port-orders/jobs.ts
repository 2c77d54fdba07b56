import type { Deps } from '../platform/context.ts'
import { exponentialBackoff, type JobKind } from '../platform/jobs.ts'
import { expireOrder, runCarrierStep, warnOfExpiry } from './actions.ts'
import { activateJob, activateOrder } from './completion.ts'
import { expireJob, carrierJob, warnJob } from './transitions.ts'
import type { PortOrderDependencies } from './dependencies.ts'

// retried until they succeed, because an order stays due until its job has run
const retried = { attempts_max: 1000, backoff_ms: exponentialBackoff(1000, 3_600_000) } as const

export const portOrderJobs =
  (dependencies: PortOrderDependencies) =>
  (deps: Deps): JobKind[] => [
    { ...retried, kind: expireJob, concurrency: 2, run: ({ key }) => expireOrder(deps, dependencies, key) },
    { ...retried, kind: warnJob, concurrency: 1, run: ({ key }) => warnOfExpiry(deps, key) },
    { ...retried, kind: carrierJob, concurrency: 2, run: ({ key }) => runCarrierStep(deps, dependencies, key) },
    {
      ...retried,
      kind: activateJob,
      concurrency: 1,
      run: ({ key, signal }) => activateOrder(deps, key, signal),
    },
  ]

import type { Deps } from '../platform/context.ts'
import { exponentialBackoff, type JobKind } from '../platform/jobs.ts'
import { expireOrder, playCarrier } from './actions.ts'
import { activateJob, activateOrder } from './completion.ts'
import { expireJob, playJob } from './transitions.ts'
import type { Parts } from './parts.ts'

// what is due stays due: these are tried until they are done
const patient = { attempts_max: 1000, backoff_ms: exponentialBackoff(1000, 3_600_000) } as const

export const portOrderJobs =
  (parts: Parts) =>
  (deps: Deps): JobKind[] => [
    { ...patient, kind: expireJob, concurrency: 2, run: ({ key }) => expireOrder(deps, parts, key) },
    { ...patient, kind: playJob, concurrency: 2, run: ({ key }) => playCarrier(deps, parts, key) },
    {
      ...patient,
      kind: activateJob,
      concurrency: 1,
      run: ({ key, signal }) => activateOrder(deps, key, signal),
    },
  ]

import type pg from 'pg'
import type { Deps } from '../platform/context.ts'
import { doubling, type JobKind } from '../platform/jobs.ts'
import { revalidateAll, revalidateJob } from './actions.ts'
import { importJob, loadDataset } from './datasets.ts'
import type { Validator } from './validators/validator.ts'

export const e911Jobs =
  ({ database, e911 }: { database: { pool: pg.Pool }; e911: Validator }) =>
  (deps: Deps): JobKind[] => [
    {
      kind: importJob,
      // one at a time: each fills a disk's worth of writes
      concurrency: 1,
      attempts_max: 10,
      backoff_ms: doubling(5_000, 600_000),
      run: (job) => loadDataset(deps, database.pool, job),
    },
    {
      kind: revalidateJob,
      concurrency: 1,
      attempts_max: 100,
      backoff_ms: doubling(5_000, 600_000),
      run: (job) => revalidateAll(deps, e911, job.signal),
    },
  ]

import type pg from 'pg'
import type { Deps } from '../platform/context.ts'
import { exponentialBackoff, type JobKind } from '../platform/jobs.ts'
import { revalidateAll, revalidateJob } from './actions.ts'
import { clearLeftovers, importJob, loadDataset } from './datasets/actions.ts'
import { clearJob } from './datasets/follow-ups.ts'
import { IMPORT } from '../engines/street-data/index.ts'
import { BULK } from './bulk/limits.ts'
import { validateFile } from './bulk/validate-file.ts'
import { expireJob, expireValidation, validateJob } from './bulk/actions.ts'
import type { Validator } from '../engines/addresses/index.ts'

interface E911JobDependencies {
  database: { pool: pg.Pool }
  e911: Validator
  config: { export_life_h: number }
}

export const e911Jobs =
  ({ database, e911, config }: E911JobDependencies) =>
  (deps: Deps): JobKind[] => [
    {
      kind: importJob,
      // one at a time, because an import saturates the disk
      concurrency: 1,
      attempts_max: IMPORT.attempts,
      records_failure: true,
      // not tied to an account: small files before large ones
      turns: {},
      backoff_ms: exponentialBackoff(5_000, 600_000),
      run: (job) => loadDataset(deps, database.pool, job),
    },
    {
      kind: clearJob,
      concurrency: 1,
      attempts_max: 1000,
      backoff_ms: exponentialBackoff(5_000, 600_000),
      run: (job) => clearLeftovers(deps, job),
    },
    {
      kind: revalidateJob,
      concurrency: 1,
      attempts_max: 100,
      backoff_ms: exponentialBackoff(5_000, 600_000),
      run: (job) => revalidateAll(deps, e911, job.signal),
    },
    {
      kind: validateJob,
      // one at a time: it validates several rows at once, and competes with requests for the street data
      concurrency: 1,
      attempts_max: BULK.attempts,
      records_failure: true,
      turns: {},
      backoff_ms: exponentialBackoff(1000, 60_000),
      run: (job) => validateFile(deps, e911, config.export_life_h, job),
    },
    {
      kind: expireJob,
      concurrency: 4,
      attempts_max: 1000,
      backoff_ms: exponentialBackoff(1000, 3_600_000),
      run: (job) => expireValidation(deps, job.key),
    },
  ]

import type { Deps } from '../platform/context.ts'
import { exponentialBackoff, type JobKind } from '../platform/jobs.ts'
import type { Storage } from '../platform/storage.ts'
import { buildJob, expireExport, expireJob } from './actions.ts'
import { buildExport } from './build.ts'
import { coldJobs } from './cold-jobs.ts'
import { expireIngest, expireIngestJob } from './ingest.ts'
import { checkLedgerJob, ledgerCheck } from './ledger.ts'
import { limits } from './rules.ts'
import { LIMITS, type Warehouse } from '../engines/call-records/index.ts'

export { scheduleFreezing } from './cold-jobs.ts'
export { checkLedgerAtStart, scheduleLedgerCheck } from './ledger.ts'

interface ExportDependencies {
  warehouse: Warehouse
  storage: Storage
  config: { exports_at_once: number; export_life_h: number; cold_after_months: number | null }
}

export const cdrJobs =
  ({ warehouse, storage, config }: ExportDependencies) =>
  (deps: Deps): JobKind[] => [
    {
      kind: buildJob,
      concurrency: config.exports_at_once,
      // another export would wait in this worker while a second one is free
      per_worker: LIMITS.exports,
      attempts_max: limits.attempts,
      records_failure: true,
      turns: {},
      backoff_ms: exponentialBackoff(1000, 60_000),
      run: (job) => buildExport(deps, { warehouse, storage }, config.export_life_h, job),
    },
    {
      kind: expireJob,
      concurrency: 4,
      attempts_max: 1000,
      backoff_ms: exponentialBackoff(1000, 3_600_000),
      run: (job) => expireExport(deps, job.key),
    },
    {
      kind: expireIngestJob,
      concurrency: 1,
      attempts_max: 1000,
      backoff_ms: exponentialBackoff(1000, 3_600_000),
      run: (job) => expireIngest(deps, job.key),
    },
    {
      kind: checkLedgerJob,
      concurrency: 1,
      attempts_max: 1000,
      backoff_ms: exponentialBackoff(1000, 3_600_000),
      run: ledgerCheck(deps, warehouse),
    },
    ...coldJobs(deps, warehouse, config.cold_after_months),
  ]

import { referencedFiles as exportFiles, storedFiles as exportsStored } from './cdrs/index.ts'
import { cdrJobs, scheduleFreezing, scheduleLedgerCheck } from './cdrs/jobs.ts'
import { referencedFiles as documentFiles, storedFiles as documentsStored } from './order-documents/index.ts'
import { documentJobs } from './order-documents/jobs.ts'
import { referencedFiles as e911Files, storedFiles as e911Stored } from './e911/index.ts'
import { e911Jobs } from './e911/jobs.ts'
import { checkStock, deleteOldChanges } from './inventory/index.ts'
import { inventoryJobs } from './inventory/jobs.ts'
import { noticeJobs } from './notices/jobs.ts'
import { notificationJobs } from './notifications/jobs.ts'
import { hastenHousekeeping, housekeepingJobs, scheduleHousekeeping } from './operator/jobs.ts'
import { peopleJobs } from './people/jobs.ts'
import { startJobRunner, type JobRunner } from './platform/job-runner.ts'
import type { JobKind } from './platform/jobs.ts'
import { resealJobs, scheduleResealing } from './platform/reseal-job.ts'
import { portOrderJobs } from './port-orders/jobs.ts'
import { retentionJobs, scheduleRetention } from './retention/jobs.ts'
import { secretColumns, type Runtime } from './runtime.ts'

/** How often a worker checks whether to run housekeeping earlier. */
const hasten_ms = 600_000

/** Assembles the jobs of every feature and runs them. It contains no logic of its own. */
export async function startWorker(runtime: Runtime, name: string): Promise<JobRunner> {
  const { deps } = runtime
  await scheduleHousekeeping(deps)
  await scheduleLedgerCheck(deps)
  await scheduleFreezing(deps)
  await scheduleRetention(deps)
  await scheduleResealing(deps)
  const runner = startJobRunner({
    db: deps.db,
    clock: deps.clock,
    kinds: jobKinds(runtime),
    worker: name,
    log: deps.log,
  })
  runtime.subscribe({ onJobEnqueued: () => runner.wake() })
  const hastening = setInterval(() => {
    hastenHousekeeping(deps).catch((error: unknown) => deps.log.warn({ err: error }, 'could not schedule housekeeping'))
  }, hasten_ms)
  return {
    ...runner,
    stop: (grace_ms) => {
      clearInterval(hastening)
      return runner.stop(grace_ms)
    },
  }
}

/** The jobs of every feature. */
export function jobKinds(runtime: Runtime): JobKind[] {
  const { deps } = runtime
  return [
    ...notificationJobs(runtime)(deps),
    ...peopleJobs(runtime)(deps),
    ...noticeJobs(runtime)(deps),
    ...cdrJobs(runtime)(deps),
    ...portOrderJobs(runtime)(deps),
    ...documentJobs(runtime)(deps),
    ...e911Jobs(runtime)(deps),
    ...inventoryJobs(deps),
    ...retentionJobs(runtime)(deps),
    ...resealJobs(secretColumns)(deps),
    ...housekeepingJobs(
      [exportFiles, documentFiles, e911Files],
      [exportsStored, documentsStored, e911Stored],
      [deleteOldChanges, () => checkStock(deps, runtime.config.inventory_low_below)],
    )(deps),
  ]
}

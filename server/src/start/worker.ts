import { randomUUID } from 'node:crypto'
import { checkLedgerAtStart } from '../cdrs/jobs.ts'
import type { Config } from '../config.ts'
import { openInstallation } from '../installation.ts'
import type { Log } from '../platform/db.ts'
import { releaseAbandonedJobs, releaseJobs } from '../platform/jobs.ts'
import { openRuntime, sessionPrefix } from '../runtime.ts'
import { startWorker } from '../worker.ts'
import { whenAvailable } from './available.ts'
import { prepareCallRecords } from './call-records.ts'
import { prepareDatabase } from './database.ts'
import { StartRefused } from '../platform/start-refused.ts'
import type { Stopper } from './stop.ts'
import { sendToParent, setupFromParent, type WorkerSetup } from './worker-child.ts'

/** How long running jobs may take to stop after the signal. */
const grace_ms = 5_000

/** Runs the worker process: standalone (DEMARC_ROLE=worker), or as a child of `all`, which has opened the installation. */
export async function runWorker(config: Config, log: Log, stopper: Stopper): Promise<void> {
  const setup = await setupFromParent()
  const { installation, name, public_url } = setup ?? (await openStandalone(config, log, stopper))
  const runtime = await whenAvailable(log, () => openRuntime(config, installation, name, log))
  stopper.onStop(() => runtime.close())
  const { db, files } = runtime.deps
  // the parent of a child has done this
  if (setup === null) await prepareCallRecords(runtime, log)
  else await whenAvailable(log, () => runtime.warehouse.ready())
  // the previous worker of this name has exited, so its jobs can run before their leases expire
  await whenAvailable(log, () => releaseJobs(db, name))
  // likewise for workers that were killed together with their parent, whose names are unknown
  await whenAvailable(log, () => releaseAbandonedJobs(db, sessionPrefix))
  // removes unfinished files of killed processes; time 0 spares those of running ones
  await files.sweepTemp(new Date(0))
  runtime.deps.public_url = await public_url
  const runner = await whenAvailable(log, () => startWorker(runtime, name))
  stopper.onStop(() => runner.stop(grace_ms))
  await whenAvailable(log, () => checkLedgerAtStart(runtime.deps))
  sendToParent('ready')
  log.info({}, 'worker ready')
}

async function openStandalone(config: Config, log: Log, stopper: Stopper): Promise<WorkerSetup> {
  const { public_url } = config
  if (public_url === null)
    throw new StartRefused('A separate worker requires DEMARC_PUBLIC_URL, because callbacks contain links to the API.')
  const opened = await openInstallation(config, log)
  stopper.onStop(() => opened.close())
  await prepareDatabase(config, opened.installation, log)
  const name = `worker-${process.pid}-${randomUUID().slice(0, 8)}`
  return { installation: opened.installation, name, public_url: Promise.resolve(public_url) }
}

import { randomUUID } from 'node:crypto'
import type { Config } from '../config.ts'
import { openInstallation, type Installation } from '../installation.ts'
import type { Log } from '../platform/db.ts'
import { releaseAbandonedJobs, releaseJobs } from '../platform/jobs.ts'
import { openRuntime, sessionPrefix } from '../runtime.ts'
import { startWorker } from '../worker.ts'
import { migrateDatabase } from './migrate.ts'
import { StartRefused } from './refused.ts'
import type { Stopper } from './stop.ts'
import { fromParent } from './worker-child.ts'

/** From the signal on, running jobs have this long to hand themselves back. */
const finish_ms = 5_000

/** The worker process: alone (DEMARC_ROLE=worker), or the child of `all`, which has the parts open. */
export async function runWorker(config: Config, log: Log, stopper: Stopper): Promise<void> {
  const { installation, name } = (await fromParent()) ?? (await alone(config, log, stopper))
  const runtime = await openRuntime(config, installation, name, log)
  stopper.atStop(() => runtime.close())
  await runtime.warehouse.ready()
  // of the worker before this one, which had the same name and is dead: they need not wait for its leases to run out
  await releaseJobs(runtime.deps.db, name)
  // and of those that were killed together with their parent, whose names nobody knows any more
  await releaseAbandonedJobs(runtime.deps.db, sessionPrefix)
  const runner = await startWorker(runtime, name)
  stopper.atStop(() => runner.stop(finish_ms))
  process.send?.('ready')
  log.info({}, 'worker ready')
}

async function alone(
  config: Config,
  log: Log,
  stopper: Stopper,
): Promise<{ installation: Installation; name: string }> {
  if (config.public_url === null)
    throw new StartRefused(
      'DEMARC_PUBLIC_URL must be set for a worker of its own: it writes links to the API into callbacks.',
    )
  const opened = await openInstallation(config, log)
  stopper.atStop(() => opened.close())
  await migrateDatabase(opened.installation.database_url, log)
  return { installation: opened.installation, name: `worker-${process.pid}-${randomUUID().slice(0, 8)}` }
}

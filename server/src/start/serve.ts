import type { Config } from '../config.ts'
import { openInstallation } from '../installation.ts'
import type { Log } from '../platform/db.ts'
import { createPhases } from '../platform/phases.ts'
import { preparePortal } from './portal.ts'
import type { Stopper } from './stop.ts'
import { forkWorker } from './worker-child.ts'

/** The API process. With the role `all`, it is also the parent of the worker and of the embedded engines. */
export async function serveApi(config: Config, log: Log, stopper: Stopper): Promise<void> {
  const phases = createPhases()
  const worker = config.role === 'all' ? forkWorker(config, log) : null
  if (worker) stopper.onStop(() => worker.stop())
  const spawned = Promise.withResolvers<void>()
  const portal = preparePortal(log)
  stopper.onStop(() => portal.stop())
  const opening = openInstallation(config, log, { phases, onSpawned: spawned.resolve })
  // loading modules blocks this process, so it first spawns the others, which take as long to start
  await Promise.race([spawned.promise, opening])
  const loading = phases.during('modules', () => import('./api.ts'))
  const [opened, { startApi }] = await Promise.all([opening, loading])
  stopper.onStop(() => opened.close())
  await startApi({ config, log, stopper, opened, worker, phases, site: portal.site })
}

import type { Config } from '../config.ts'
import { openInstallation } from '../installation.ts'
import type { Log } from '../platform/db.ts'
import type { Stopper } from './stop.ts'
import { forkWorker } from './worker-child.ts'

/** The API process; with the role `all` also parent of the worker and of the embedded engines. */
export async function serveApi(config: Config, log: Log, stopper: Stopper): Promise<void> {
  const began = performance.now()
  const worker = config.role === 'all' ? forkWorker(config, log) : null
  if (worker) stopper.onStop(() => worker.stop())
  const opening = openInstallation(config, log)
  // only now, because the other processes take as long to start as this one takes to load
  const loading = import('./api.ts').then((api) => {
    api.prepareApi()
    return api
  })
  const [opened, { startApi }] = await Promise.all([opening, loading])
  stopper.onStop(() => opened.close())
  await startApi({ config, log, stopper, opened, worker, began })
}

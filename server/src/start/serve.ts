import type { Config } from '../config.ts'
import { openInstallation } from '../installation.ts'
import type { Log } from '../platform/db.ts'
import { createPhases, type Phases } from './phases.ts'
import type { Stopper } from './stop.ts'
import { forkWorker } from './worker-child.ts'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { flushCompileCache } from 'node:module'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import { readSite, type Site } from '../platform/http/site.ts'

/** The API process. With the role `all`, it is also the parent of the worker and of the embedded engines. */
export async function serveApi(config: Config, log: Log, stopper: Stopper): Promise<void> {
  const phases = createPhases()
  // otherwise standard output goes to the same place as the log, whose lines are JSON
  const is_read_by_person = config.mode === 'demo' || process.stdout.isTTY
  const stopReports = is_read_by_person
    ? reportUnfinished(phases)
    : reportUnfinished(phases, (line) => log.info({}, line))
  stopper.onStop(async () => stopReports())
  const worker = config.role === 'all' ? forkWorker(log) : null
  if (worker) stopper.onStop(() => worker.stop())
  const spawned = Promise.withResolvers<void>()
  const portal = preparePortal(log)
  stopper.onStop(() => portal.stop())
  const opening = openInstallation(config, log, { phases, onSpawned: spawned.resolve })
  // loading modules blocks this process, so it first spawns the others, which take as long to start
  await Promise.race([spawned.promise, opening])
  const loading = phases.during('modules', async () => {
    const { startApi } = await import('./api.ts')
    // Blocks for up to seconds on a first start. The database still starts, and no request waits yet.
    flushCompileCache()
    return startApi
  })
  const [opened, startApi] = await Promise.all([opening, loading])
  stopper.onStop(() => opened.close())
  await startApi({
    config,
    log,
    stopper,
    opened,
    worker,
    phases,
    site: portal.site,
    onReady: stopReports,
    is_read_by_person,
  })
}

/** How often a start that takes long prints what is not finished yet. */
const report_ms = 10_000

/** Prints the unfinished phases of a start until the returned function is called. */
export function reportUnfinished(phases: Pick<Phases, 'unfinished'>, print: (line: string) => void = console.log) {
  let waited_s = 0
  const timer = setInterval(() => {
    waited_s += report_ms / 1000
    print(`Still starting after ${waited_s} s. Not finished yet: ${phases.unfinished().join(', ')}.`)
  }, report_ms)
  return () => clearInterval(timer)
}

const script = fileURLToPath(new URL('../../../portal/build.ts', import.meta.url))

/**
 * Starts to prepare the portal in a separate process: reuses a previous build of the same source, or builds it in about two
 * seconds, in parallel with the rest of the start. `site` rejects if the build fails, which is logged. `stop` ends the build.
 */
export function preparePortal(log: Log): { site: Promise<Site>; stop: () => Promise<void> } {
  const child = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'pipe'] })
  const build = async (): Promise<Site> => {
    const [[code], folder, errors] = await Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)])
    if (code !== 0)
      throw new Error(`Building the portal failed: ${stripVTControlCharacters(errors).trim() || `exit code ${code}`}`)
    return await readSite(folder.trim())
  }
  const site = build()
  let stopping = false
  site.catch((error: unknown) => {
    if (!stopping) log.error({ err: error }, 'could not build the portal; serving the API without it')
  })
  return {
    site,
    stop: async () => {
      stopping = true
      child.kill()
    },
  }
}

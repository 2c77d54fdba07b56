import { existsSync } from 'node:fs'
import { enableCompileCache, flushCompileCache } from 'node:module'
import { parseArgs } from 'node:util'
import { setFlagsFromString } from 'node:v8'
import type { Config } from './config.ts'
import { compileCacheFolder, makeDataFolder } from './data-folder.ts'
import type { Log } from './platform/db.ts'
import type { TraceSettings } from './platform/traces/settings.ts'
import type { Stopper } from './start/stop.ts'

// Read first: a parent that exits later, also while the rest is loaded, is noticed.
const parent = process.ppid

// Everything else is loaded after this, which halves the load time. The first start creates the data folder later.
const data_dir = process.env['DEMARC_DATA'] || './data'
if (existsSync(data_dir)) enableCompileCache(compileCacheFolder(data_dir))

// What the start creates lives long. V8 concludes that rows of later lists do too, and would keep them until a full collection.
setFlagsFromString('--no-allocation-site-pretenuring')

const USAGE = `Starts the service: npm start in demo mode, npm run serve in production mode.

  --demo                  adds demo data and a movable clock; listens on this machine only
  --operator-key NAME     creates an operator key, prints it and its secret once, and exits
  --operator-user EMAIL   invites an operator user, prints the link, and exits
  --secret-keys           prints what needs each pepper and seal key, and exits
  --doctor                checks the installation, prints what is wrong and how to fix it, and exits
  --with-parent           stops when the parent process ends
  --version               prints the version, and the commit of a packed release
  --help                  prints this text

Everything else is set by environment variables: see docs/operate/settings.md.`

/**
 * The service's only entry point. USAGE describes the options. `--with-parent` stops it when npm is killed.
 * DEMARC_ROLE selects what runs: `all` (the API here, worker and engines as children), `api`, or `worker`.
 */
async function main(): Promise<void> {
  const values = readArguments()
  if (values.help) return console.log(USAGE)
  if (values.version) return console.log((await import('./operator/version.ts')).versionText)
  const [{ readConfig }, { createLog }, { stopOnSignals }] = await Promise.all([
    import('./config.ts'),
    import('./platform/log.ts'),
    import('./start/stop.ts'),
  ])
  const config = readConfig(process.env, { demo: values.demo })
  const log = createLog(config.log_level, processName(config), { traced: config.traces !== null })
  const stopper = stopOnSignals(log, { parent: values['with-parent'] ? parent : undefined })
  try {
    await run(config, values, log, stopper)
  } catch (error) {
    // the stop closes dependencies, which makes the start fail
    if (stopper.stopping()) return
    const { printStartError } = await import('./start/refused.ts')
    printStartError(error, config.data_dir)
    stopper.stop('could not start', 1)
  }
}

function readArguments() {
  try {
    return parseArgs({
      options: {
        demo: { type: 'boolean', default: false },
        'operator-key': { type: 'string' },
        'operator-user': { type: 'string' },
        'secret-keys': { type: 'boolean', default: false },
        doctor: { type: 'boolean', default: false },
        'with-parent': { type: 'boolean', default: false },
        version: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    }).values
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`)
    process.exit(2)
  }
}

/** Values of the command-line options. */
interface Values {
  'operator-key'?: string | undefined
  'operator-user'?: string | undefined
  'secret-keys': boolean
  doctor: boolean
}

/** Modules are imported here because each command needs different ones. */
async function run(config: Config, values: Values, log: Log, stopper: Stopper): Promise<void> {
  makeDataFolder(config.data_dir)
  enableCompileCache(compileCacheFolder(config.data_dir))
  const { 'operator-key': key_name, 'operator-user': email } = values
  if (key_name !== undefined) {
    const { addOperatorKey } = await import('./start/operator-access.ts')
    return await addOperatorKey(config, key_name, log, stopper)
  }
  if (email !== undefined) {
    const { addOperatorUser } = await import('./start/operator-access.ts')
    return await addOperatorUser(config, email, log, stopper)
  }
  if (values['secret-keys']) {
    const { printSecretKeys } = await import('./start/operator-access.ts')
    return await printSecretKeys(config, log, stopper)
  }
  if (values.doctor) {
    const { printDiagnosis } = await import('./start/doctor.ts')
    return await printDiagnosis(config, log, stopper)
  }
  if (config.traces !== null) await exportTraces(config.traces, processName(config), log, stopper)
  if (config.role === 'worker') {
    const { runWorker } = await import('./start/worker.ts')
    await runWorker(config, log, stopper)
    flushCompileCache()
  } else {
    const { serveApi } = await import('./start/serve.ts')
    await serveApi(config, log, stopper)
  }
}

const processName = ({ role }: Config) => (role === 'worker' ? 'worker' : 'api')

/** Sends traces until everything else has stopped. */
async function exportTraces(traces: TraceSettings, process_name: string, log: Log, stopper: Stopper): Promise<void> {
  const { startTraces } = await import('./platform/traces/exporter.ts')
  const exporting = startTraces(traces, process_name, log)
  stopper.onStop(() => exporting.stop())
}

try {
  await main()
} catch (error) {
  const { printStartError } = await import('./start/refused.ts')
  printStartError(error, data_dir)
  process.exit(1)
}

import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { buildApp } from '../app.ts'
import type { Config } from '../config.ts'
import { preparePostalData } from '../engines/addresses/index.ts'
import type { OpenedInstallation } from '../installation.ts'
import type { Log } from '../platform/db.ts'
import type { Site } from '../platform/http/site.ts'
import type { Phases } from '../platform/phases.ts'
import { openRuntime } from '../runtime.ts'
import { whenAvailable } from './available.ts'
import { logCoverage } from './coverage.ts'
import { assertNoDemoKeys, prepareDemo } from './demo.ts'
import { migrateDatabase } from './migrate.ts'
import { codeOf, StartRefused } from './refused.ts'
import type { Stopper } from './stop.ts'
import { printWelcome } from './welcome.ts'
import type { WorkerChild } from './worker-child.ts'

/** How long a closing server waits for responses in progress. */
const drain_ms = 4_000

/** How long a request waits for a dependency. Clients commonly time out after about 5 s. */
const requestWaits = { connect_timeout_ms: 3_000, warehouse: { wait_ms: 3_000, failFast: true } }

interface ApiOptions {
  config: Config
  log: Log
  stopper: Stopper
  opened: OpenedInstallation
  worker: WorkerChild | null
  phases: Phases
  site: Promise<Site>
}

/** Opens the API's dependencies, listens, and starts the worker. */
export async function startApi({ config, log, stopper, opened, worker, phases, site }: ApiOptions): Promise<void> {
  const { installation } = opened
  await phases.during('migrations', () => migrateDatabase(installation.database_url, log))
  worker?.open(installation)
  const overrides = { ...requestWaits, longest_wait_ms: config.queue_ms }
  const runtime = await phases.during('connections', () =>
    whenAvailable(log, () => openRuntime(config, installation, 'api', log, overrides)),
  )
  stopper.onStop(() => runtime.close())
  await phases.during('call-record tables', async () => {
    await whenAvailable(log, () => runtime.warehouse.ready())
    await whenAvailable(log, () => runtime.warehouse.ensureSchema())
  })
  if (config.mode === 'production') await whenAvailable(log, () => assertNoDemoKeys(runtime))
  const app = await phases.during('routes', () => buildApp(runtime, site))
  // stopped in parallel because both can take long; the connections they use are closed afterwards
  stopper.onStop(async () => void (await Promise.all([drain(app), worker?.stop()])))
  // jobs write links that contain the port, so listen first; /health/ready fails until everything has started
  await listen(app, config)
  const listening = listenUrl(config, app.server.address() as AddressInfo)
  const url = config.public_url ?? listening
  runtime.deps.public_url = url
  const [demo] = await Promise.all([
    config.mode === 'demo'
      ? phases.during('demo data', () => whenAvailable(log, () => prepareDemo(runtime, phases)))
      : null,
    phases.during('worker', () => worker?.start(url)),
  ])
  runtime.started = true
  // measured from the start of the process
  const ready_ms = Math.round(performance.now())
  log.info({ url, listening, mode: config.mode, role: config.role, ready_ms, phases: phases.measured() }, 'ready')
  const warnings = [...opened.warnings, ...unreachable(config, url)]
  printWelcome({ config, url, warnings, demo, demo_file: join(config.data_dir, 'demo.json'), ready_ms })
  await whenAvailable(log, () => logCoverage(runtime))
  await preparePostalData()
}

/** A server can listen on a wildcard address, but clients cannot connect to it. */
const unreachable = ({ public_url, host }: Config, url: string): string[] =>
  public_url === null && ['0.0.0.0', '::'].includes(host)
    ? [`Links to files start with ${url}, which other machines cannot open. Set DEMARC_PUBLIC_URL.`]
    : []

/** Accepts no new connections, and lets responses in progress finish. */
async function drain(app: FastifyInstance): Promise<void> {
  const closing = app.close()
  await Promise.race([closing, new Promise((resolve) => setTimeout(resolve, drain_ms).unref())])
  app.server.closeAllConnections()
  await closing
}

async function listen(app: FastifyInstance, { host, port }: Config): Promise<void> {
  try {
    await app.listen({ host, port })
  } catch (error) {
    const explanations: Record<string, string> = {
      EADDRINUSE: `Port ${port} on ${host} is in use. Demarc may already be running. Stop the other process, or set DEMARC_PORT to another port.`,
      EACCES: `This user may not listen on port ${port}. Set DEMARC_PORT to 1024 or higher.`,
      EADDRNOTAVAIL: `This machine has no address ${host}. Set DEMARC_HOST to one of its addresses.`,
      ENOTFOUND: `This machine has no address ${host}. Set DEMARC_HOST to one of its addresses.`,
    }
    const reason = explanations[codeOf(error) ?? '']
    throw reason === undefined ? error : new StartRefused(reason, { cause: error })
  }
}

// a server that listens on TCP has an address with a port
const listenUrl = (config: Config, { port }: AddressInfo) =>
  `http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${port}`

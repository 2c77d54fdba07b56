import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { buildApp } from '../app.ts'
import type { Config } from '../config.ts'
import { preparePostalData } from '../engines/addresses/index.ts'
import type { OpenedInstallation } from '../installation.ts'
import type { Log } from '../platform/db.ts'
import { listenOn } from '../platform/http/server.ts'
import type { Site } from '../platform/http/site.ts'
import type { Phases } from './phases.ts'
import { StartRefused } from '../platform/start-refused.ts'
import { commit, version } from '../operator/version.ts'
import { openRuntime, type Runtime } from '../runtime.ts'
import { whenAvailable } from './available.ts'
import { prepareCallRecords } from './call-records.ts'
import { assertNoDemoKeys, prepareDemo, type DemoKeys } from './demo.ts'
import { prepareDatabase } from './database.ts'
import { codeOf } from './refused.ts'
import type { Stopper } from './stop.ts'
import type { WorkerChild } from './worker-child.ts'
import { readCoverage } from '../engines/street-data/index.ts'

/** How long a closing server waits for responses in progress. */
const drain_ms = 4_000

/**
 * How long a process behind a proxy still serves after SIGTERM: until no request has arrived for a while. The proxy notices by
 * readiness that it stops; a proxy that checks every second and needs two failures takes up to two seconds, and longer if this
 * process is busy. The longest, with `drain_ms`, is less than the stop may take. Quiet is counted in polls, because after a delay
 * of this process requests may be waiting to be read, which happens between two polls.
 */
const leave = { least_ms: 3_000, quiet_polls: 10, most_ms: 5_000, poll_ms: 100 } as const

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
  onReady: () => void
  /** Whether to print the welcome. */
  is_read_by_person: boolean
}

/** Opens the API's dependencies, listens, and starts the worker. */
export async function startApi({
  config,
  log,
  stopper,
  opened,
  worker,
  phases,
  site,
  onReady,
  is_read_by_person,
}: ApiOptions): Promise<void> {
  const { installation } = opened
  await phases.during('migrations', () => prepareDatabase(config, installation, log))
  worker?.open(installation)
  const overrides = { ...requestWaits, longest_wait_ms: config.queue_ms }
  const runtime = await phases.during('connections', () =>
    whenAvailable(log, () => openRuntime(config, installation, 'api', log, overrides)),
  )
  stopper.onStop(() => runtime.close())
  await phases.during('call-record tables', () => prepareCallRecords(runtime, log))
  if (config.mode === 'production') await whenAvailable(log, () => assertNoDemoKeys(runtime))
  const app = await phases.during('routes', () => buildApp(runtime, site))
  // stopped in parallel because both can take long; the connections they use are closed afterward
  stopper.onStop(async () => {
    if (config.role === 'api') await leaveProxy(runtime, app)
    await Promise.all([drain(app), worker?.stop()])
  })
  // jobs write links that contain the port, so listen first; /health/ready fails until everything has started
  await listen(app, config)
  const listening = listenUrl(config, app.server.address() as AddressInfo)
  const url = config.public_url ?? listening
  runtime.deps.public_url = url
  const [demo] = await Promise.all([
    config.mode === 'demo' ? phases.during('demo data', () => prepareDemo(runtime, phases)) : null,
    phases.during('worker', () => worker?.start(url)),
  ])
  runtime.phase = 'serving'
  onReady()
  // measured from the start of the process
  const ready_ms = Math.round(performance.now())
  log.info(
    { version, commit, url, listening, mode: config.mode, role: config.role, ready_ms, phases: phases.measured() },
    'ready',
  )
  const warnings = [...opened.warnings, ...unreachable(config, url)]
  if (is_read_by_person)
    printWelcome({ config, url, warnings, demo, demo_file: join(config.data_dir, 'demo.json'), ready_ms })
  else for (const warning of warnings) log.warn({ warning }, 'started with a warning')
  await whenAvailable(log, () => logCoverage(runtime))
  await preparePostalData()
}

/** A server can listen on a wildcard address, but clients cannot connect to it. */
const unreachable = ({ public_url, host }: Config, url: string): string[] =>
  public_url === null && ['0.0.0.0', '::'].includes(host)
    ? [`Links to files start with ${url}, which other machines cannot open. Set DEMARC_PUBLIC_URL.`]
    : []

/** Serves until a proxy sends no more requests: closing a kept connection just when a request arrives on it would lose that request. */
async function leaveProxy(runtime: Runtime, app: FastifyInstance): Promise<void> {
  runtime.phase = 'stopping'
  const began = performance.now()
  let quiet_polls = 0
  app.server.prependListener('request', ({ url }, response) => {
    response.setHeader('connection', 'close')
    if (url?.startsWith('/health/') === false) quiet_polls = 0
  })
  for (let now = began; now < began + leave.most_ms; now = performance.now()) {
    if (now >= began + leave.least_ms && quiet_polls >= leave.quiet_polls) return
    await sleep(leave.poll_ms)
    quiet_polls += 1
  }
}

/** Accepts no new connections, and lets responses in progress finish. */
async function drain(app: FastifyInstance): Promise<void> {
  const closing = app.close()
  await Promise.race([closing, new Promise((resolve) => setTimeout(resolve, drain_ms).unref())])
  app.server.closeAllConnections()
  await closing
}

async function listen(app: FastifyInstance, { host, port }: Config): Promise<void> {
  try {
    await listenOn(app, { host, port })
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

/** Logs which data validates emergency addresses. Warns if there is neither street data nor a remote validator. */
export async function logCoverage({ database, config, deps: { log } }: Runtime): Promise<void> {
  const { postal_only, description: coverage } = await readCoverage(database.db)
  const remotes = [config.e911.lost_url, config.e911.census_url].filter((url) => url !== null)
  const fields = { coverage, remote_validators: remotes.length }
  if (postal_only && remotes.length === 0)
    log.warn(
      fields,
      'emergency addresses are validated by postal code only; to load street data, see docs/operate/street-data.md',
    )
  else log.info(fields, 'street data coverage')
}

/** Prints the service's URL and the demo keys to standard output. The log goes to standard error. */
export function printWelcome(w: {
  config: Config
  url: string
  warnings: string[]
  demo: DemoKeys | null
  demo_file: string
  ready_ms: number
}): void {
  const lines = [
    `Demarc is ready at ${w.url} (${w.config.mode} mode, ${(w.ready_ms / 1000).toFixed(1)} s).`,
    `  Portal             ${w.url}/`,
    `  API documentation  ${w.url}/docs`,
  ]
  if (w.demo) {
    const { account, other_account, operator } = w.demo
    lines.push(
      `  Customer           ${account.access_key}:${account.secret_key}`,
      `  Second customer    ${other_account.access_key}:${other_account.secret_key}`,
      `  Operator           ${operator.access_key}:${operator.secret_key}`,
      `  Keys as JSON       ${w.demo_file}`,
      '',
      `  curl -u ${account.access_key}:${account.secret_key} ${w.url}/v2/numbers`,
      '',
      'These keys work on this machine only. Losing carriers are simulated, and you can move the clock. Press Ctrl-C to stop.',
    )
  }
  lines.push(...w.warnings.map((warning) => `  Note: ${warning}`))
  console.log(lines.join('\n'))
}

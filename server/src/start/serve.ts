import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { buildApp } from '../app.ts'
import type { Config } from '../config.ts'
import { openPlaces } from '../places.ts'
import type { Log } from '../platform/db.ts'
import { migrateDatabase } from './migrate.ts'
import { openRuntime } from '../runtime.ts'
import { assertNoDemoKeys, settleDemo } from './demo.ts'
import { printWelcome } from './welcome.ts'
import { stopOnSignals } from './stop.ts'
import { startWorkerChild, type WorkerChild } from './work.ts'

/** How long a closing server waits for answers that are under way. */
const drain_ms = 4_000

/** The API process; with the role `all` also parent of the worker and of the embedded engines. */
export async function serveApi(config: Config, log: Log): Promise<void> {
  const began = performance.now()
  const opened = await openPlaces(config, log)
  const { places } = opened
  await migrateDatabase(places.database_url, log)
  const runtime = await openRuntime(config, places, 'api', log)
  await runtime.warehouse.ready()
  await runtime.warehouse.ensureSchema()
  if (config.mode === 'production') await assertNoDemoKeys(runtime)
  const app = await buildApp(runtime)
  let worker: WorkerChild | null = null
  stopOnSignals(async () => {
    const closing = app.close()
    await Promise.race([closing, new Promise((resolve) => setTimeout(resolve, drain_ms).unref())])
    app.server.closeAllConnections()
    await worker?.stop()
    await runtime.close()
    await opened.close()
  }, log)
  // links need the port, and the worker makes links: listen first. /health/ready refuses until everything stands
  await app.listen({ host: config.host, port: config.port })
  const url = config.public_url ?? listenUrl(config, app.server.address() as AddressInfo)
  places.public_url = url
  runtime.deps.public_url = url
  const demo = config.mode === 'demo' ? await settleDemo(runtime) : null
  if (config.role === 'all') worker = await startWorkerChild(places, log)
  runtime.started = true
  const ready_ms = Math.round(performance.now() - began)
  log.info({ url, mode: config.mode, role: config.role, ready_ms }, 'ready')
  printWelcome({ config, url, notes: opened.notes, demo, demo_file: join(config.data_dir, 'demo.json'), ready_ms })
}

// a server that listens on TCP has an address with a port
const listenUrl = (config: Config, { port }: AddressInfo) =>
  `http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${port}`

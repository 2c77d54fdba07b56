import { execFileSync, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createDemarcClient, type DemarcClient } from '@demarc/client'
import { absent } from './database.ts'
import { childrenOf } from './processes.ts'
import { environment } from './environment.ts'

/** A service in demo mode and its cast, accessed only through its `demo.json` and HTTP API. */
export interface Service {
  base_url: string
  keys: Record<'account' | 'other' | 'operator', Keys>
  account: DemarcClient
  other: DemarcClient
  operator: DemarcClient
  /** Its process and data folder, for checks beyond HTTP; null for a service that these tests did not start. */
  process: ServiceProcess | null
  /** Ends the process and keeps its data. */
  end(): Promise<void>
  /** Ends the process and removes its data. */
  stop(): Promise<void>
}

export interface ServiceProcess {
  pid: number
  data_dir: string
}

export interface Keys {
  access_key: string
  secret_key: string
}
interface DemoFile {
  base_url: string
  account: Keys
  other_account: Keys
  operator: Keys
}

/** Only a hang takes this long: on an overloaded machine a start takes minutes. */
const start_timeout_ms = 300_000

/**
 * The service whose `demo.json` is at `DEMARC_TEST_DEMO_FILE`, or else a new one for these tests alone, with these settings.
 * Like every service that `startService` starts, it refuses nothing because of other load on the machine.
 */
export async function openService(settings: Record<string, string> = {}): Promise<Service> {
  const demo_file = process.env['DEMARC_TEST_DEMO_FILE']
  if (demo_file !== undefined) return clientsOf(JSON.parse(await readFile(demo_file, 'utf8')), null)
  const folder = await newFolder()
  await copyDemoData(folder)
  return startService(folder, { DEMARC_QUEUE_MS: '60000', ...settings })
}

/** Puts the demo data into a service's folder, if a run of the tests shares it; otherwise the service's first start creates it. */
export async function copyDemoData(folder: string): Promise<void> {
  const seeded = process.env['DEMARC_TEST_SEEDED']
  // -a: under root, the cluster belongs to another user
  if (seeded !== undefined) execFileSync('cp', ['-a', await seededData(seeded), path.join(folder, 'data')])
}

/**
 * A data folder with the demo data, for this run of the tests: seeding takes most of a first start. The first file that needs
 * it creates it, and the others wait.
 */
async function seededData(target: string): Promise<string> {
  const deadline = performance.now() + start_timeout_ms
  while (!existsSync(target)) {
    if (await isFirst(`${target}.lock`)) {
      const folder = await newFolder()
      const service = await startService(folder, { DEMARC_QUEUE_MS: '60000' })
      await service.end()
      const data = path.join(folder, 'data')
      await rm(path.join(data, 'demo.json')) // of the service that wrote it: the next one writes its own
      await rename(data, target)
      await rm(folder, { recursive: true })
    } else if (performance.now() > deadline) throw new Error('No other test file finished the demo data.')
    else await sleep(100)
  }
  return target
}

async function isFirst(lock: string): Promise<boolean> {
  try {
    await mkdir(lock)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  }
}

/** A folder for a service's data that every user may enter: under root, the database runs as another user. */
export async function newFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'demarc-acceptance-'))
  await chmod(folder, 0o711)
  return folder
}

/** Starts a service with its data in the folder, which is removed when the service stops; `program`: its code, instead of this one. */
export async function startService(
  folder: string,
  settings: Record<string, string> = {},
  program = fileURLToPath(new URL('../../server', import.meta.url)),
): Promise<Service> {
  const data = path.join(folder, 'data')
  const main = path.join(program, 'src/main.ts')
  // with-parent: if a test file is killed, its service ends too
  const child = spawn(process.execPath, [main, '--demo', '--with-parent'], {
    env: {
      ...environment,
      DEMARC_DATA: data,
      DEMARC_PORT: '0',
      DEMARC_LOG_LEVEL: 'warn',
      ...settings,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const end = async () => {
    child.kill('SIGTERM')
    await ended
  }
  const stop = async () => {
    await end()
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
  }
  const started = child.pid === undefined ? null : { pid: child.pid, data_dir: data }
  const deadline = performance.now() + start_timeout_ms
  for (;;) {
    const text = await readFile(path.join(data, 'demo.json'), 'utf8').catch(absent)
    const service = text === null ? null : clientsOf(JSON.parse(text), started, { end, stop })
    if (service && (await isReady(service.base_url))) return service
    if (child.exitCode !== null || performance.now() > deadline) {
      await stop()
      throw new Error('The service did not become ready.')
    }
    await sleep(100)
  }
}

/**
 * Stops the worker until the end of a test that needs something to take long: otherwise it may be done before the test first
 * polls for it. Does nothing if the processes are unknown.
 */
export function stopWorker({ process: main }: Service, t: { after(work: () => void): void }): void {
  if (main === null || !existsSync('/proc/self/stat')) return
  const worker = childrenOf(main.pid).find(({ name }) => name === 'worker')
  if (worker === undefined) throw new Error('no worker runs')
  process.kill(worker.pid, 'SIGSTOP')
  t.after(() => void process.kill(worker.pid, 'SIGCONT'))
}

const clientsOf = (
  { base_url, account, other_account, operator }: DemoFile,
  started: Service['process'],
  { end, stop }: Pick<Service, 'end' | 'stop'> = { end: async () => undefined, stop: async () => undefined },
): Service => ({
  base_url,
  keys: { account, other: other_account, operator },
  account: createDemarcClient({ retry: false, base_url, credentials: account }),
  other: createDemarcClient({ retry: false, base_url, credentials: other_account }),
  operator: createDemarcClient({ retry: false, base_url, credentials: operator }),
  process: started,
  end,
  stop,
})

async function isReady(base_url: string): Promise<boolean> {
  const response = await fetch(`${base_url}/health/ready`)
  await response.arrayBuffer()
  return response.ok
}

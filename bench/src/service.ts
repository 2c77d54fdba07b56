import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { createDemarcClient, type DemarcClient } from '@demarc/client'
import { portOrder } from '../../acceptance/support/cast.ts'
import { fileOf } from '../../acceptance/support/processes.ts'

/** A Demarc service in its own folder, started as `npm start` does and stopped by the benchmark. */
export interface Service {
  base_url: string
  port: number
  folder: string
  operator: DemarcClient
  /** The operator's Authorization header, for requests over plain sockets. */
  operator_authorization: string
  /** URL of the embedded database. */
  database_url: string
  /** Process ids by name: api, worker, engine, and postgres with its children. */
  processes(): Record<string, number[]>
}

interface Credentials {
  access_key: string
  secret_key: string
}

/** An account with its own key, and a client that uses it. */
export interface Account extends Credentials {
  account_id: string
  authorization: string
  client: DemarcClient
}

export async function newAccount({ operator, base_url }: Service): Promise<Account> {
  const account_id = (await operator.createAccount({ body: { name: 'Bench' } })).body.data.id
  const { body } = await operator.createKey({ params: { account_id }, body: { name: 'bench' } })
  const { access_key, secret_key } = body.data.attributes
  const credentials = { access_key, secret_key }
  const client = createDemarcClient({ retry: false, base_url, credentials })
  return { account_id, ...credentials, authorization: basic(credentials), client }
}

const basic = ({ access_key, secret_key }: Credentials): string =>
  `Basic ${Buffer.from(`${access_key}:${secret_key}`).toString('base64')}`

/** A folder that the database's own user may enter. */
export function newFolder(): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'demarc-bench-'))
  chmodSync(folder, 0o711)
  return folder
}

/**
 * Starts the service on an empty folder for `work` and stops it afterward. `restarted` starts it twice: making the demo data
 * inflates the API's memory.
 */
export async function withService(
  { restarted = false }: { restarted?: boolean },
  work: (service: Service) => Promise<void>,
): Promise<void> {
  const folder = newFolder()
  const readDemo = (): { base_url: string; operator: Credentials } =>
    JSON.parse(readFileSync(path.join(folder, 'demo.json'), 'utf8'))
  let child = launch(folder)
  try {
    await whenReady(child)
    if (restarted) {
      await end(child)
      child = launch(folder, { DEMARC_PORT: new URL(readDemo().base_url).port })
      await whenReady(child)
    }
    const { base_url, operator: credentials } = readDemo()
    const processes = () => processesOf(child.pid ?? 0)
    await work({
      base_url,
      port: Number(new URL(base_url).port),
      folder,
      operator: createDemarcClient({ retry: false, base_url, credentials }),
      operator_authorization: basic(credentials),
      database_url: databaseUrlOf(processes()['postgres']?.[0] ?? 0),
      processes,
    })
  } finally {
    await end(child)
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Rate limits are out of reach. With BENCH_CPU_PROF, the processes write CPU profiles into that folder when they stop. */
export function launch(folder: string, settings: Record<string, string> = {}): ChildProcess {
  const profiles = process.env['BENCH_CPU_PROF']
  const profiling = profiles ? ['--cpu-prof', `--cpu-prof-dir=${profiles}`] : []
  const env = { DEMARC_PORT: '0', DEMARC_REQUESTS_PER_MINUTE: '1000000000', DEMARC_LOG_LEVEL: 'error', ...settings }
  return spawn(process.execPath, [...profiling, 'server/src/main.ts', '--demo', '--with-parent'], {
    cwd: path.resolve(import.meta.dirname, '../..'),
    env: { ...process.env, ...env, DEMARC_DATA: folder },
    stdio: ['ignore', 'pipe', env.DEMARC_LOG_LEVEL === 'error' ? 'inherit' : 'pipe'],
  })
}

async function whenReady(child: ChildProcess): Promise<void> {
  if (child.stdout === null) throw new Error('the output of the service is not piped')
  for await (const line of createInterface({ input: child.stdout })) if (line.includes('Demarc is ready')) return
  throw new Error('the service exited during its start')
}

/** Stops the service if it runs. A service that has work in progress takes seconds to stop; after a minute it is killed. */
export async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  const kill = setTimeout(() => child.kill('SIGKILL'), 60_000)
  await exited
  clearTimeout(kill)
}

function processesOf(api: number): Record<string, number[]> {
  const found: Record<string, number[]> = { api: [api] }
  const walk = (parent: number, inherited: string | null) => {
    for (const pid of childrenOf(parent)) {
      const name = inherited ?? nameOf(pid)
      ;(found[name] ??= []).push(pid)
      walk(pid, name === 'postgres' ? name : null)
    }
  }
  walk(api, null)
  return found
}

/** Reads the socket folder from the postmaster's command line. */
function databaseUrlOf(postmaster: number): string {
  const folder = /unix_socket_directories="?([^"\0]+)/.exec(fileOf(postmaster, 'cmdline'))?.[1]
  if (folder === undefined) throw new Error('the embedded database has no socket folder on its command line')
  return `postgres:///demarc?host=${encodeURIComponent(folder)}&user=postgres`
}

const childrenOf = (pid: number): number[] =>
  fileOf(pid, `task/${pid}/children`).trim().split(' ').filter(Boolean).map(Number)

function nameOf(pid: number): string {
  const line = fileOf(pid, 'cmdline')
  if (line.includes('cdr-engine') || line.includes('chdb/main.ts')) return 'engine'
  return line.includes('postgres') ? 'postgres' : 'worker'
}

/** CPU time used by processes, microseconds. `with_exited` adds children that exited: a restarted engine, a closed connection. */
export function cpuOf(pids: readonly number[], { with_exited = false } = {}): number {
  return pids.reduce((sum, pid) => {
    // proc_pid_stat(5): utime, stime, cutime, cstime in hundredths of a second; the name before them may contain spaces
    const ticks = (fileOf(pid, 'stat').split(') ')[1]?.split(' ') ?? []).slice(11, with_exited ? 15 : 13)
    return ticks.reduce((total, each) => total + Number(each) * 10_000, sum)
  }, 0)
}

/** Samples resident memory until the returned function is called; it returns each process's peak in bytes. */
export function watchMemory(processes: () => Record<string, number[]>): () => Record<string, number> {
  const peak: Record<string, number> = {}
  // PostgreSQL's shared pages count once per process, so its sum is an upper bound
  const rss = (pid: number) => Number(/VmRSS:\s+(\d+) kB/.exec(fileOf(pid, 'status'))?.[1] ?? 0) * 1024
  const sample = () => {
    for (const [name, pids] of Object.entries(processes()))
      peak[name] = Math.max(
        peak[name] ?? 0,
        pids.reduce((sum, pid) => sum + rss(pid), 0),
      )
  }
  sample()
  const timer = setInterval(sample, 100)
  return () => {
    clearInterval(timer)
    return peak
  }
}

/** Longest event loop delay of the API since the last reading, ms: Node's monitorEventLoopDelay, from /metrics. */
export async function loopDelayMax({ base_url }: Service): Promise<number> {
  const text = await (await fetch(`${base_url}/metrics`)).text()
  return Number(/^demarc_nodejs_eventloop_lag_max_seconds (\S+)/m.exec(text)?.[1]) * 1000
}

export async function newOrder({ client }: Account, numbers: string[]): Promise<string> {
  const { body } = await client.createPortOrder({
    body: { data: { type: 'portorder', attributes: portOrder(numbers) } },
  })
  const [order] = [body.data].flat()
  if (order?.type !== 'portorder') throw new Error('the port order was not created')
  return order.id
}

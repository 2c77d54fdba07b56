import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createDemarcClient, type DemarcClient } from '@demarc/client'

/** The real service in its own folder, as `npm start` runs it, started and stopped by a benchmark. */
export interface Service {
  base_url: string
  folder: string
  operator: DemarcClient
  /** The operator's header, for requests over plain sockets. */
  operator_authorization: string
  /** URL of the embedded database, for what is measured beside the service. */
  databaseUrl(): string
  /** Ids of the processes by name: api, worker, engine, and postgres with its children. */
  processes(): Record<string, number[]>
  stop(): Promise<void>
}

/** An account with a key of its own, and a client that uses it. */
export interface Account {
  account_id: string
  access_key: string
  secret_key: string
  /** The header's value. */
  authorization: string
  client: DemarcClient
}

export async function newAccount({ operator, base_url }: Service): Promise<Account> {
  const account_id = (await operator.createAccount({ body: { name: 'Bench' } })).body.data.id
  const { body } = await operator.createKey({ params: { account_id }, body: { name: 'bench' } })
  const { access_key, secret_key } = body.data.attributes
  const authorization = basic({ access_key, secret_key })
  const client = createDemarcClient({ retry: false, base_url, credentials: { access_key, secret_key } })
  return { account_id, access_key, secret_key, authorization, client }
}

const basic = ({ access_key, secret_key }: { access_key: string; secret_key: string }): string =>
  `Basic ${Buffer.from(`${access_key}:${secret_key}`).toString('base64')}`

interface DemoFile {
  base_url: string
  operator: { access_key: string; secret_key: string }
}

const root = path.resolve(import.meta.dirname, '../..')
const start_ms = 120_000
/** A service that stops writes down what it has in hand, which takes seconds. */
const stop_ms = 60_000

/**
 * Starts the service on an empty folder. `restarted` starts it once more before it is measured: the first start makes the demo
 * cast, and the memory of the API would be that of the making.
 */
export async function startService(
  env: Record<string, string> = {},
  { restarted = false }: { restarted?: boolean } = {},
): Promise<Service> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'demarc-bench-'))
  // the database's own account must be able to enter
  chmodSync(folder, 0o711)
  let child = launch(folder, { DEMARC_PORT: '0', ...env })
  const stop = async () => {
    await end(child)
    rmSync(folder, { recursive: true, force: true })
  }
  const { operator: credentials, base_url } = await orStop(stop, async () => {
    const demo = await readDemo(folder, child)
    await whenReady(demo.base_url, child)
    if (restarted) {
      await end(child)
      child = launch(folder, { DEMARC_PORT: new URL(demo.base_url).port, ...env })
      await whenReady(demo.base_url, child)
    }
    return demo
  })
  return {
    base_url,
    folder,
    operator: createDemarcClient({ retry: false, base_url, credentials }),
    operator_authorization: basic(credentials),
    databaseUrl: () => databaseUrlOf(processesOf(child.pid ?? 0)['postgres']?.[0] ?? 0),
    processes: () => processesOf(child.pid ?? 0),
    stop,
  }
}

/** What the start of something returns. One that fails stops it first: nobody else knows that it runs. */
export async function orStop<T>(stop: () => Promise<void>, start: () => Promise<T>): Promise<T> {
  try {
    return await start()
  } catch (error) {
    await stop()
    throw error
  }
}

const launch = (folder: string, env: Record<string, string>): ChildProcess =>
  spawn(process.execPath, [...profiling(), 'server/src/main.ts', '--demo'], {
    cwd: root,
    env: { ...process.env, DEMARC_DATA: folder, DEMARC_LOG_LEVEL: 'error', ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  })

/** Also one that has exited already, or does not stop by itself. */
export async function end(child: ChildProcess, limit_ms = stop_ms): Promise<void> {
  if (!isRunning(child)) return
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  const kill = setTimeout(() => child.kill('SIGKILL'), limit_ms)
  await exited
  clearTimeout(kill)
}

const isRunning = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode === null && signalCode === null

/** With BENCH_CPU_PROF, the processes of the service write their CPU profiles into that folder when they stop. */
function profiling(): string[] {
  const folder = process.env['BENCH_CPU_PROF']
  return folder ? ['--cpu-prof', `--cpu-prof-dir=${folder}`] : []
}

async function readDemo(folder: string, child: ChildProcess): Promise<DemoFile> {
  for (const until = performance.now() + start_ms; performance.now() < until; await sleep(100)) {
    if (!isRunning(child)) throw new Error('the service exited during its start')
    try {
      const demo: DemoFile = JSON.parse(await readFile(path.join(folder, 'demo.json'), 'utf8'))
      return demo
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
  }
  throw new Error('the service did not start within two minutes')
}

async function whenReady(base_url: string, child: ChildProcess): Promise<void> {
  for (const until = performance.now() + start_ms; performance.now() < until; await sleep(100)) {
    if (!isRunning(child)) throw new Error('the service exited during its start')
    try {
      if ((await fetch(`${base_url}/health/ready`)).ok) return
    } catch (error) {
      // it does not listen yet
      if (!(error instanceof TypeError)) throw error
    }
  }
  throw new Error('the service was not ready within two minutes')
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

/** From the postmaster's own command line: its socket folder. */
function databaseUrlOf(postmaster: number): string {
  const folder = /unix_socket_directories="?([^"\0]+)/.exec(readProc(`/proc/${postmaster}/cmdline`))?.[1]
  if (folder === undefined) throw new Error('the embedded database has no socket folder on its command line')
  return `postgres:///demarc?host=${encodeURIComponent(folder)}&user=postgres`
}

const childrenOf = (pid: number): number[] =>
  readProc(`/proc/${pid}/task/${pid}/children`).trim().split(' ').filter(Boolean).map(Number)

function nameOf(pid: number): string {
  const line = readProc(`/proc/${pid}/cmdline`)
  if (line.includes('cdr-engine') || line.includes('chdb/main.ts')) return 'engine'
  return line.includes('postgres') ? 'postgres' : 'worker'
}

/** Empty for a process that has exited. */
function readProc(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return ''
    throw error
  }
}

/** Processor time of processes so far, microseconds. */
export const cpuOf = (pids: readonly number[]): number => timesOf(pids, 'utime', 'stime')

/** Processor time of their children that exited, microseconds, so that replaced processes are counted. */
export const cpuOfEnded = (pids: readonly number[]): number => timesOf(pids, 'cutime', 'cstime')

/** Indexes of fields in proc_pid_stat(5), counted from the field after the name, which may contain spaces. */
const statFields = { utime: 11, stime: 12, cutime: 13, cstime: 14 } as const

function timesOf(pids: readonly number[], ...names: (keyof typeof statFields)[]): number {
  return pids.reduce((sum, pid) => {
    const fields = readProc(`/proc/${pid}/stat`).split(') ')[1]?.split(' ') ?? []
    // Linux counts in hundredths of a second
    return sum + names.reduce((ticks, name) => ticks + Number(fields[statFields[name]] ?? 0), 0) * 10_000
  }, 0)
}

/** Resident memory, bytes. Postgres's shared pages are counted once per process, so its sum is an upper bound. */
export function rssOf(pids: readonly number[]): number {
  return pids.reduce(
    (sum, pid) => sum + Number(/VmRSS:\s+(\d+) kB/.exec(readProc(`/proc/${pid}/status`))?.[1] ?? 0) * 1024,
    0,
  )
}

/** Samples the memory of processes until the returned function is called, which gives the peak of each. */
export function watchMemory(processes: () => Record<string, number[]>): () => Record<string, number> {
  const peak: Record<string, number> = {}
  const sample = () => {
    for (const [name, pids] of Object.entries(processes())) peak[name] = Math.max(peak[name] ?? 0, rssOf(pids))
  }
  sample()
  const timer = setInterval(sample, 100)
  return () => {
    clearInterval(timer)
    return peak
  }
}

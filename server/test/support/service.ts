import { spawn, type ChildProcess } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { createDemarcClient, type DemarcClient } from '@demarc/client'
import { copyDemoData } from '../../../acceptance/support/service.ts'
import { UNHURRIED } from './settings.ts'
import { eventually, hang_ms } from './eventually.ts'
import { environment } from '../../../acceptance/support/environment.ts'

/** The service as users start it, in separate processes that are observed from outside. Linux only, because it reads /proc. */

export const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
const root = fileURLToPath(new URL('../../..', import.meta.url))
/** Ends with its parent, so that a test file that is killed, or fails before the service is ready, leaves no service behind. */
const demo_args = ['--demo', '--with-parent']

export const processNames = ['main', 'worker', 'engine', 'postgres'] as const
export type ProcessName = (typeof processNames)[number]

export interface Service {
  folder: string
  base_url: string
  /** The dentist, the reseller and the operator of the demo cast. */
  account: DemarcClient
  other: DemarcClient
  operator: DemarcClient
  child: ChildProcess
  pid(name: ProcessName): number | undefined
  /** All of its processes at this moment. */
  pids(): number[]
  /** Everything it has written so far, welcome and log. */
  output(): string
  /** Sends SIGTERM and waits for the exit. Returns the exit code and the time it took. Does nothing if the service has exited. */
  stop(): Promise<{ code: number | null; ms: number }>
}

/** A folder for a service's data that every user may enter. Remove it with `removeFolder`. */
export async function newFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'demarc-service-'))
  await chmod(folder, 0o711)
  return folder
}

/** The same with the demo data, so that a start takes less long, if a run of the tests shares it. */
export async function newDemoFolder(): Promise<string> {
  const folder = await newFolder()
  await copyDemoData(folder)
  return folder
}

export const removeFolder = (folder: string) =>
  rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })

export interface ServiceOptions {
  env?: Record<string, string>
  /** Default: those of a demo that ends when the test file is killed. */
  args?: string[]
  /** In a separate process group, as a terminal would start it. */
  own_group?: boolean
  /** The user to run as. */
  identity?: { uid: number; gid: number }
  /** Run by npm, as `npm start` is; the process is then npm's. */
  npm_script?: 'start' | 'serve'
  /** A file descriptor for standard error. Default: a pipe, which `output` reads. */
  log?: number
}

/** Starts a process of the service without waiting for it. */
export function spawnService(
  folder: string,
  options: ServiceOptions = {},
): { child: ChildProcess; output: () => string } {
  const command = options.npm_script === undefined ? process.execPath : 'npm'
  const args = options.npm_script === undefined ? [main, ...(options.args ?? demo_args)] : ['run', options.npm_script]
  const child = spawn(command, args, {
    env: {
      ...environment,
      DEMARC_DATA: path.join(folder, 'data'),
      DEMARC_PORT: '0',
      ...UNHURRIED,
      ...options.env,
    },
    stdio: ['ignore', 'pipe', options.log ?? 'pipe'],
    detached: options.own_group === true,
    cwd: options.npm_script === undefined ? folder : root,
    ...options.identity,
  })
  let text = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (piece: string) => {
      text += piece
    })
  return { child, output: () => text }
}

/** Starts the service in demo mode and waits until it is ready. Throws with its output if it exits instead. */
export async function startService(folder: string, options: ServiceOptions = {}): Promise<Service> {
  const { child, output } = spawnService(folder, options)
  await eventually(() => {
    if (hasEnded(child)) throw new Error(`The service ended before it was ready:\n${output()}`)
    return output().includes('Demarc is ready at')
  })
  const demo = JSON.parse(await readFile(path.join(folder, 'data', 'demo.json'), 'utf8')) as Demo // it wrote that itself
  const client = (credentials: Keys) =>
    createDemarcClient({ retry: false, timeout_ms: hang_ms, base_url: demo.base_url, credentials })
  return {
    folder,
    base_url: demo.base_url,
    account: client(demo.account),
    other: client(demo.other_account),
    operator: client(demo.operator),
    child,
    pid: (name) => (name === 'main' ? child.pid : childrenOf(child.pid).find((p) => p.name === name)?.pid),
    pids: () => [child.pid ?? 0, ...childrenOf(child.pid).map((p) => p.pid)],
    output,
    async stop() {
      const began = performance.now()
      child.kill('SIGTERM')
      await eventually(() => hasEnded(child))
      return { code: child.exitCode, ms: performance.now() - began }
    },
  }
}

type Keys = { access_key: string; secret_key: string }
interface Demo {
  base_url: string
  account: Keys
  other_account: Keys
  operator: Keys
}

export const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null

/** Identified by their command lines: the engine sets its title, the worker runs main.ts. */
export function childrenOf(parent: number | undefined): { pid: number; name: ProcessName }[] {
  if (parent === undefined) return []
  const pids = readdirSync('/proc').map(Number)
  return pids.flatMap((pid) => {
    if (Number.isNaN(pid) || parentOf(pid) !== parent) return []
    const name = nameOf(commandOf(pid))
    return name === undefined ? [] : [{ pid, name }]
  })
}

function nameOf(command: string): ProcessName | undefined {
  if (command.startsWith('cdr-engine')) return 'engine'
  if (/^[^\0]*postgres\0/.test(command)) return 'postgres'
  return command.includes('server/src/main.ts') ? 'worker' : undefined
}

function parentOf(pid: number): number | undefined {
  const status = readOrNothing(`/proc/${pid}/status`)
  return /^State:\s+Z/m.test(status) ? undefined : Number(/^PPid:\s+(\d+)/m.exec(status)?.[1])
}

/** The arguments of a process, each followed by a NUL; empty for one that has exited. */
export const commandOf = (pid: number): string => readOrNothing(`/proc/${pid}/cmdline`)

/** Returns '' for a process that has exited. */
function readOrNothing(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ESRCH')) return ''
    throw error
  }
}

/** Whether a process runs; zombies don't count. */
export const isThere = (pid: number): boolean => parentOf(pid) !== undefined && !Number.isNaN(parentOf(pid))

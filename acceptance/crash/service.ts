import { spawn, type ChildProcess } from 'node:child_process'
import { closeSync, fstatSync, mkdirSync, openSync, readFileSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { copyDemoData } from '../support/service.ts'
import { descendantsOf, usersOf, type Process } from '../support/processes.ts'
import { hang_ms, until } from '../support/until.ts'
import { environment } from '../support/environment.ts'
import { freePort } from '../support/free-port.ts'

/** The service under a supervisor, which restarts it whenever its main process ends. */

const main = fileURLToPath(new URL('../../server/src/main.ts', import.meta.url))

export const victims = ['api', 'worker', 'engine', 'postmaster', 'backend', 'group'] as const
export type Victim = (typeof victims)[number]

/** What is counted next to the rows of a service: its processes and folders. */
export type Audited = Pick<Service, 'data' | 'temp' | 'tree' | 'assertOwnWill'>

export class Service {
  readonly folder: string
  readonly data: string
  readonly base_url: string
  readonly log_file: string
  /** Number of starts. */
  starts = 0
  #child: ChildProcess | undefined
  /** Length of the log at the last start. */
  #log_began = 0
  /** Main processes that this class killed; any other that ends has crashed. */
  readonly #killed = new Set<number>()

  static async open(): Promise<Service> {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'demarc-crash-'))
    await chmod(folder, 0o711) // under root the database runs as another user, who must be able to enter
    await copyDemoData(folder)
    return new Service(folder, await freePort())
  }

  private constructor(folder: string, port: number) {
    this.folder = folder
    this.data = path.join(folder, 'data')
    this.log_file = path.join(folder, 'service.log')
    this.base_url = `http://127.0.0.1:${port}`
    // its own temporary folder, so that leftovers are detected
    mkdirSync(this.temp, { mode: 0o1777 })
  }

  get temp(): string {
    return path.join(this.folder, 'tmp')
  }

  /** Begins a start; `ready` resolves when it has finished. */
  spawn(): void {
    const log = openSync(this.log_file, 'a')
    this.#log_began = fstatSync(log).size
    // with-parent: the service ends if the tests are killed
    const child = spawn(process.execPath, [main, '--demo', '--with-parent'], {
      env: {
        ...environment,
        TMPDIR: this.temp,
        DEMARC_DATA: this.data,
        DEMARC_PORT: new URL(this.base_url).port,
      },
      cwd: this.folder,
      stdio: ['ignore', log, log],
      detached: true,
    })
    closeSync(log)
    this.starts++
    this.#child = child
  }

  /** Whether the main process has ended. */
  get ended(): boolean {
    return this.#child === undefined || this.#child.exitCode !== null || this.#child.signalCode !== null
  }

  /** Throws if the main process ended without being killed by this class. */
  assertOwnWill(): void {
    const { pid, exitCode, signalCode } = this.#child ?? {}
    if (this.ended && pid !== undefined && !this.#killed.has(pid))
      throw new Error(`The service ended by itself (${exitCode ?? signalCode}):\n${this.log().slice(-4000)}`)
  }

  /** Waits until the service reports that it is ready; restarts it each time it is killed meanwhile. */
  async ready(): Promise<void> {
    await until('the service to be ready', hang_ms, () => {
      if (this.ended) {
        this.assertOwnWill()
        this.spawn()
      }
      return this.#isReady()
    })
  }

  /** The line that the main process prints once this start has completed. */
  #isReady(): boolean {
    return readFileSync(this.log_file).subarray(this.#log_began).includes('Demarc is ready at')
  }

  log(): string {
    return readFileSync(this.log_file, 'utf8')
  }

  get pid(): number {
    const { pid } = this.#child ?? {}
    if (pid === undefined) throw new Error('The service was never started.')
    return pid
  }

  tree(): Process[] {
    return descendantsOf(this.pid)
  }

  /** The processes that a fault would hit now; empty if none is running. */
  pidsOf(victim: Victim): number[] {
    const tree = this.tree()
    if (victim === 'api') return tree.slice(0, 1).map((task) => task.pid)
    if (victim === 'group') return tree.map((task) => task.pid)
    if (victim === 'worker') return pids(tree.slice(1), (task) => task.command.includes('server/src/main.ts'))
    if (victim === 'engine') return pids(tree, (task) => task.command.startsWith('cdr-engine'))
    if (victim === 'postmaster') return pids(tree, (task) => /^\S*postgres /.test(task.command))
    return pids(tree, (task) => task.command.startsWith('postgres: postgres demarc'))
  }

  kill(targets: readonly number[]): void {
    if (targets.includes(this.pid)) this.#killed.add(this.pid)
    for (const pid of targets) signal(pid, 'SIGKILL')
  }

  /**
   * Stops processes for a while. A separate process resumes them, even if this one is killed meanwhile. Resolves once they have
   * resumed.
   */
  async stopFor(targets: readonly number[], stop_ms: number): Promise<void> {
    const list = targets.join(' ')
    const script = `kill -STOP ${list}; sleep ${stop_ms / 1000}; kill -CONT ${list}`
    const child = spawn('sh', ['-c', script], { stdio: 'ignore', detached: true })
    await new Promise<void>((resolve) => child.once('exit', () => resolve()))
  }

  /** Stops the service as an operator would, and removes its files. */
  async end(): Promise<void> {
    if (!this.ended) {
      this.#killed.add(this.pid)
      signal(this.pid, 'SIGTERM')
    }
    try {
      await until('the service to end', hang_ms, () => usersOf(this.data).length === 0)
    } finally {
      for (const { pid } of usersOf(this.data)) signal(pid, 'SIGKILL')
    }
  }

  remove(): Promise<void> {
    return rm(this.folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
  }
}

const pids = (list: readonly Process[], is: (one: Process) => boolean) => list.filter(is).map(({ pid }) => pid)

export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}

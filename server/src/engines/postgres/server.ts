import { spawn, type ChildProcess } from 'node:child_process'
import { closeSync, existsSync, openSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findBinaries, type Binaries } from './binaries.ts'
import { createCluster, environment, refuseOtherVersion } from './cluster.ts'
import { acceptsConnections, shutDown, type RunningServer } from './control.ts'
import type { Log } from '../../platform/postgres/log.ts'
import { writeOwner } from './owner.ts'
import { SOCKET_PORT, socketFolder, type DataDirectory } from './data-directory.ts'
import { commandAs, takeOverStalePidFile, livePostmaster } from './process.ts'
import { withStartLock } from './start-lock.ts'

export interface ServerOptions {
  settings?: Record<string, string>
  log: Log
}

/** Crash recovery of a large database may take this long. */
const START_TIMEOUT_MS = 300_000
/** How long orphaned backends of a killed server may use its shared memory before starting fails. */
const ORPHANS_TIMEOUT_MS = 20_000
const RESTART_PAUSE_MS = 1_000
const POLL_MS = 15
const LOG_BYTES_MAX = 10_000_000

const SETTINGS = {
  listen_addresses: '',
  unix_socket_permissions: '0700',
  max_connections: '100',
  shared_buffers: '128MB',
  // Parallel queries need /dev/shm, of which a container has 64 MB, and no query here benefits from them.
  max_parallel_workers_per_gather: '0',
  max_wal_size: '512MB',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_line_prefix: '%m [%p] ',
}

/** A server that this process started. */
export class Server implements RunningServer {
  readonly socket_folder: string
  readonly #directory: DataDirectory
  readonly #binaries: Binaries
  readonly #options: ServerOptions
  #child: ChildProcess | undefined
  #stopping: Promise<void> | undefined
  #restarting: Promise<void> | undefined

  static async start(directory: DataDirectory, options: ServerOptions): Promise<Server> {
    const binaries = await findBinaries(directory.account, options.log)
    if (existsSync(directory.cluster)) refuseOtherVersion(directory, binaries)
    else await createCluster(directory, binaries, options)
    const server = new Server(directory, binaries, options, await socketFolder(directory))
    await server.#launchWithRetries()
    return server
  }

  private constructor(directory: DataDirectory, binaries: Binaries, options: ServerOptions, socket_folder: string) {
    this.#directory = directory
    this.#binaries = binaries
    this.#options = options
    this.socket_folder = socket_folder
  }

  /** Only the first call has an effect: later, another process may run a server on the same folders. */
  stop(): Promise<void> {
    this.#stopping ??= this.#end()
    return this.#stopping
  }

  async #end(): Promise<void> {
    await this.#restarting
    const child = this.#child
    if (child?.pid === undefined) return
    const { pid } = child
    // Under the lock, so that a process that starts meanwhile does not adopt a server that is shutting down.
    await withStartLock(this.#directory.requested, async () => {
      await shutDown(pid, () => hasExited(child))
      // It is empty by now, and may be outside the data folder, where nothing else would remove it.
      rmSync(this.socket_folder, { recursive: true, force: true })
    })
  }

  /** The last backends of a killed server may use its shared memory for a moment longer. */
  async #launchWithRetries(): Promise<void> {
    const deadline = performance.now() + ORPHANS_TIMEOUT_MS
    for (;;) {
      const failure = await this.#launch()
      if (failure === undefined) return
      if (!failure.includes('still in use') || performance.now() > deadline) {
        throw new Error(`The database server in ${this.#directory.home} did not start:\n${failure}`)
      }
      await sleep(200)
    }
  }

  /** Resolves with the server's output when it did not start, undefined when it is ready. */
  async #launch(): Promise<string | undefined> {
    const { cluster, account, home } = this.#directory
    takeOverStalePidFile(cluster)
    removeStaleSocket(this.socket_folder)
    const socket_folders = `"${this.socket_folder.replaceAll('"', '""')}"`
    const settings = { ...SETTINGS, unix_socket_directories: socket_folders, ...this.#options.settings }
    const pairs = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    const { parent_death_signal, file, args, identity } = commandAs(account, 'INT', [
      this.#binaries.postgres,
      '-D',
      cluster,
      '-p',
      `${SOCKET_PORT}`,
      ...pairs,
    ])
    writeOwner(home, parent_death_signal)
    const log = openLog(home)
    // Detached: Ctrl-C signals the whole process group, and the database must run until its clients have finished.
    const child = spawn(file, args, {
      ...identity,
      env: environment(),
      cwd: '/',
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
    })
    closeSync(log.fd)
    this.#child = child
    const spawn_error = new Promise<string>((resolve) => child.once('error', (error) => resolve(error.message)))
    child.unref()
    const failure = await Promise.race([spawn_error, this.#untilReady(child, log)])
    if (failure === undefined) child.once('exit', (code, signal) => this.#restart(code, signal))
    if (failure === undefined && hasExited(child) && !this.#stopping) this.#restart(child.exitCode, child.signalCode)
    return failure
  }

  async #untilReady(child: ChildProcess, log: ServerLog): Promise<string | undefined> {
    const deadline = performance.now() + START_TIMEOUT_MS
    while (!hasExited(child)) {
      const found = livePostmaster(this.#directory.cluster)
      if (found?.pid === child.pid && found?.status === 'ready' && (await acceptsConnections(this.socket_folder)))
        return undefined
      if (performance.now() > deadline) {
        if (child.pid !== undefined) await shutDown(child.pid, () => hasExited(child))
        return `not ready after ${START_TIMEOUT_MS / 1000} seconds\n${log.written()}`
      }
      await sleep(POLL_MS)
    }
    return log.written()
  }

  #restart(code: number | null, signal: NodeJS.Signals | null): void {
    if (this.#stopping || this.#restarting) return
    this.#options.log.error(
      { code, signal, data_dir: this.#directory.home },
      'the database server exited, starting it again',
    )
    this.#restarting = this.#restartUntilRunning().finally(() => {
      this.#restarting = undefined
    })
  }

  async #restartUntilRunning(): Promise<void> {
    for (;;) {
      try {
        await withStartLock(this.#directory.requested, () => this.#launchUnlessRunning())
        if (this.#stopping || !this.#child || !hasExited(this.#child)) return
      } catch (error) {
        this.#options.log.error({ err: error }, 'the database server could not be started again')
      }
      if (this.#stopping) return
      await sleep(RESTART_PAUSE_MS)
    }
  }

  async #launchUnlessRunning(): Promise<void> {
    if (this.#stopping) return
    if (!livePostmaster(this.#directory.cluster)) return this.#launchWithRetries()
    this.#child = undefined
    this.#options.log.warn(
      { data_dir: this.#directory.home },
      'another process has started the database server, leaving it to that one',
    )
  }
}

/** A killed server leaves them, and another process may have its pid by now. Only this server uses the folder. */
function removeStaleSocket(socket_folder: string): void {
  for (const suffix of ['', '.lock'])
    rmSync(path.join(socket_folder, `.s.PGSQL.${SOCKET_PORT}${suffix}`), { force: true })
}

function hasExited(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null
}

interface ServerLog {
  fd: number
  /** The end of what was written since it was opened. */
  written(): string
}

/** A file and not a pipe: the server may outlive this process, and must never block on its event loop. */
function openLog(home: string): ServerLog {
  const file = path.join(home, 'postgres.log')
  if (existsSync(file) && statSync(file).size > LOG_BYTES_MAX) renameSync(file, `${file}.old`)
  const fd = openSync(file, 'a', 0o600)
  const start = statSync(file).size
  return { fd, written: () => readFileSync(file).subarray(start).toString().slice(-4_000) }
}

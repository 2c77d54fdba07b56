import type { ChildProcess } from 'node:child_process'
import { rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { resolveDataDirectory, socketFolder, type DataDirectory } from './data-directory.ts'
import { hasExited, launch, type ServerOptions } from './launch.ts'
import { livePostmaster, type Postmaster, hasOwner } from './process.ts'
import { findUsable, watchRunning } from './running.ts'
import { shutDown } from './shutdown.ts'
import { withStartLock } from './start-lock.ts'

const RESTART_PAUSE_MS = 1_000
/** How often to check that a server is running. A server of another process may exit without notice. */
const CHECK_MS = 1_000

/** The server of a data folder. Its owner is the process that started it. If another owner exits, this process takes over. */
export class Server {
  readonly directory: DataDirectory
  /** Does not change when the server restarts. */
  readonly socket_folder: string
  /** Whether another process started the server before this one began to use it. */
  readonly adopted: boolean
  readonly #options: ServerOptions
  /** Undefined while another process is the owner. */
  #child: ChildProcess | undefined
  readonly #checks: NodeJS.Timeout
  #stopping: Promise<void> | undefined
  #recovering: Promise<void> | undefined
  /** Watches the server that this process owns. */
  #watch: { pid: number; hangs: () => Promise<boolean> } | undefined
  #watching = false

  /** Adopts the server that runs on the folder, or starts one. */
  static open(requested: string, options: ServerOptions): Promise<Server> {
    return withStartLock(requested, options.log, async () => {
      const directory = await resolveDataDirectory(requested, options.log)
      const found = await findUsable(directory, options.log)
      const socket_folder = found?.socket_folder ?? (await socketFolder(directory))
      const child = found ? undefined : await launch(directory, socket_folder, options)
      return new Server(directory, socket_folder, options, child)
    })
  }

  private constructor(
    directory: DataDirectory,
    socket_folder: string,
    options: ServerOptions,
    child: ChildProcess | undefined,
  ) {
    this.directory = directory
    this.socket_folder = socket_folder
    this.adopted = child === undefined
    this.#options = options
    this.#own(child)
    this.#checks = setInterval(() => this.#check(), CHECK_MS).unref()
  }

  /**
   * Shuts the server down if this process is its owner. Only the first call has an effect, because another process may own a
   * later server.
   */
  stop(): Promise<void> {
    this.#stopping ??= this.#end()
    return this.#stopping
  }

  async #end(): Promise<void> {
    clearInterval(this.#checks)
    await this.#recovering
    const child = this.#child
    if (child?.pid === undefined) return
    const { pid } = child
    // The lock keeps a process that starts meanwhile from adopting a server that is shutting down.
    await withStartLock(this.directory.requested, this.#options.log, async () => {
      if (!hasExited(child)) await shutDown(this.directory.cluster, pid)
      // It is empty by now. It may be outside the data folder, where nothing else would remove it.
      rmSync(this.socket_folder, { recursive: true, force: true })
    })
  }

  #own(child: ChildProcess | undefined): void {
    this.#child = child
    child?.once('exit', (code, signal) => {
      if (this.#stopping) return
      const { home } = this.directory
      this.#options.log.error({ code, signal, data_dir: home }, 'the database server exited; restarting it')
      this.#check()
    })
  }

  #check(): void {
    if (this.#stopping || this.#recovering) return
    const { cluster, home } = this.directory
    const found = livePostmaster(cluster)
    if (found && found.status !== 'stopping' && hasOwner(home)) return void this.#endIfHanging(found)
    this.#recovering = this.#recover().finally(() => {
      this.#recovering = undefined
    })
  }

  /** Stops this process's server if it hangs. The exit triggers the usual recovery. */
  async #endIfHanging(found: Postmaster): Promise<void> {
    const { pid } = found
    if (this.#watching || found.status !== 'ready' || this.#child?.pid === undefined) return
    this.#watching = true
    const { requested, cluster, home } = this.directory
    const { log } = this.#options
    try {
      if (this.#watch?.pid !== pid) this.#watch = { pid, hangs: watchRunning(this.directory, found) }
      if (!(await this.#watch.hangs()) || this.#stopping) return
      log.error({ pid, data_dir: home }, 'the database server hangs; stopping it')
      await withStartLock(requested, log, () => shutDown(cluster, pid))
    } catch (error) {
      log.error({ err: error }, 'could not stop a hung database server')
    } finally {
      this.#watching = false
    }
  }

  async #recover(): Promise<void> {
    const { requested } = this.directory
    const { log } = this.#options
    while (!this.#stopping) {
      try {
        return await withStartLock(requested, log, () => this.#adoptOrLaunch())
      } catch (error) {
        log.error({ err: error }, 'could not restart the database server')
      }
      await sleep(RESTART_PAUSE_MS)
    }
  }

  async #adoptOrLaunch(): Promise<void> {
    const { directory } = this
    const { log } = this.#options
    const found = await findUsable(directory, log)
    if (found?.pid === this.#child?.pid && found !== undefined) return
    if (this.#stopping) return this.#own(undefined)
    if (found) log.warn({ data_dir: directory.home }, 'another process has started the database server')
    else log.info({ data_dir: directory.home }, 'starting the database server')
    this.#own(found ? undefined : await launch(directory, this.socket_folder, this.#options))
  }
}

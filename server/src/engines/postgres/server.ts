import type { ChildProcess } from 'node:child_process'
import { rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { resolveDataDirectory, socketFolder, type DataDirectory } from './data-directory.ts'
import { hasExited, launch, type ServerOptions } from './launch.ts'
import { hasOwner } from './owner.ts'
import { livePostmaster, type Postmaster } from './process.ts'
import { findUsable, watchRunning } from './running.ts'
import { shutDown } from './shutdown.ts'
import { withStartLock } from './start-lock.ts'

const RESTART_PAUSE_MS = 1_000
/** How often it is checked that a server runs. That of another process may end without this one being told. */
const CHECK_MS = 1_000

/** The server of a data folder: started by this process, its owner, or by another one, whose place this one takes when it ends. */
export class Server {
  readonly directory: DataDirectory
  /** Stays the same over restarts. */
  readonly socket_folder: string
  /** Whether another process had started it when this one began to use it. */
  readonly adopted: boolean
  readonly #options: ServerOptions
  /** Undefined while another process is the owner. */
  #child: ChildProcess | undefined
  readonly #checks: NodeJS.Timeout
  #stopping: Promise<void> | undefined
  #recovering: Promise<void> | undefined
  /** Of the server that this process owns. */
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

  /** Shuts the server down if this process is its owner. Only the first call has an effect: later, another process may own one. */
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
    // Under the lock, so that a process that starts meanwhile does not adopt a server that is shutting down.
    await withStartLock(this.directory.requested, this.#options.log, async () => {
      if (!hasExited(child)) await shutDown(this.directory.cluster, pid)
      // It is empty by now, and may be outside the data folder, where nothing else would remove it.
      rmSync(this.socket_folder, { recursive: true, force: true })
    })
  }

  #own(child: ChildProcess | undefined): void {
    this.#child = child
    child?.once('exit', (code, signal) => {
      if (this.#stopping) return
      const { home } = this.directory
      this.#options.log.error({ code, signal, data_dir: home }, 'the database server exited, starting it again')
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

  /** Ends a server of this process that hangs; its exit is recovered from as any other. */
  async #endIfHanging(found: Postmaster): Promise<void> {
    const { pid } = found
    if (this.#watching || found.status !== 'ready' || this.#child?.pid === undefined) return
    this.#watching = true
    const { requested, cluster, home } = this.directory
    const { log } = this.#options
    try {
      if (this.#watch?.pid !== pid) this.#watch = { pid, hangs: watchRunning(this.directory, found) }
      if (!(await this.#watch.hangs()) || this.#stopping) return
      log.error({ pid, data_dir: home }, 'the database server does nothing and does not respond: ending it')
      await withStartLock(requested, log, () => shutDown(cluster, pid))
    } catch (error) {
      log.error({ err: error }, 'a database server that hangs could not be ended')
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
        log.error({ err: error }, 'the database server could not be started again')
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

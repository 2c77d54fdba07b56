import { execFile, spawn, type ChildProcess } from 'node:child_process'
import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { findBinaries, type Binaries } from './binaries.ts'
import { readIfThere } from './folders.ts'
import type { Log } from './log.ts'
import { makePrivateFolder, settlePlace, SOCKET_PORT, socketFolder, type Place } from './place.ts'
import {
  commandAs,
  disarmStalePidFile,
  isRunning,
  livePostmaster,
  thisProcess,
  type Postmaster,
  type ProcessId,
} from './process.ts'
import { withStartLock } from './start-lock.ts'

const run = promisify(execFile)

export interface PostgresOptions {
  /** Where the database shall stand; created if missing. Nothing else may live in it. */
  data_dir: string
  /** Server settings over ours, as in postgresql.conf. `fsync: 'off'` also creates the database unsynced. */
  settings?: Record<string, string>
  log: Log
}

export interface LocalPostgres {
  /** For `pg` and libpq: unix socket, superuser `postgres`, database `demarc`. */
  url: string
  /** True when a server was running already; whoever started it also stops it. */
  adopted: boolean
  /** Where the database really stands: not `options.data_dir` when the server's account cannot get there. */
  data_dir: string
  /** Ends open transactions and shuts the server down. Does nothing when it belongs to another live process. */
  stop(): Promise<void>
}

const DATABASE = 'demarc'
/** Crash recovery of a large database takes its time; a server that is still at it is not broken. */
const START_LIMIT_MS = 300_000
const STOP_LIMIT_MS = 30_000
const KILL_LIMIT_MS = 10_000
/** How long orphans of a killed server may hold its shared memory before we give up. */
const ORPHANS_LIMIT_MS = 20_000
const RESTART_PAUSE_MS = 1_000
const POLL_MS = 15
const LOG_BYTES = 10_000_000

const SETTINGS = {
  listen_addresses: '',
  unix_socket_permissions: '0700',
  max_connections: '100',
  shared_buffers: '128MB',
  // Parallel queries need /dev/shm, of which a container has 64 MB, and nothing here asks for them.
  max_parallel_workers_per_gather: '0',
  max_wal_size: '512MB',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_line_prefix: '%m [%p] ',
}

/**
 * Starts the embedded PostgreSQL on a unix socket, or adopts the server that already runs on the folder. It dies with this
 * process, even by `kill -9`, survives Ctrl-C until `stop()`, and is started again should it be killed itself.
 * Call from the main thread. Throws an Error with the way out when this machine cannot run it.
 */
export async function startPostgres(options: PostgresOptions): Promise<LocalPostgres> {
  const requested = path.resolve(options.data_dir)
  return withStartLock(requested, async () => {
    const place = await settlePlace(requested, options.log)
    const found = await findLiveServer(place)
    const server = found ?? (await Server.start(place, options))
    const url = `postgresql://postgres@${encodeURIComponent(server.socket_folder)}/${DATABASE}?port=${SOCKET_PORT}`
    try {
      await createDatabase(server.socket_folder)
    } catch (error) {
      await server.stop()
      throw error
    }
    return { url, adopted: found !== undefined, data_dir: place.home, stop: () => server.stop() }
  })
}

interface RunningServer {
  socket_folder: string
  stop(): Promise<void>
}

/** Who started a server, kept beside its data. */
interface Owner extends ProcessId {
  /** The kernel stops the server when this process dies. */
  tethered: boolean
}

/** Waits out a server that is starting, stopping or about to die with its owner. */
async function findLiveServer(place: Place): Promise<RunningServer | undefined> {
  const deadline = performance.now() + START_LIMIT_MS
  let orphaned_since: number | undefined
  for (;;) {
    const found = livePostmaster(place.cluster)
    if (!found) return undefined
    const owner = readOwner(place)
    const owned = owner !== undefined && isRunning(owner)
    if (owned) orphaned_since = undefined
    else orphaned_since ??= performance.now()
    const doomed =
      owner?.tethered === true && orphaned_since !== undefined && performance.now() - orphaned_since < STOP_LIMIT_MS
    if (found.status === 'ready' && !doomed && (await answers(found.socket_folder))) return adopt(place, found, owned)
    if (performance.now() > deadline) {
      throw new Error(
        `The database server ${found.pid} in ${place.home} does not become ready (${found.status || 'no status'}). End it and start again.`,
      )
    }
    await sleep(POLL_MS)
  }
}

function adopt(place: Place, { pid, socket_folder }: Postmaster, owned: boolean): RunningServer {
  if (owned) return { socket_folder, stop: async () => undefined }
  writeOwner(place, false)
  return { socket_folder, stop: () => shutDown(pid, () => livePostmaster(place.cluster)?.pid !== pid) }
}

/** A server that this process started. */
class Server implements RunningServer {
  readonly socket_folder: string
  readonly #place: Place
  readonly #binaries: Binaries
  readonly #options: PostgresOptions
  #child: ChildProcess | undefined
  #stopping = false
  #restarting: Promise<void> | undefined

  static async start(place: Place, options: PostgresOptions): Promise<Server> {
    const binaries = await findBinaries(place.account, options.log)
    if (existsSync(place.cluster)) refuseOtherVersion(place, binaries)
    else await createCluster(place, binaries, options)
    const server = new Server(place, binaries, options, await socketFolder(place))
    await server.#launchPatiently()
    return server
  }

  private constructor(place: Place, binaries: Binaries, options: PostgresOptions, socket_folder: string) {
    this.#place = place
    this.#binaries = binaries
    this.#options = options
    this.socket_folder = socket_folder
  }

  async stop(): Promise<void> {
    this.#stopping = true
    await this.#restarting
    const child = this.#child
    if (child?.pid !== undefined) await shutDown(child.pid, () => hasExited(child))
  }

  /** A killed server's last backends may still hold its shared memory for a moment. */
  async #launchPatiently(): Promise<void> {
    const deadline = performance.now() + ORPHANS_LIMIT_MS
    for (;;) {
      const failure = await this.#launch()
      if (failure === undefined) return
      if (!failure.includes('still in use') || performance.now() > deadline) {
        throw new Error(`The database server in ${this.#place.home} did not start:\n${failure}`)
      }
      await sleep(200)
    }
  }

  /** Answers what the server wrote when it did not come up. */
  async #launch(): Promise<string | undefined> {
    const { cluster, account, home } = this.#place
    disarmStalePidFile(cluster)
    const settings = { ...SETTINGS, unix_socket_directories: this.socket_folder, ...this.#options.settings }
    const pairs = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    const { tethered, file, args, ...identity } = commandAs(account, 'INT', [
      this.#binaries.postgres,
      ...['-D', cluster, '-p', `${SOCKET_PORT}`],
      ...pairs,
    ])
    writeOwner(this.#place, tethered)
    const log = openLog(home)
    // Detached: Ctrl-C goes to the whole process group, and the database must outlive those who still use it.
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
    const deadline = performance.now() + START_LIMIT_MS
    while (!hasExited(child)) {
      const found = livePostmaster(this.#place.cluster)
      if (found?.pid === child.pid && found?.status === 'ready' && (await answers(this.socket_folder))) return undefined
      if (performance.now() > deadline) {
        if (child.pid !== undefined) await shutDown(child.pid, () => hasExited(child))
        return `not ready after ${START_LIMIT_MS / 1000} seconds\n${log.written()}`
      }
      await sleep(POLL_MS)
    }
    return log.written()
  }

  #restart(code: number | null, signal: NodeJS.Signals | null): void {
    if (this.#stopping || this.#restarting) return
    this.#options.log.error(
      { code, signal, data_dir: this.#place.home },
      'the database server ended, starting it again',
    )
    this.#restarting = this.#keepRestarting().finally(() => {
      this.#restarting = undefined
    })
  }

  async #keepRestarting(): Promise<void> {
    while (!this.#stopping) {
      try {
        return await this.#launchPatiently()
      } catch (error) {
        this.#options.log.error({ err: error }, 'the database server could not be started again')
        await sleep(RESTART_PAUSE_MS)
      }
    }
  }
}

function refuseOtherVersion({ home, cluster }: Place, { major }: Binaries): void {
  const version = readFileSync(path.join(cluster, 'PG_VERSION'), 'utf8').trim()
  if (version === major) return
  throw new Error(
    `The database in ${home} was made by PostgreSQL ${version}, and this release brings ${major}. ` +
      `Dump it with the old release and load it with this one, or set DEMARC_DATA to another folder.`,
  )
}

/** Appears complete or not at all: initdb works beside, and one rename makes it count. */
async function createCluster(
  { home, cluster, account }: Place,
  { initdb }: Binaries,
  options: PostgresOptions,
): Promise<void> {
  for (const name of readdirSync(home)) {
    if (name.startsWith('cluster.new')) rmSync(path.join(home, name), { recursive: true, force: true })
  }
  const stage = path.join(home, `cluster.new-${process.pid}`)
  makePrivateFolder(stage, account)
  const {
    file,
    args,
    tethered: _,
    ...identity
  } = commandAs(account, 'KILL', [
    initdb,
    ...['-D', stage, '-U', 'postgres', '--data-checksums', '--auth-local=trust', '--auth-host=reject'],
    // The same order of text on every machine, with Unicode case mapping.
    ...['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'],
    ...(options.settings?.fsync === 'off' ? ['--no-sync'] : []),
  ])
  await run(file, args, { ...identity, env: environment(), cwd: '/' })
  renameSync(stage, cluster)
}

async function createDatabase(socket_folder: string): Promise<void> {
  const client = newClient(socket_folder)
  await client.connect()
  try {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [DATABASE])
    if (rowCount === 0) await client.query(`create database ${DATABASE}`)
  } finally {
    await client.end()
  }
}

async function answers(socket_folder: string): Promise<boolean> {
  const client = newClient(socket_folder)
  client.on('error', () => undefined) // connect() tells the same fault
  try {
    await client.connect()
  } catch {
    return false // whatever the reason: the caller asks again until its time is up, and the server's log tells why
  }
  await client.end()
  return true
}

function newClient(socket_folder: string): pg.Client {
  return new pg.Client({
    host: socket_folder,
    port: SOCKET_PORT,
    user: 'postgres',
    database: 'postgres',
    connectionTimeoutMillis: 5_000,
    query_timeout: 60_000,
  })
}

/** SIGINT: PostgreSQL ends open transactions and writes its checkpoint. SIGQUIT: at once, recovering at the next start. */
async function shutDown(pid: number, ended: () => boolean): Promise<void> {
  for (const [signal, limit_ms] of [
    ['SIGINT', STOP_LIMIT_MS],
    ['SIGQUIT', KILL_LIMIT_MS],
  ] as const) {
    if (ended()) return
    try {
      process.kill(pid, signal)
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return
      throw error
    }
    const deadline = performance.now() + limit_ms
    while (!ended() && performance.now() < deadline) await sleep(POLL_MS)
  }
  if (!ended()) throw new Error(`The database server ${pid} does not end.`)
}

function hasExited(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null
}

function ownerFile({ home }: Place): string {
  return path.join(home, 'owner.json')
}

function writeOwner(place: Place, tethered: boolean): void {
  writeFileSync(ownerFile(place), JSON.stringify({ ...thisProcess(), tethered } satisfies Owner))
}

function readOwner(place: Place): Owner | undefined {
  const text = readIfThere(ownerFile(place))
  if (!text) return undefined
  const { pid, started, tethered } = JSON.parse(text) as Partial<Owner> // written by writeOwner only; each field is checked
  return typeof pid === 'number' && typeof started === 'string'
    ? { pid, started, tethered: tethered === true }
    : undefined
}

interface ServerLog {
  fd: number
  /** The end of what was written since it was opened. */
  written(): string
}

/** A file and not a pipe: the server may outlive us, and our event loop must never hold it up. */
function openLog(home: string): ServerLog {
  const file = path.join(home, 'postgres.log')
  if (existsSync(file) && statSync(file).size > LOG_BYTES) renameSync(file, `${file}.old`)
  const fd = openSync(file, 'a', 0o600)
  const start = statSync(file).size
  return { fd, written: () => readFileSync(file).subarray(start).toString().slice(-4_000) }
}

/** Nothing of ours but the search path: PG* variables would change what the server does, and secrets stay with us. */
function environment(): Record<string, string> {
  return { PATH: process.env.PATH ?? '', LC_ALL: 'C', TZ: 'UTC' }
}

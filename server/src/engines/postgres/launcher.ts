import { realpathSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { acceptsConnections, createDatabase, databaseUrl, shutDown, type RunningServer } from './control.ts'
import { makePassableFolder } from './folders.ts'
import type { Log } from '../../platform/postgres/log.ts'
import { readOwner, writeOwner } from './owner.ts'
import { resolveDataDirectory, type DataDirectory } from './data-directory.ts'
import { isRunning, livePostmaster, type Postmaster } from './process.ts'
import { Server } from './server.ts'
import { withStartLock } from './start-lock.ts'

export interface PostgresOptions {
  /** The folder for the database; created if missing. It must hold nothing else. */
  data_dir: string
  /** Server settings that override the defaults, as in postgresql.conf. `fsync: 'off'` also creates the database unsynced. */
  settings?: Record<string, string>
  log: Log
}

export interface LocalPostgres {
  /** For `pg` and libpq: unix socket, superuser `postgres`, database `demarc`. */
  url: string
  /** True when a server was running already; the process that started it also stops it. */
  adopted: boolean
  /** The folder the database is really in: not `options.data_dir` when the server's account cannot enter that. */
  data_dir: string
  /** Ends open transactions and shuts the server down. Does nothing when it belongs to another live process. */
  stop(): Promise<void>
}

/** Crash recovery and a shutdown of a large database may take this long. */
const START_TIMEOUT_MS = 300_000
/** How long a server may take to stop after its parent process died and the kernel signalled it. */
const TERMINATION_TIMEOUT_MS = 30_000
const POLL_MS = 15

/**
 * Starts the embedded PostgreSQL on a unix socket, or adopts the server that already runs on the folder. It is stopped when
 * this process dies, even by `kill -9`, ignores Ctrl-C until `stop()`, and is restarted if it is killed itself.
 * Call from the main thread. Throws an Error whose message gives the remedy when this machine cannot run it.
 */
export async function startPostgres(options: PostgresOptions): Promise<LocalPostgres> {
  makePassableFolder(path.resolve(options.data_dir))
  const requested = realpathSync(options.data_dir)
  const { directory, server, adopted } = await withStartLock(requested, async () => {
    const directory = await resolveDataDirectory(requested, options.log)
    const found = await findLiveServer(directory)
    return { directory, server: found ?? (await Server.start(directory, options)), adopted: found !== undefined }
  })
  try {
    await createDatabase(server.socket_folder)
  } catch (error) {
    await server.stop()
    throw error
  }
  return { url: databaseUrl(server.socket_folder), adopted, data_dir: directory.home, stop: () => server.stop() }
}

/** Waits while a server is starting, stopping, or terminating because its owner died. */
async function findLiveServer(directory: DataDirectory): Promise<RunningServer | undefined> {
  const deadline = performance.now() + START_TIMEOUT_MS
  let orphaned_since: number | undefined
  for (;;) {
    const found = livePostmaster(directory.cluster)
    if (!found) return undefined
    const owner = readOwner(directory.home)
    const owned = owner !== undefined && isRunning(owner)
    if (owned) orphaned_since = undefined
    else orphaned_since ??= performance.now()
    const terminating =
      owner?.parent_death_signal === true &&
      orphaned_since !== undefined &&
      performance.now() - orphaned_since < TERMINATION_TIMEOUT_MS
    if (found.status === 'ready' && !terminating && (await acceptsConnections(found.socket_folder)))
      return adopt(directory, found, owned)
    if (performance.now() > deadline) {
      throw new Error(
        `The database server ${found.pid} in ${directory.home} does not become ready (${found.status || 'no status'}). End it and start again.`,
      )
    }
    await sleep(POLL_MS)
  }
}

function adopt(directory: DataDirectory, { pid, socket_folder }: Postmaster, owned: boolean): RunningServer {
  if (owned) return { socket_folder, stop: async () => undefined }
  writeOwner(directory.home, false)
  const hasExited = () => livePostmaster(directory.cluster)?.pid !== pid
  return { socket_folder, stop: () => withStartLock(directory.requested, () => shutDown(pid, hasExited)) }
}

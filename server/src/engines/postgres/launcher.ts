import { realpathSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { answers, createDatabase, databaseUrl, shutDown, type RunningServer } from './control.ts'
import { makePassableFolder } from './folders.ts'
import type { Log } from '../../platform/postgres/log.ts'
import { readOwner, writeOwner } from './owner.ts'
import { settlePlace, type Place } from './data-directory.ts'
import { isRunning, livePostmaster, type Postmaster } from './process.ts'
import { Server } from './server.ts'
import { withStartLock } from './start-lock.ts'

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

/** A server that is still recovering, or still stopping, is not broken. */
const START_LIMIT_MS = 300_000
/** How long a server may outlive the process whose death is to stop it. */
const DEATH_LIMIT_MS = 30_000
const POLL_MS = 15

/**
 * Starts the embedded PostgreSQL on a unix socket, or adopts the server that already runs on the folder. It dies with this
 * process, even by `kill -9`, survives Ctrl-C until `stop()`, and is started again should it be killed itself.
 * Call from the main thread. Throws an Error with the way out when this machine cannot run it.
 */
export async function startPostgres(options: PostgresOptions): Promise<LocalPostgres> {
  makePassableFolder(path.resolve(options.data_dir))
  const requested = realpathSync(options.data_dir)
  const { place, server, adopted } = await withStartLock(requested, async () => {
    const place = await settlePlace(requested, options.log)
    const found = await findLiveServer(place)
    return { place, server: found ?? (await Server.start(place, options)), adopted: found !== undefined }
  })
  try {
    await createDatabase(server.socket_folder)
  } catch (error) {
    await server.stop()
    throw error
  }
  return { url: databaseUrl(server.socket_folder), adopted, data_dir: place.home, stop: () => server.stop() }
}

/** Waits out a server that is starting, stopping or about to die with its owner. */
async function findLiveServer(place: Place): Promise<RunningServer | undefined> {
  const deadline = performance.now() + START_LIMIT_MS
  let orphaned_since: number | undefined
  for (;;) {
    const found = livePostmaster(place.cluster)
    if (!found) return undefined
    const owner = readOwner(place.home)
    const owned = owner !== undefined && isRunning(owner)
    if (owned) orphaned_since = undefined
    else orphaned_since ??= performance.now()
    const doomed =
      owner?.tethered === true && orphaned_since !== undefined && performance.now() - orphaned_since < DEATH_LIMIT_MS
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
  writeOwner(place.home, false)
  const ended = () => livePostmaster(place.cluster)?.pid !== pid
  return { socket_folder, stop: () => withStartLock(place.requested, () => shutDown(pid, ended)) }
}

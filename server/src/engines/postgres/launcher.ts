import { realpathSync } from 'node:fs'
import path from 'node:path'
import { createDatabase, databaseUrl } from './control.ts'
import { makePassableFolder } from './folders.ts'
import type { ServerOptions } from './launch.ts'
import { Server } from './server.ts'

export interface PostgresOptions extends ServerOptions {
  /** The folder for the database, created if missing. It must contain nothing else. */
  data_dir: string
}

export interface LocalPostgres {
  /** For `pg` and libpq: unix socket, superuser `postgres`, database `demarc`. */
  url: string
  /** True if another process started the server. That process also stops it. */
  adopted: boolean
  /** The folder that contains the database. Differs from `options.data_dir` if the server's account cannot enter that folder. */
  data_dir: string
  /** Aborts open transactions and shuts the server down. Leaves a server that belongs to another process running. */
  stop(): Promise<void>
}

/**
 * Starts the embedded PostgreSQL on a unix socket, or adopts the server that another process runs on the folder. The server
 * stops when its owner process dies, even by `kill -9`, and a process that adopted it then restarts it. The server ignores
 * Ctrl-C until `stop()`, and is restarted if it is killed or hangs. Call from the main thread. If this machine cannot run it,
 * throws an Error whose message states the remedy.
 */
export async function startPostgres(options: PostgresOptions): Promise<LocalPostgres> {
  makePassableFolder(path.resolve(options.data_dir))
  const server = await Server.open(realpathSync(options.data_dir), options)
  const { adopted, directory, socket_folder } = server
  try {
    await createDatabase(socket_folder)
  } catch (error) {
    await server.stop()
    throw error
  }
  return { url: databaseUrl(socket_folder), adopted, data_dir: directory.home, stop: () => server.stop() }
}

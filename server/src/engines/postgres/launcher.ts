import { realpathSync } from 'node:fs'
import path from 'node:path'
import { createDatabase, databaseUrl } from './control.ts'
import { makePassableFolder } from './folders.ts'
import type { ServerOptions } from './launch.ts'
import { Server } from './server.ts'

export interface PostgresOptions extends ServerOptions {
  /** The folder for the database; created if missing. It must hold nothing else. */
  data_dir: string
}

export interface LocalPostgres {
  /** For `pg` and libpq: unix socket, superuser `postgres`, database `demarc`. */
  url: string
  /** True when another process had started the server; it also stops it. */
  adopted: boolean
  /** The folder the database is really in: not `options.data_dir` when the server's account cannot enter that. */
  data_dir: string
  /** Ends open transactions and shuts the server down. Leaves it running when it belongs to another process. */
  stop(): Promise<void>
}

/**
 * Starts the embedded PostgreSQL on a unix socket, or adopts the server that another process runs on the folder. It is stopped when
 * the process that started it dies, even by `kill -9`, and then started by one that has adopted it. It ignores Ctrl-C until `stop()`,
 * and is restarted if it is killed itself, and ended and restarted if it hangs.
 * Call from the main thread. Throws an Error whose message gives the remedy when this machine cannot run it.
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

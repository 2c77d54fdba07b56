import { readFile } from 'node:fs/promises'
import path from 'node:path'
import pg from 'pg'

/** Where the embedded database of a data folder is reached, as a client of PostgreSQL takes it. */
export async function databaseOf(
  data_dir: string,
): Promise<{ host: string; port: number; user: string; database: string }> {
  const moved = await readFile(path.join(data_dir, 'postgres/moved-to'), 'utf8').catch(absent)
  const cluster = path.join(moved?.trim() ?? path.join(data_dir, 'postgres'), 'cluster')
  // its fourth line is the port, its fifth the folder of the socket
  const lines = (await readFile(path.join(cluster, 'postmaster.pid'), 'utf8')).split('\n')
  return { host: lines[4] ?? '', port: Number(lines[3]), user: 'postgres', database: 'demarc' }
}

/** The embedded database, by queries of its superuser for what no request shows or does. */
export class Database {
  readonly #data_dir: string

  constructor(data_dir: string) {
    this.#data_dir = data_dir
  }

  /** One query on a connection of its own, because any other may be of a server that was killed since. */
  async rows<Row extends pg.QueryResultRow>(sql: string, values: unknown[] = []): Promise<Row[]> {
    const client = new pg.Client(await databaseOf(this.#data_dir))
    await client.connect()
    try {
      return (await client.query<Row>(sql, values)).rows
    } finally {
      await client.end()
    }
  }
}

/** Null for a file that is not there; other errors are thrown. */
export function absent(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null
  throw error
}

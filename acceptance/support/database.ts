import { readFile } from 'node:fs/promises'
import path from 'node:path'
import pg from 'pg'

/** Connection options for the embedded database of a data folder. */
export async function databaseOf(
  data_dir: string,
): Promise<{ host: string; port: number; user: string; database: string }> {
  const moved = await readFile(path.join(data_dir, 'postgres/moved-to'), 'utf8').catch(absent)
  const cluster = path.join(moved?.trim() ?? path.join(data_dir, 'postgres'), 'cluster')
  // line four is the port, line five the socket folder
  const lines = (await readFile(path.join(cluster, 'postmaster.pid'), 'utf8')).split('\n')
  return { host: lines[4] ?? '', port: Number(lines[3]), user: 'postgres', database: 'demarc' }
}

/** The embedded database, queried as its superuser for what no request can read or do. */
export class Database {
  readonly #data_dir: string

  constructor(data_dir: string) {
    this.#data_dir = data_dir
  }

  /** One query on its own connection, because an open connection may belong to a server that was killed since. */
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

/** Null for a missing file; other errors are thrown. */
export function absent(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null
  throw error
}

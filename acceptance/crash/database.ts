import pg from 'pg'
import { databaseOf } from '../support/database.ts'

/** The embedded database, read by queries of this loop's own for what no response shows. Nothing is written. */
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

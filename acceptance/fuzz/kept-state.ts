import { readdir, stat } from 'node:fs/promises'
import path from 'node:path'
import pg from 'pg'
import { absent, databaseOf } from '../support/database.ts'
import { queryEngine } from '../support/engine.ts'

/**
 * Everything that a service stores, read directly: every database row, every call record, and every file. Each has a name and a
 * digest or size.
 */
export type State = ReadonlyMap<string, string>

/** Columns that a refused request may change, and why. */
const CHANGED_COLUMNS: Record<string, string> = {
  last_used_at: 'a key was used, also for a request that is refused',
}
/** Tables of what limits count, not of what customers have. */
const COUNTING_TABLES: Record<string, string> = {
  window_count: 'requests count against limits, also those that are refused',
  permit: 'uploads reserve room until they are refused',
}
/** Paths in the data folder that are not the service's files. */
const OTHER_FOLDERS: Record<string, string> = {
  postgres: 'the database writes its log ahead and vacuums by itself; its rows are read',
  'cdrs/store': 'the call-record engine merges its parts by itself; its rows are read',
  compiled: 'Node keeps what it compiled of the programs',
}

export class KeptState {
  readonly #data_dir: string
  readonly #database: pg.Client

  private constructor(data_dir: string, database: pg.Client) {
    this.#data_dir = data_dir
    this.#database = database
  }

  /** For a service with embedded database and engine, by its data folder. */
  static async open(data_dir: string): Promise<KeptState> {
    const database = new pg.Client(await databaseOf(data_dir))
    await database.connect()
    return new KeptState(data_dir, database)
  }

  async read(): Promise<State> {
    return new Map([...(await this.#tables()), ...(await this.#records()), ...(await files(this.#data_dir))])
  }

  /** Number of open transactions and running queries of other sessions. */
  async busy(): Promise<number> {
    const { rows } = await this.#database.query<{ busy: number }>(
      `select count(*)::int as busy from pg_stat_activity
       where backend_type = 'client backend' and state <> 'idle' and pid <> pg_backend_pid()`,
    )
    return rows[0]?.busy ?? 0
  }

  close(): Promise<void> {
    return this.#database.end()
  }

  /** Row count of each table, and an order-independent checksum. */
  async #tables(): Promise<[string, string][]> {
    const { rows } = await this.#database.query<{ name: string; columns: string }>(
      `select quote_ident(table_name) as name, string_agg(quote_ident(column_name), ', ' order by ordinal_position) as columns
       from information_schema.columns join information_schema.tables using (table_schema, table_name)
       where table_schema = 'public' and table_type = 'BASE TABLE' and column_name <> all ($1)
         and table_name <> all ($2)
       group by table_name order by table_name`,
      [Object.keys(CHANGED_COLUMNS), Object.keys(COUNTING_TABLES)],
    )
    const digests: [string, string][] = []
    for (const { name, columns } of rows) {
      const found = await this.#database.query<{ digest: string }>(
        `select count(*) || ' rows, ' || coalesce(sum(hashtextextended(row(${columns})::text, 0)), 0) as digest from ${name}`,
      )
      digests.push([`table ${name}`, found.rows[0]?.digest ?? ''])
    }
    return digests
  }

  async #records(): Promise<[string, string][]> {
    const tables = (
      await queryEngine(this.#data_dir, `select database || '.' || name from system.tables where database = 'demarc'`)
    )
      .split('\n')
      .filter((name) => name !== '')
    return Promise.all(
      tables.map(async (name): Promise<[string, string]> => {
        const digest = await queryEngine(this.#data_dir, `select count(), sum(cityHash64(*)) from ${name} final`)
        return [`call records ${name}`, digest]
      }),
    )
  }
}

async function files(data_dir: string): Promise<[string, string][]> {
  const entries = await readdir(data_dir, { recursive: true, withFileTypes: true })
  const names = entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(data_dir, path.join(entry.parentPath, entry.name)))
    .filter((name) => !Object.keys(OTHER_FOLDERS).some((folder) => name.startsWith(folder + path.sep)))
  const sizes = await Promise.all(
    names.map(async (name): Promise<[string, string] | null> => {
      const found = await stat(path.join(data_dir, name)).catch(absent)
      return found && [`file ${name}`, `${found.size} bytes`]
    }),
  )
  return sizes.filter((each) => each !== null)
}

/** The differences between the two, as sentences. */
export function differences(before: State, after: State): string[] {
  const names = new Set([...before.keys(), ...after.keys()])
  return [...names]
    .filter((name) => before.get(name) !== after.get(name))
    .map((name) => `${name}: ${before.get(name) ?? 'not there'} before, ${after.get(name) ?? 'not there'} afterward`)
}

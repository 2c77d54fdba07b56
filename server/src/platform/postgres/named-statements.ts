import type { PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely'
import pg from 'pg'

/** A server process keeps every named statement until its connection ends: about 20 kB each, per connection. */
const MAX_NAMED_STATEMENTS = 500
/** Texts seen once and not again (built filters, bulk inserts) must not fill the names. */
const MAX_SEEN_ONCE = 2_000
/** Longer texts are bulk inserts: they rarely repeat, and parsing is a small part of their cost. */
const MAX_TEXT_CHARS = 8_000

/**
 * Gives statement texts stable names, so that Postgres parses and plans a repeated statement once per connection
 * (measured: half of the server's time for a select by key). A text earns its name when it is seen a second time.
 */
export class StatementNames {
  readonly #names = new Map<string, string>()
  readonly #seen_once = new Set<string>()

  /** The name to run `text` under, or undefined when it shall run unnamed. */
  nameOf(text: string, parameter_count: number): string | undefined {
    // Without parameters it may be BEGIN, DDL or several statements at once, which cannot be prepared.
    if (parameter_count === 0 || text.length > MAX_TEXT_CHARS) return undefined
    const known = this.#names.get(text)
    if (known !== undefined) return known
    if (this.#names.size >= MAX_NAMED_STATEMENTS) return undefined
    if (!this.#seen_once.delete(text)) {
      if (this.#seen_once.size >= MAX_SEEN_ONCE) this.#seen_once.clear()
      this.#seen_once.add(text)
      return undefined
    }
    const name = `demarc_${this.#names.size + 1}`
    this.#names.set(text, name)
    return name
  }
}

/**
 * A `pg` pool in the shape Kysely asks for, which runs repeated statements by name and lends no broken connection again.
 * A statement without any answer for `silence_ms` is given up.
 */
export function namedStatementPool(pool: pg.Pool, silence_ms: number): PostgresPool {
  const names = new StatementNames()
  // One wrapper per connection for its whole life: Kysely recognises a connection by identity.
  const wrappers = new WeakMap<pg.PoolClient, NamedClient>()
  return {
    options: pool.options,
    async connect() {
      const client = await pool.connect()
      let wrapper = wrappers.get(client)
      if (!wrapper) {
        wrapper = new NamedClient(client, names, silence_ms)
        wrappers.set(client, wrapper)
      }
      return asKyselyClient(wrapper)
    },
    async end() {
      await pool.end()
    },
  }
}

class NamedClient {
  readonly #client: pg.PoolClient
  readonly #names: StatementNames
  readonly #silence_ms: number
  #broken = false

  constructor(client: pg.PoolClient, names: StatementNames, silence_ms: number) {
    this.#client = client
    this.#names = names
    this.#silence_ms = silence_ms
  }

  async query<R>(text: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>> {
    const name = this.#names.nameOf(text, parameters.length)
    // The driver takes a timeout per statement too; its type does not say so.
    const statement = {
      ...(name !== undefined && { name }),
      text,
      values: [...parameters],
      query_timeout: this.#silence_ms,
    }
    try {
      const result = await this.#client.query(statement)
      return result as unknown as PostgresQueryResult<R> // row types are Kysely's own promise
    } catch (error) {
      if (!leavesConnectionUsable(error)) this.#broken = true
      throw error
    }
  }

  release(destroy?: boolean): void {
    this.#client.release(this.#broken || destroy === true)
  }
}

/** Guaranteed by openDatabase: Kysely calls query() with a cursor only when it was given a cursor class, and it is not. */
function asKyselyClient(client: NamedClient): PostgresPoolClient {
  return client as unknown as PostgresPoolClient
}

/**
 * False after a read timeout or a lost socket (the answer may still arrive, to the wrong asker), and when Postgres
 * says that a named statement no longer fits the tables: a fresh connection prepares it anew.
 */
function leavesConnectionUsable(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError)) return false
  const stale_plan = error.code === '0A000' && error.routine === 'RevalidateCachedQuery'
  const unknown_statement = error.code === '26000'
  return !stale_plan && !unknown_statement
}

import type { PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely'
import pg from 'pg'
import type { Silence } from './silence.ts'
import type { ConnectionWaits } from './waits.ts'

/** A server process keeps every named statement until its connection ends: about 20 kB each, per connection. */
const MAX_NAMED_STATEMENTS = 500
/** Statements that run only once (built filters, bulk inserts) must not use up the names. */
const MAX_SEEN_ONCE = 2_000
/** Longer texts are bulk inserts: they rarely repeat, and parsing is a small part of their cost. */
const MAX_TEXT_CHARS = 8_000

/**
 * Gives statement texts stable names, so that Postgres parses and plans a repeated statement once per connection
 * (measured: half of the server's time for a select by key). A statement gets its name when it runs a second time.
 */
export class StatementNames {
  readonly #names = new Map<string, string>()
  readonly #seen_once = new Set<string>()

  /** The name to run `text` under, or undefined if it runs unnamed. */
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

/** What is known of a pool that nobody should wait for in vain. */
export interface PoolState {
  silence: Silence
  waits: ConnectionWaits
}

/**
 * A `pg` pool with the interface that Kysely needs, which runs repeated statements by name and reuses no broken connection.
 * A statement without a response for `silence_ms` is given up.
 */
export function namedStatementPool(pool: pg.Pool, silence_ms: number, state?: PoolState): PostgresPool {
  const names = new StatementNames()
  // One wrapper per connection for its lifetime: Kysely identifies a connection by identity.
  const wrappers = new WeakMap<pg.PoolClient, NamedClient>()
  return {
    options: pool.options,
    async connect() {
      state?.silence.throwIfSilent()
      const client = await (state ? state.waits.during(() => pool.connect()) : pool.connect())
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
    // The driver also supports a timeout per statement, which its type lacks.
    const statement = {
      ...(name !== undefined && { name }),
      text,
      values: [...parameters],
      query_timeout: this.#silence_ms,
    }
    try {
      // several statements in one text have several results, of which the driver's type does not know
      const results = [await this.#client.query(statement)].flat()
      return results.at(-1) as unknown as PostgresQueryResult<R> // Kysely vouches for row types
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
 * False after a read timeout or a lost socket (the late result could be taken for that of the next statement), when Postgres
 * ends the session, and when it reports that a named statement no longer matches the tables: a new connection prepares it again.
 */
export function leavesConnectionUsable(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError)) return false
  const stale_plan = error.code === '0A000' && error.routine === 'RevalidateCachedQuery'
  const unknown_statement = error.code === '26000'
  const ended = /^(57P|08)/.test(error.code ?? '')
  return !stale_plan && !unknown_statement && !ended
}

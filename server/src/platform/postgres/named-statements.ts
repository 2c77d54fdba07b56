import { createHash } from 'node:crypto'
import type { PostgresPool, PostgresPoolClient } from 'kysely'
import pg from 'pg'
import { ConnectionWaits, Silence } from './fail-fast.ts'
import { inSqlSpan } from '../traces/outgoing.ts'
import { isReadOnly, isServerLost, PoolConnections } from './lost-server.ts'

/** A PostgreSQL backend keeps every named statement until its connection ends: about 20 kB each. */
const MAX_NAMED_STATEMENTS = 500
/** One-time statements (generated filters, bulk inserts) must not use up the names. */
const MAX_SEEN_ONCE = 2_000
/** Longer texts are bulk inserts, which rarely repeat and cost little to parse. */
const MAX_TEXT_CHARS = 8_000

/**
 * Names statements by a hash of their text. PostgreSQL then parses and plans a repeated statement once per connection, which
 * halves its time for a select by key. With names disabled, as some transaction poolers require, every statement is parsed each
 * time.
 */
export class StatementNames {
  readonly #names = new Map<string, string>()
  #generation = 0
  readonly #seen_once = new Set<string>()
  readonly #enabled: boolean

  constructor(enabled = true) {
    this.#enabled = enabled
  }

  /** The name for a text that is constant in the program. */
  nameOfConstant(text: string): string | undefined {
    if (!this.#enabled) return undefined
    const known = this.#names.get(text)
    if (known !== undefined) return known
    const name = `demarc_${createHash('sha256').update(this.textOf(text)).digest('hex').slice(0, 32)}`
    this.#names.set(text, name)
    return name
  }

  /** The text to prepare. */
  textOf(text: string): string {
    return this.#generation === 0 ? text : `${text} /* ${this.#generation} */`
  }

  /**
   * Gives every statement another name and text, after a migration made a prepared one stale. The text changes too because a pooler
   * keeps prepared statements by their text, beyond the life of our connections.
   */
  renew(): void {
    this.#generation += 1
    this.#names.clear()
  }

  /** The name for any text from its second execution on; undefined if it runs unnamed. */
  nameOf(text: string, parameter_count: number): string | undefined {
    // Without parameters it may be BEGIN, DDL, or several statements, which cannot be prepared.
    if (!this.#enabled || parameter_count === 0 || text.length > MAX_TEXT_CHARS) return undefined
    const known = this.#names.get(text)
    if (known !== undefined) return known
    if (this.#names.size >= MAX_NAMED_STATEMENTS) return undefined
    if (this.#seen_once.delete(text)) return this.nameOfConstant(text)
    if (this.#seen_once.size >= MAX_SEEN_ONCE) this.#seen_once.clear()
    this.#seen_once.add(text)
    return undefined
  }
}

export interface StatementPoolOptions {
  /** A statement without a response for this long fails, and its connection is closed. */
  silence_ms: number
  /** While a request has waited longer than this for a connection, further requests fail with DatabaseBusy; default: never. */
  longest_wait_ms?: number | undefined
  /** Whether repeated statements are prepared under a name; default true. */
  prepared?: boolean | undefined
  /** Whether the server is a read replica; default false. */
  replica?: boolean | undefined
}

/** A statement got no response in time, so its connection was closed. */
class StatementUnanswered extends Error {
  override name = 'StatementUnanswered'
  readonly code = 'ETIMEDOUT'
  constructor() {
    super('The database did not respond to a statement in time.')
  }
}

/** Runs statements on a pool's connections, by name if they repeat. */
export class StatementPool {
  readonly names: StatementNames
  readonly silence: Silence
  readonly waits: ConnectionWaits
  readonly connections: PoolConnections
  readonly #pool: pg.Pool
  readonly #silence_ms: number
  readonly #replica: boolean

  constructor(pool: pg.Pool, { silence_ms, longest_wait_ms, prepared, replica = false }: StatementPoolOptions) {
    this.#pool = pool
    this.#replica = replica
    this.#silence_ms = silence_ms
    this.names = new StatementNames(prepared)
    this.silence = new Silence(pool)
    this.waits = new ConnectionWaits(longest_wait_ms)
    this.connections = new PoolConnections(pool)
    // an error on a checked-out connection between two statements would end the process; the next statement fails then
    pool.on('connect', (client) => client.on('error', () => undefined))
  }

  async connect(): Promise<pg.PoolClient> {
    this.silence.throwIfSilent()
    return await this.waits.during(() => this.#pool.connect())
  }

  async run<R extends object>(
    client: pg.PoolClient,
    name: string | undefined,
    text: string,
    values: readonly unknown[],
  ): Promise<pg.QueryResult<R>> {
    const unnamed = { text, values: [...values] }
    try {
      const named = name === undefined ? unnamed : { ...unnamed, name, text: this.names.textOf(text) }
      const result = await this.#send<R>(client, named)
      if (!this.#replica && isReadOnly(client)) this.connections.leave()
      return result
    } catch (error) {
      if (isServerLost(error)) this.connections.drop()
      if (!isStaleStatement(error)) throw error
      this.names.renew()
      // PostgreSQL has aborted a transaction
      if (client.getTransactionStatus() !== 'I') throw error
      return await this.#send<R>(client, unnamed)
    }
  }

  /**
   * Runs a statement with a callback and our own timeout. With the driver's own promise or timeout, every result would survive
   * V8's minor collections and stay until the next full one: the driver then replaces the callback of its query object.
   */
  async #send<R extends object>(client: pg.PoolClient, query: pg.QueryConfig): Promise<pg.QueryResult<R>> {
    const timer = setTimeout(() => client.connection.stream.destroy(new StatementUnanswered()), this.#silence_ms)
    try {
      return await new Promise((resolve, reject) => {
        client.query<R>(query, (error: Error | null, result) => {
          if (error === null) resolve(result)
          else reject(error)
        })
      })
    } catch (error) {
      // the driver's stack ends at the socket
      if (error instanceof Error) Error.captureStackTrace(error)
      throw error
    } finally {
      clearTimeout(timer)
    }
  }

  /** Returns a connection to the pool, which closes it unless it is usable and leads to the current primary. */
  release(client: pg.PoolClient, usable: boolean): void {
    client.release(!usable || this.connections.isOutdated(client))
  }

  /** The pool behind the interface that Kysely needs. */
  forKysely(): PostgresPool {
    // One wrapper per connection: Kysely compares connections by identity.
    const wrappers = new WeakMap<pg.PoolClient, PooledClient>()
    return {
      options: this.#pool.options,
      connect: async () => {
        const client = await this.connect()
        const wrapper = wrappers.get(client) ?? new PooledClient(client, this)
        wrappers.set(client, wrapper)
        return asKyselyClient(wrapper)
      },
      end: () => this.#pool.end(),
    }
  }
}

class PooledClient {
  readonly #client: pg.PoolClient
  readonly #statements: StatementPool
  #broken = false

  constructor(client: pg.PoolClient, statements: StatementPool) {
    this.#client = client
    this.#statements = statements
  }

  async query(text: string, parameters: readonly unknown[]): Promise<pg.QueryResult> {
    const name = this.#statements.names.nameOf(text, parameters.length)
    try {
      // several statements in one text return an array of results, which the driver's type omits
      const run = () => this.#statements.run(this.#client, name, text, parameters)
      const results: pg.QueryResult[] = [await inSqlSpan(text, run)].flat()
      return results.at(-1) ?? noResult()
    } catch (error) {
      if (!leavesConnectionUsable(error)) this.#broken = true
      throw error
    }
  }

  release(destroy?: boolean): void {
    this.#statements.release(this.#client, !this.#broken && destroy !== true)
  }
}

/** Safe because openDatabase gives Kysely no cursor class, so it never calls query() with a cursor. */
function asKyselyClient(client: PooledClient): PostgresPoolClient {
  return client as unknown as PostgresPoolClient
}

function noResult(): never {
  throw new Error('The driver returned no result.')
}

/**
 * False after a read timeout or lost socket, because the next statement could receive the late result. Also false when
 * PostgreSQL ends the session or is read-only, and when a named statement no longer matches the tables: a new connection prepares
 * it again.
 */
export function leavesConnectionUsable(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError)) return false
  const unknown_statement = error.code === '26000'
  return !isStaleStatement(error) && !unknown_statement && !isServerLost(error)
}

/** Whether PostgreSQL ran nothing because a named statement's columns changed: a migration altered its table. */
export const isStaleStatement = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.code === '0A000' && error.routine === 'RevalidateCachedQuery'

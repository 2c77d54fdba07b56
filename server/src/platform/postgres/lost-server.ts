import type pg from 'pg'
import { serverErrorOf } from './server-errors.ts'

/** Two drops are at least this far apart, so that a server that stays read-only does not cost a new connection per request. */
const DROP_INTERVAL_MS = 1_000

/** The error of a connection that was closed because its server was lost. */
export class ServerLost extends Error {
  override name = 'ServerLost'
  constructor() {
    super('The connection was closed because its server is no longer the primary.')
  }
}

/** Settings of a server that refuses writes. */
const refusals = new Set(['default_transaction_read_only', 'in_hot_standby'])
const refusing = new WeakMap<pg.ClientBase, Set<string>>()

/**
 * Follows whether the client's server refuses writes. From version 14 on, PostgreSQL reports these settings at the start of a
 * connection, and a change of them with the result of the next statement. A pooler may withhold that.
 */
export function followReadOnly(client: pg.Client): void {
  const on = new Set<string>()
  refusing.set(client, on)
  client.connection.on('parameterStatus', ({ parameterName, parameterValue }: ParameterStatus) => {
    if (!refusals.has(parameterName)) return
    if (parameterValue === 'on') on.add(parameterName)
    else on.delete(parameterName)
  })
}

interface ParameterStatus {
  parameterName: string
  parameterValue: string
}

/** Whether the client's last result came from a server that refuses writes. */
export const isReadOnly = (client: pg.ClientBase): boolean => (refusing.get(client)?.size ?? 0) > 0

/**
 * A pool's connections to a server that may have been replaced. After a failover the old server, or a proxy in front of it, can
 * keep them open: they would serve old rows and refuse writes until their lifetime ends.
 */
export class PoolConnections {
  readonly #idle = new Set<pg.PoolClient>()
  readonly #opened_at = new WeakMap<pg.PoolClient, number>()
  #dropped_at = -Infinity
  /** Results of a server that refuses writes. It may have been replaced, so their rows may be old. */
  stale_results = 0

  constructor(pool: pg.Pool) {
    pool.on('connect', (client) => this.#opened_at.set(client, performance.now()))
    pool.on('acquire', (client) => this.#idle.delete(client))
    pool.on('release', (_, client) => this.#idle.add(client))
    pool.on('remove', (client) => this.#idle.delete(client))
  }

  /** Closes the idle connections now, and those in use when they are released. New ones lead to the current primary. */
  drop(): void {
    if (performance.now() - this.#dropped_at < DROP_INTERVAL_MS) return
    this.#dropped_at = performance.now()
    // the pool removes a client whose socket fails
    for (const { connection } of this.#idle) connection.stream.destroy(new ServerLost())
  }

  /** After a result of a server that refuses writes. */
  leave(): void {
    this.stale_results += 1
    this.drop()
  }

  /** Whether the connection must be closed on release, because it was opened before the last drop. */
  isOutdated(client: pg.PoolClient): boolean {
    return (this.#opened_at.get(client) ?? Infinity) <= this.#dropped_at
  }
}

const lost = new Set<unknown>(['ended', 'read-only', 'lost'])

/** True for an error after which the pool's other connections probably lead to the wrong server, or nowhere. */
export const isServerLost = (error: unknown): boolean => lost.has(serverErrorOf(error))

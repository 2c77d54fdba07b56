import { callbackify } from 'node:util'
import pg from 'pg'
import { connectionAttempts, type Connection } from './connection.ts'
import { parseDatabaseUrl, type TargetSessionAttributes } from './database-url.ts'
import { followReadOnly } from './lost-server.ts'
import { serverErrorOf } from './server-errors.ts'

/** The server's condition for each target_session_attrs; null: any server. */
const conditions: Readonly<Record<TargetSessionAttributes, string | null>> = {
  any: null,
  'prefer-standby': null,
  'read-write': `current_setting('transaction_read_only') = 'off'`,
  'read-only': `current_setting('transaction_read_only') = 'on'`,
  primary: 'not pg_is_in_recovery()',
  standby: 'pg_is_in_recovery()',
}

/** No server of the URL is what its target_session_attrs asks for, as during a failover. */
export class NoMatchingServer extends Error {
  override name = 'NoMatchingServer'
  constructor(target: TargetSessionAttributes, options: { cause?: unknown } = {}) {
    super(`The database server is not ${target}.`, options)
  }
}

/**
 * The way to a database: the servers of its URL, each with the kinds of TLS that its sslmode allows, in the order in which libpq
 * tries them. A new connection begins with the attempt that worked last. As in libpq, a server that rejects the password or the
 * database ends the search.
 */
export class Route {
  readonly #attempts: readonly pg.PoolConfig[]
  readonly #target: TargetSessionAttributes
  #current = 0
  /** The attempt that succeeded last. */
  #worked: number | null = null

  /** `pooled`: see `connectionAttempts`. */
  constructor(connection: Connection, options: { pooled?: boolean } = {}) {
    this.#attempts = connectionAttempts(connection, options)
    const url = typeof connection === 'string' ? connection : connection.connectionString
    this.#target = parseDatabaseUrl(url).target_session_attrs
  }

  /**
   * Rejects with NoMatchingServer, and ends the connection, unless the client's server is what the URL asks for. `connect` then
   * tries the next one.
   */
  async assertMatching(client: pg.Client): Promise<void> {
    const condition = conditions[this.#target]
    if (condition === null) return
    const { rows } = await client.query<{ matches: boolean }>(`select ${condition} as matches`)
    if (rows[0]?.matches === true) return
    client.connection.stream.destroy()
    throw new NoMatchingServer(this.#target)
  }

  /** What to connect with. `connect` changes it. */
  get current(): pg.PoolConfig {
    return this.#attempts[this.#current] ?? {}
  }

  /**
   * Calls `connecting`, which uses `current`, for one attempt after the other until it succeeds. Rejects with NoMatchingServer if a
   * server was reached that does not match, and otherwise with the error of the attempt that worked last, if any has.
   */
  async connect<T>(connecting: () => Promise<T>): Promise<T> {
    const errors = new Map<number, unknown>()
    for (;;) {
      const attempt = this.#current
      try {
        const connected = await connecting()
        this.#worked = attempt
        return connected
      } catch (cause) {
        const error = this.#isCanceledByStandby(cause) ? new NoMatchingServer(this.#target, { cause }) : cause
        errors.set(attempt, error)
        const next = this.#next(attempt, error, errors)
        if (next === undefined) throw this.#giveUp(errors, error)
        // another connection may have moved on meanwhile
        if (this.#current === attempt) this.#current = next
        else if (errors.has(this.#current)) throw this.#giveUp(errors, error)
      }
    }
  }

  /** A standby's recovery can cancel what opens a session (40001), before the session can tell that it is on a standby. */
  #isCanceledByStandby(error: unknown): boolean {
    const asksForPrimary = this.#target === 'read-write' || this.#target === 'primary'
    return asksForPrimary && error instanceof pg.DatabaseError && error.code === '40001'
  }

  #giveUp(errors: ReadonlyMap<number, unknown>, last: unknown): unknown {
    if (this.#worked !== null) this.#current = this.#worked
    const mismatch = [...errors.values()].find((each) => each instanceof NoMatchingServer)
    return mismatch ?? (this.#worked === null ? last : (errors.get(this.#worked) ?? last))
  }

  #next(attempt: number, error: unknown, tried: ReadonlyMap<number, unknown>): number | undefined {
    const untried = this.#attempts.map((_, i) => (attempt + i) % this.#attempts.length).filter((i) => !tried.has(i))
    const { host, port } = this.#attempts[attempt] ?? {}
    const isSame = (i: number) => this.#attempts[i]?.host === host && this.#attempts[i]?.port === port
    const otherTls = untried.find(isSame)
    const otherServer = untried.find((i) => !isSame(i))
    if (error instanceof pg.DatabaseError) {
      // 28000: pg_hba.conf may require TLS, or refuse it
      if (error.code === '28000') return otherTls
      // 57P03: the server is starting or stopping
      return error.code === '57P03' ? otherServer : undefined
    }
    if (error instanceof NoMatchingServer) return otherServer
    if (!(error instanceof Error)) return undefined
    // other TLS settings would not help
    return serverErrorOf(error) === 'unreachable' ? otherServer : (otherTls ?? otherServer)
  }
}

/** A connected client by a route. The caller ends it, and should listen for its `error`. */
export async function connectClient(route: Route, config: pg.ClientConfig): Promise<pg.Client> {
  return await route.connect(async () => {
    const client = new pg.Client({ ...route.current, ...config })
    // a lost connection also rejects the current query; without a listener, the event would end the process
    client.on('error', () => undefined)
    await client.connect()
    await route.assertMatching(client)
    return client
  })
}

/** A pool whose new connections follow a route. */
export class RoutedPool extends pg.Pool {
  readonly route: Route

  constructor(route: Route, config: pg.PoolConfig) {
    // the pool calls this constructor for every new connection
    class RoutedClient extends pg.Client {
      constructor(options?: pg.ClientConfig) {
        const { host, port, ssl } = route.current
        // the pool hides the password from enumeration
        super({ ...options, password: options?.password, host, port, ssl })
        followReadOnly(this)
      }
    }
    super({
      ...route.current,
      ...config,
      Client: RoutedClient,
      verify: callbackify((client: pg.PoolClient) => route.assertMatching(client)),
    })
    this.route = route
  }

  override connect(): Promise<pg.PoolClient>
  override connect(callback: PoolCallback): void
  override connect(callback?: PoolCallback): Promise<pg.PoolClient> | void {
    const connected = this.route.connect(() => super.connect())
    if (callback === undefined) return connected
    void deliver(connected, callback)
  }
}

/** `pool.query()` passes a callback. */
async function deliver(connected: Promise<pg.PoolClient>, callback: PoolCallback): Promise<void> {
  const client = await connected.catch((error: Error) => error)
  if (client instanceof Error) callback(client, undefined, () => undefined)
  else callback(undefined, client, client.release)
}

type PoolCallback = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  release: (release?: boolean | Error) => void,
) => void

import type pg from 'pg'

/** Thrown when too many requests wait for a connection. Nothing was done. */
export class DatabaseBusy extends Error {
  override name = 'DatabaseBusy'
  constructor() {
    super('Too many requests are waiting for a database connection.')
  }
}

/** Requests waiting for a pool's connection, in order of arrival. */
export class ConnectionWaits {
  readonly #since = new Map<symbol, number>()
  readonly #max_ms: number

  /** While any request has waited longer than `max_ms`, new ones are refused. */
  constructor(max_ms = Infinity) {
    this.#max_ms = max_ms
  }

  /** How long the longest-waiting request has waited. */
  longest_ms(): number {
    const [first] = this.#since.values()
    return first === undefined ? 0 : performance.now() - first
  }

  async during<T>(connecting: () => Promise<T>): Promise<T> {
    if (this.longest_ms() > this.#max_ms) throw new DatabaseBusy()
    const id = Symbol('wait')
    this.#since.set(id, performance.now())
    try {
      return await connecting()
    } finally {
      this.#since.delete(id)
    }
  }
}

/** The server accepts connections or statements but does not respond. */
export class DatabaseSilent extends Error {
  override name = 'DatabaseSilent'
  constructor() {
    super('The database is not responding.')
  }
}

/** Tracks whether a pool's server is silent. Nothing waits for a silent server, because its recovery time is unknown. */
export class Silence {
  readonly #open = new Set<pg.Client>()
  #silent = false

  constructor(pool: pg.Pool) {
    pool.on('connect', (client) => this.add(client))
    pool.on('remove', (client) => this.delete(client))
  }

  add(client: pg.Client): void {
    this.#open.add(client)
  }

  delete(client: pg.Client): void {
    this.#open.delete(client)
  }

  /** When the server becomes silent, closes all connections, which fails their statements. */
  set(silent: boolean): void {
    this.#silent = silent
    if (!silent) return
    for (const client of this.#open) client.connection.stream.destroy(new DatabaseSilent())
  }

  throwIfSilent(): void {
    if (this.#silent) throw new DatabaseSilent()
  }
}

import type pg from 'pg'

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

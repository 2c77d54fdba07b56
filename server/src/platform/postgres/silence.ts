import type pg from 'pg'

/** The server accepts connections or statements and does not respond. */
export class DatabaseSilent extends Error {
  override name = 'DatabaseSilent'
  constructor() {
    super('The database is not responding.')
  }
}

/** A pool whose server may be silent. Nobody waits for one that is, because nobody knows for how long. */
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

  /** Breaks off what is under way when the server becomes silent. */
  set(silent: boolean): void {
    this.#silent = silent
    if (!silent) return
    for (const client of this.#open) client.connection.stream.destroy(new DatabaseSilent())
  }

  throwIfSilent(): void {
    if (this.#silent) throw new DatabaseSilent()
  }
}

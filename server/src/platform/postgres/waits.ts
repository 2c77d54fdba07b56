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

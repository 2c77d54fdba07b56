/** More wait for a connection than will soon have one. Nothing was done. */
export class DatabaseBusy extends Error {
  override name = 'DatabaseBusy'
  constructor() {
    super('Too many requests are waiting for a database connection.')
  }
}

/** Those that wait for a connection of a pool, the longest waiting first. */
export class ConnectionWaits {
  readonly #since = new Map<symbol, number>()
  readonly #max_ms: number

  /** Nobody begins to wait while somebody has waited for longer than `max_ms`. */
  constructor(max_ms = Infinity) {
    this.#max_ms = max_ms
  }

  /** How long the one has waited that waits longest. */
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

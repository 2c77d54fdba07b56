import pg from 'pg'
import { leavesConnectionUsable, type PoolState } from './named-statements.ts'
import { readRowsFrom, rowShape, RowTap, type Row, type RowShape } from './row-bytes.ts'

/** Reads of one message at most, so that none of them waits for many others. */
const BATCH_MAX = 16

/** A parameter as its text, or an array of such. */
export type ReadValue = string | null | readonly string[]

interface Read {
  text: string
  values: readonly ReadValue[]
  resolve: (rows: Row[]) => void
  reject: (error: unknown) => void
}

/** What is known of a connection: how the rows of the statements that it has prepared are read, and what takes them. */
interface PreparedConnection {
  shapes: Map<string, RowShape>
  tap: RowTap | undefined
}

/**
 * Runs short reads by key. Those of one turn of the event loop go to Postgres in one message and come back in one, because
 * writing to a socket costs more than all else that a small read needs. Each is a statement of its own with an outcome of its own.
 */
export class ReadBatches {
  readonly #pool: pg.Pool
  readonly #silence_ms: number
  readonly #state: PoolState | undefined
  readonly #names = new Map<string, string>()
  readonly #connections = new WeakMap<pg.PoolClient, PreparedConnection>()
  #waiting: Read[] = []

  constructor(pool: pg.Pool, silence_ms: number, state?: PoolState) {
    this.#pool = pool
    this.#silence_ms = silence_ms
    this.#state = state
    pool.on('connect', (client) =>
      this.#connections.set(client, { shapes: new Map(), tap: RowTap.of(client.connection.stream) }),
    )
  }

  /** The rows of a select, which must be a constant of the program: every text is prepared on each connection and stays there. */
  read<R>(text: string, values: readonly ReadValue[]): Promise<R[]> {
    return new Promise<Row[]>((resolve, reject) => {
      // after all sockets that are readable now have been read
      if (this.#waiting.push({ text, values, resolve, reject }) === 1) setImmediate(() => this.#start())
    }) as Promise<R[]> // the caller vouches for row types
  }

  /** The same for a select that may take long, in a message of its own, so that none waits for it. */
  readAlone<R>(text: string, values: readonly ReadValue[]): Promise<R[]> {
    return new Promise<Row[]>((resolve, reject) => {
      void this.#run([{ text, values, resolve, reject }])
    }) as Promise<R[]> // the caller vouches for row types
  }

  #start(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (let i = 0; i < waiting.length; i += BATCH_MAX) void this.#run(waiting.slice(i, i + BATCH_MAX))
  }

  async #run(reads: readonly Read[]): Promise<void> {
    let client: pg.PoolClient
    try {
      client = await this.#connect()
    } catch (error) {
      for (const read of reads) read.reject(error)
      return
    }
    const batch = new Batch(reads, (text) => this.#nameOf(text), this.#preparedOn(client), this.#silence_ms)
    const error = await batch.run(client)
    client.release(error !== null && (batch.parsing || !leavesConnectionUsable(error)))
    if (error === null) return
    const [failed, ...rest] = batch.unfinished()
    failed?.reject(error)
    // Postgres skips what follows a failed statement in its message
    if (error instanceof pg.DatabaseError && rest.length > 0) await this.#run(rest)
    else for (const read of rest) read.reject(error)
  }

  #connect(): Promise<pg.PoolClient> {
    this.#state?.silence.throwIfSilent()
    return this.#state ? this.#state.waits.during(() => this.#pool.connect()) : this.#pool.connect()
  }

  #nameOf(text: string): string {
    const name = this.#names.get(text) ?? `demarc_read_${this.#names.size + 1}`
    this.#names.set(text, name)
    return name
  }

  #preparedOn(client: pg.PoolClient): PreparedConnection {
    const known = this.#connections.get(client) ?? { shapes: new Map(), tap: undefined }
    this.#connections.set(client, known)
    return known
  }
}

/** An array as PostgreSQL reads it from text. */
const textOf = (value: ReadValue): string | null =>
  typeof value === 'object' && value !== null
    ? `{${value.map((item) => `"${item.replace(/["\\]/g, '\\$&')}"`).join(',')}}`
    : value

/** One message of the extended query protocol. The driver calls the methods that begin with `handle`, as it does those of its own queries. */
class Batch implements pg.Submittable {
  /** The driver's name for the longest time without a response. */
  readonly query_timeout: number
  callback: (error?: Error | null) => void = () => undefined
  /** Whether this message prepares a statement, whose state is not known if it fails. */
  parsing = false
  readonly #reads: readonly Read[]
  readonly #nameOf: (text: string) => string
  readonly #shapes: Map<string, RowShape>
  readonly #tap: RowTap | undefined
  #client: pg.PoolClient | undefined
  #at = 0
  #rows: Row[] = []

  constructor(
    reads: readonly Read[],
    nameOf: (text: string) => string,
    { shapes, tap }: PreparedConnection,
    silence_ms: number,
  ) {
    this.#reads = reads
    this.#nameOf = nameOf
    this.#shapes = shapes
    this.#tap = tap
    this.query_timeout = silence_ms
  }

  /** The error of the first read that failed; null if none did. */
  run(client: pg.PoolClient): Promise<Error | null> {
    this.#client = client
    return new Promise((resolve) => {
      this.callback = (error) => resolve(error ?? null)
      client.query(this)
    })
  }

  unfinished(): readonly Read[] {
    return this.#reads.slice(this.#at)
  }

  submit(connection: pg.Connection): void {
    if (this.#tap)
      this.#tap.sink = (packet, from, to) => {
        const shape = this.#shape()
        if (shape) readRowsFrom(packet, from, to, shape, this.#rows)
      }
    const prepared = new Set<string>()
    connection.stream.cork()
    for (const { text, values } of this.#reads) {
      const name = this.#nameOf(text)
      const is_new = !this.#shapes.has(text) && !prepared.has(text)
      if (is_new) {
        this.parsing = true
        prepared.add(text)
        connection.parse({ name, text, types: [] }, true)
      }
      connection.bind({ statement: name, values: values.map(textOf) }, true)
      if (is_new) connection.describe({ type: 'P', name: '' }, true)
      connection.execute(null, true)
    }
    connection.sync()
    connection.stream.uncork()
  }

  handleRowDescription({ fields }: { fields: readonly pg.FieldDef[] }): void {
    const read = this.#reads[this.#at]
    if (!read || !this.#client) return
    const client = this.#client
    const columns = fields.map(({ name, dataTypeID }) => ({ name, parse: client.getTypeParser(dataTypeID, 'text') }))
    this.#shapes.set(read.text, rowShape(columns))
  }

  /** Of a connection without a tap. */
  handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
    const row: Row = {}
    this.#shape()?.columns.forEach(({ name, parse }, i) => {
      const text = fields[i] ?? null
      row[name] = text === null ? null : parse(text)
    })
    this.#rows.push(row)
  }

  #shape(): RowShape | undefined {
    return this.#shapes.get(this.#reads[this.#at]?.text ?? '')
  }

  handleCommandComplete(): void {
    this.#reads[this.#at]?.resolve(this.#rows)
    this.#at += 1
    this.#rows = []
  }

  handleReadyForQuery(): void {
    this.#release()
    this.callback(null)
  }

  handleError(error: Error): void {
    this.#release()
    this.callback(error)
  }

  #release(): void {
    if (this.#tap) this.#tap.sink = null
  }
}

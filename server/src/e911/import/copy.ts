import type pg from 'pg'

/** The driver's connection with the part of it that COPY needs; the published types leave that out. */
type CopyConnection = pg.Connection & {
  sendCopyFromChunk(chunk: Buffer): void
  endCopyFrom(): void
  sendCopyFail(reason: string): void
}

/**
 * `COPY … FROM STDIN` over one connection. Write text-format lines, then `end()`. The connection is busy until one of
 * `end` and `abort` has settled.
 */
export class CopyIn implements pg.Submittable {
  readonly #text: string
  #connection: CopyConnection | undefined
  #failure: Error | undefined
  readonly #ready = Promise.withResolvers<undefined>()
  readonly #done = Promise.withResolvers<undefined>()

  constructor(client: pg.ClientBase, text: string) {
    this.#text = text
    // the driver calls the methods below as the server answers
    client.query(this)
  }

  /** Sends bytes that hold whole lines or parts of them. Waits while the server is behind. */
  async write(chunk: Buffer): Promise<void> {
    const connection = await this.#open()
    connection.sendCopyFromChunk(chunk)
    if (!connection.stream.writableNeedDrain) return
    const drained = Promise.withResolvers<undefined>()
    connection.stream.once('drain', () => drained.resolve(undefined))
    await Promise.race([drained.promise, this.#done.promise])
    this.#rethrow()
  }

  /** Resolves when the server has stored all lines. */
  async end(): Promise<void> {
    const connection = await this.#open()
    connection.endCopyFrom()
    await this.#done.promise
    this.#rethrow()
  }

  /** Makes the server forget what it was sent. */
  async abort(reason: string): Promise<void> {
    await this.#ready.promise
    if (this.#failure) return
    this.#connection?.sendCopyFail(reason)
    await this.#done.promise
  }

  async #open(): Promise<CopyConnection> {
    await this.#ready.promise
    this.#rethrow()
    if (!this.#connection) throw new Error('COPY was never started.')
    return this.#connection
  }

  #rethrow(): void {
    if (this.#failure) throw this.#failure
  }

  submit(connection: pg.Connection): void {
    if (!canCopy(connection)) throw new Error('This version of the database driver cannot COPY.')
    this.#connection = connection
    connection.query(this.#text)
  }

  handleCopyInResponse(): void {
    this.#ready.resolve(undefined)
  }

  handleCommandComplete(): void {
    // the sender knows how many lines there were
  }

  handleReadyForQuery(): void {
    this.#ready.resolve(undefined)
    this.#done.resolve(undefined)
  }

  /** The last the driver says of a failed query. */
  handleError(error: Error): void {
    this.#failure = error
    this.handleReadyForQuery()
  }
}

function canCopy(connection: pg.Connection): connection is CopyConnection {
  return 'sendCopyFromChunk' in connection && 'endCopyFrom' in connection && 'sendCopyFail' in connection
}

const SPECIAL = /[\\\t\n\r]/g
const ESCAPES: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' }

/** A value in COPY's text format. */
export function copyValue(value: string): string {
  return value.replace(SPECIAL, (sign) => ESCAPES[sign] ?? sign)
}

import type pg from 'pg'

/** The driver's connection with its COPY methods, which the published types omit. */
type CopyConnection = pg.Connection & {
  sendCopyFromChunk(chunk: Buffer): void
  endCopyFrom(): void
}

/** Sends `COPY … FROM STDIN` and its lines in text format. Resolves when the server has stored them. */
export function copyIn(client: pg.ClientBase, text: string, lines: Buffer): Promise<void> {
  const copy = new CopyIn(text, lines)
  // the driver calls the handlers below with the server's messages
  client.query(copy)
  return copy.done
}

class CopyIn implements pg.Submittable {
  readonly #text: string
  readonly #lines: Buffer
  readonly #outcome = Promise.withResolvers<void>()
  #connection: CopyConnection | undefined

  constructor(text: string, lines: Buffer) {
    this.#text = text
    this.#lines = lines
  }

  get done(): Promise<void> {
    return this.#outcome.promise
  }

  submit(connection: pg.Connection): void {
    if (!canCopy(connection)) throw new Error('This version of the database driver cannot COPY.')
    this.#connection = connection
    connection.query(this.#text)
  }

  handleCopyInResponse(): void {
    this.#connection?.sendCopyFromChunk(this.#lines)
    this.#connection?.endCopyFrom()
  }

  handleCommandComplete(): void {
    // the row count is not needed
  }

  handleReadyForQuery(): void {
    this.#outcome.resolve()
  }

  /** Called once for a failed query; no handler follows. */
  handleError(error: Error): void {
    this.#outcome.reject(error)
  }
}

function canCopy(connection: pg.Connection): connection is CopyConnection {
  return 'sendCopyFromChunk' in connection && 'endCopyFrom' in connection
}

const SPECIAL = /[\\\t\n\r]/g
const ESCAPES: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' }

/** A value in COPY's text format. */
export function copyValue(value: string): string {
  // checked first because most values are empty
  return value === '' ? value : value.replace(SPECIAL, (character) => ESCAPES[character] ?? character)
}

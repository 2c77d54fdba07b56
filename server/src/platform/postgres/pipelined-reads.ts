import type pg from 'pg'
import { leavesConnectionUsable, type StatementPool } from './named-statements.ts'

/** Limits how long a read can wait for the reads ahead of it on the same connection. */
const READS_PER_CONNECTION = 16

/** A parameter as text, or an array of texts. */
export type ReadValue = string | null | readonly string[]

interface Read {
  text: string
  values: readonly ReadValue[]
  resolve: (rows: object[]) => void
  reject: (error: unknown) => void
}

/**
 * Runs short reads. The reads of one turn of the event loop share a connection, which the driver pipelines: they reach
 * PostgreSQL in one packet, because writing to a socket costs more than the rest of a small read. Each read fails alone.
 */
export class PipelinedReads {
  readonly #statements: StatementPool
  #waiting: Read[] = []

  constructor(statements: StatementPool) {
    this.#statements = statements
  }

  /** Rows of a select. `text` must be a constant: every text is prepared on each connection and stays there. */
  read<R>(text: string, values: readonly ReadValue[]): Promise<R[]> {
    return new Promise<object[]>((resolve, reject) => {
      // setImmediate runs after every readable socket was read
      if (this.#waiting.push({ text, values, resolve, reject }) === 1) setImmediate(() => this.#start())
    }) as Promise<R[]> // the caller guarantees the row type
  }

  #start(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (let i = 0; i < waiting.length; i += READS_PER_CONNECTION)
      void this.#run(waiting.slice(i, i + READS_PER_CONNECTION))
  }

  async #run(reads: readonly Read[]): Promise<void> {
    let client: pg.PoolClient
    try {
      client = await this.#statements.connect()
    } catch (error) {
      for (const { reject } of reads) reject(error)
      return
    }
    let usable = true
    client.connection.stream.cork()
    const finished = reads.map(async ({ text, values, resolve, reject }) => {
      try {
        const name = this.#statements.names.nameOfConstant(text)
        resolve((await this.#statements.run(client, name, text, values)).rows)
      } catch (error) {
        if (!leavesConnectionUsable(error)) usable = false
        reject(error)
      }
    })
    client.connection.stream.uncork()
    await Promise.all(finished)
    client.release(!usable)
  }
}

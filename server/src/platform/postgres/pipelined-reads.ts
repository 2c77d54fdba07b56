import type pg from 'pg'
import { inSqlSpan } from '../traces/outgoing.ts'
import { leavesConnectionUsable, type StatementPool } from './named-statements.ts'

/** Limits how many reads can be ahead of a read on its connection. */
const READS_PER_CONNECTION = 16

/** A parameter: text, or an array of texts. */
export type ReadValue = string | null | readonly string[]

interface Read {
  text: string
  values: readonly ReadValue[]
  resolve: (rows: object[]) => void
  reject: (error: unknown) => void
}

/**
 * Runs short reads. Reads started in one turn of the event loop share a connection, and the driver pipelines them in one
 * packet: writing to the socket costs more than the rest of a small read. A failed read does not affect the others.
 */
export class PipelinedReads {
  readonly #statements: StatementPool
  #waiting: Read[] = []

  constructor(statements: StatementPool) {
    this.#statements = statements
  }

  /** The rows of a select. `text` must be constant: every text is prepared on each connection and stays there. */
  read<R>(text: string, values: readonly ReadValue[]): Promise<R[]> {
    const read = () =>
      new Promise<object[]>((resolve, reject) => {
        // setImmediate runs after all readable sockets have been read
        if (this.#waiting.push({ text, values, resolve, reject }) === 1) setImmediate(() => this.#start())
      })
    return inSqlSpan(text, read) as Promise<R[]> // the caller guarantees the row type
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
    this.#statements.release(client, usable)
  }
}

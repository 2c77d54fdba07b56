/** Records gathered into inserts: one is written while the next fills, and no more are held. */

import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../../../platform/db.ts'
import { PartUnavailable } from '../../../platform/unavailable.ts'
import { WarehouseUnavailable } from '../errors.ts'
import type { CdrRecord, InsertOutcome, Warehouse } from '../types.ts'
import { LIMITS } from './limits.ts'

type BatchOptions = {
  warehouse: Pick<Warehouse, 'insert'>
  log: Log | undefined
  signal: AbortSignal | undefined
  unavailable_ms: number
}

export class Batches {
  /** Of what was written so far. */
  readonly outcome: InsertOutcome = { accepted: 0, duplicates: 0 }
  readonly #options: BatchOptions
  #records: CdrRecord[] = []
  #bytes = 0
  /** When the first of the records came. */
  #since = 0
  #writing: Promise<void> = Promise.resolve()
  #failure: { error: unknown } | undefined

  constructor(options: BatchOptions) {
    this.#options = options
  }

  /** Waits when two batches are full. `bytes` is about what the record holds. Throws what an earlier batch failed with. */
  async add(record: CdrRecord, bytes: number): Promise<void> {
    if (this.#records.length === 0) this.#since = performance.now()
    this.#records.push(record)
    this.#bytes += bytes
    const full = this.#records.length >= LIMITS.batch_rows || this.#bytes >= LIMITS.batch_bytes
    if (full || performance.now() - this.#since >= LIMITS.batch_ms) await this.#send()
  }

  /** Writes the rest, and resolves when everything is durable. */
  async flush(): Promise<void> {
    if (this.#records.length > 0) await this.#send()
    await this.#written()
  }

  /** Resolves when nothing is being written any more, well or badly. */
  async settle(): Promise<void> {
    await this.#writing
  }

  async #send(): Promise<void> {
    await this.#written()
    const records = this.#records
    this.#records = []
    this.#bytes = 0
    this.#writing = this.#keep(records)
  }

  /** Never rejects: nobody waits yet. A failure is thrown to whoever asks next. */
  async #keep(records: readonly CdrRecord[]): Promise<void> {
    try {
      const { accepted, duplicates } = await this.#write(records)
      this.outcome.accepted += accepted
      this.outcome.duplicates += duplicates
    } catch (error) {
      this.#failure = { error }
    }
  }

  async #written(): Promise<void> {
    await this.#writing
    if (this.#failure !== undefined) throw this.#failure.error
  }

  /**
   * The whole batch again while the store is away, which is safe: what a lost answer had written counts as duplicates then. Throws
   * PartUnavailable when it stays away.
   */
  async #write(records: readonly CdrRecord[]): Promise<InsertOutcome> {
    const { warehouse, log, signal, unavailable_ms } = this.#options
    const deadline = performance.now() + unavailable_ms
    for (let pause_ms: number = LIMITS.retry_ms; ; pause_ms = Math.min(pause_ms * 2, LIMITS.retry_max_ms)) {
      try {
        return await warehouse.insert(records)
      } catch (error) {
        if (!(error instanceof WarehouseUnavailable)) throw error
        if (performance.now() + pause_ms > deadline)
          throw new PartUnavailable('The call-record store', { cause: error })
        log?.warn({ err: error, records: records.length }, 'call records could not be written; trying again')
      }
      await sleep(pause_ms, undefined, signal && { signal })
    }
  }
}

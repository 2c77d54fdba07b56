/** Collects records into inserts: one batch is inserted while the next is prepared and another one filled, and there are no more in memory. */

import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../../../platform/db.ts'
import { DependencyUnavailable } from '../../../platform/unavailable.ts'
import { WarehouseBusy, WarehouseUnavailable } from '../errors.ts'
import type { CdrRecord, InsertOutcome, Warehouse } from '../types.ts'
import { LIMITS } from './limits.ts'

type BatchOptions = {
  warehouse: Pick<Warehouse, 'insert'>
  log: Log | undefined
  signal: AbortSignal | undefined
  unavailable_ms: number
  first_unavailable_ms: number
}

export class Batches {
  /** Counts of the batches inserted so far. */
  readonly outcome: InsertOutcome = { accepted: 0, duplicates: 0 }
  readonly #options: BatchOptions
  #records: CdrRecord[] = []
  #bytes = 0
  #stored = false
  /** When the first of the records was added. */
  #since = 0
  /** The last one, and the one before it. The store inserts them in this order. */
  #writing: Promise<void> = Promise.resolve()
  #before: Promise<void> = Promise.resolve()
  #failure: { error: unknown } | undefined

  constructor(options: BatchOptions) {
    this.#options = options
  }

  /**
   * Waits when three batches are full, and returns nothing where it need not wait: that is nearly always. `bytes` is the approximate size of
   * the record. Throws the error of an earlier batch.
   */
  add(record: CdrRecord, bytes: number): Promise<void> | undefined {
    if (this.#records.length === 0) this.#since = performance.now()
    this.#records.push(record)
    this.#bytes += bytes
    const full = this.#records.length >= LIMITS.batch_rows || this.#bytes >= LIMITS.batch_bytes
    return full || performance.now() - this.#since >= LIMITS.batch_ms ? this.#send() : undefined
  }

  /** Inserts the rest, and resolves when everything is durable. */
  async flush(): Promise<void> {
    if (this.#records.length > 0) await this.#send()
    await this.#written(this.settle())
  }

  /** Resolves when no insert is in progress, whether it succeeded or not. */
  async settle(): Promise<void> {
    await Promise.all([this.#before, this.#writing])
  }

  async #send(): Promise<void> {
    await this.#written(this.#before)
    this.#before = this.#writing
    const records = this.#records
    this.#records = []
    this.#bytes = 0
    this.#writing = this.#keep(records)
  }

  /** Never rejects, because it is not awaited yet. The next `add` or `flush` throws the error. */
  async #keep(records: readonly CdrRecord[]): Promise<void> {
    try {
      const { accepted, duplicates } = await this.#write(records)
      this.outcome.accepted += accepted
      this.outcome.duplicates += duplicates
    } catch (error) {
      this.#failure = { error }
    }
  }

  async #written(batch: Promise<void>): Promise<void> {
    await batch
    if (this.#failure !== undefined) throw this.#failure.error
  }

  /**
   * Retries the whole batch while the store is unavailable, which is safe: records that were inserted without a response count as duplicates
   * then. Throws DependencyUnavailable when the store stays unavailable.
   */
  async #write(records: readonly CdrRecord[]): Promise<InsertOutcome> {
    const { warehouse, log, signal, unavailable_ms, first_unavailable_ms } = this.#options
    const deadline = performance.now() + (this.#stored ? unavailable_ms : first_unavailable_ms)
    for (let pause_ms: number = LIMITS.retry_ms; ; pause_ms = Math.min(pause_ms * 2, LIMITS.retry_max_ms)) {
      try {
        const outcome = await warehouse.insert(records, { soon: !this.#stored })
        this.#stored = true
        return outcome
      } catch (error) {
        if (!(error instanceof WarehouseUnavailable)) throw error
        // nor where the batch before it was given up
        if (this.#failure !== undefined || error instanceof WarehouseBusy || performance.now() + pause_ms > deadline)
          throw new DependencyUnavailable('The call-record store', { cause: error })
        log?.warn({ err: error, records: records.length }, 'call records could not be written; trying again')
      }
      await sleep(pause_ms, undefined, signal && { signal })
    }
  }
}

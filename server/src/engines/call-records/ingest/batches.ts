/**
 * Collects records into batches. Each body has at most three in memory: one being inserted, one waiting for it, and one being filled.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../../../platform/db.ts'
import { DependencyUnavailable } from '../../../platform/unavailable.ts'
import { WarehouseBusy, WarehouseUnavailable } from '../errors.ts'
import { RecordBlock } from '../rows.ts'
import type { CdrRecord, InsertOutcome, Warehouse } from '../types.ts'
import { LIMITS } from './limits.ts'

/** State shared by all bodies that are being read. */
const shared = {
  bodies: new Set<Batches>(),
  /** Records that are not in a sent batch yet. */
  rows: 0,
  /** Batches that are not inserted yet. */
  pending: 0,
}

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
  #block = new RecordBlock()
  /** Batches that are not inserted yet. */
  #pending = 0
  #stored = false
  /** When the first record of the batch was added. */
  #since = 0
  /** The latest batch and the one before it. The store inserts them in this order. */
  #writing: Promise<void> = Promise.resolve()
  #before: Promise<void> = Promise.resolve()
  #failure: { error: unknown } | undefined

  constructor(options: BatchOptions) {
    this.#options = options
    shared.bodies.add(this)
  }

  /**
   * Waits if three batches are full; usually it need not wait and returns nothing. Throws the error of an earlier batch.
   */
  add(record: CdrRecord): Promise<void> | undefined {
    if (this.#block.rows === 0) this.#since = performance.now()
    this.#block.append(record)
    shared.rows += 1
    const { rows, size } = this.#block
    if (shared.pending === 0 && shared.rows >= LIMITS.batch_rows_idle)
      for (const body of shared.bodies) body.#sendIdle()
    else if (rows >= LIMITS.batch_rows || size >= LIMITS.batch_bytes) return this.#send()
    else if (this.#pending === 0 && rows >= LIMITS.batch_rows_idle) return this.#send()
    return performance.now() - this.#since >= LIMITS.batch_ms ? this.#send() : undefined
  }

  /** Inserts the remaining records, and resolves when everything is durable. */
  async flush(): Promise<void> {
    if (this.#block.rows > 0) await this.#send()
    await this.#written(this.settle())
  }

  /** Resolves when no insert is in progress, whether it succeeded or not. */
  async settle(): Promise<void> {
    await Promise.all([this.#before, this.#writing])
  }

  /** Call after the last use. */
  async close(): Promise<void> {
    await this.settle()
    shared.bodies.delete(this)
    shared.rows -= this.#block.rows
  }

  async #send(): Promise<void> {
    await this.#written(this.#before)
    this.#sendNow()
  }

  #sendIdle(): void {
    if (this.#pending === 0 && this.#failure === undefined) this.#sendNow()
  }

  #sendNow(): void {
    const block = this.#block
    if (block.rows === 0) return
    this.#before = this.#writing
    this.#block = new RecordBlock()
    shared.rows -= block.rows
    this.#writing = this.#keep(block, this.#before)
  }

  /** Never rejects, because it is not awaited yet. The next `add` or `flush` throws the error. */
  async #keep(block: RecordBlock, before: Promise<void>): Promise<void> {
    this.#pending += 1
    shared.pending += 1
    try {
      // the store may refuse a body only before any of it is stored
      if (!this.#stored) await this.#written(before)
      const { accepted, duplicates } = await this.#write(block)
      this.outcome.accepted += accepted
      this.outcome.duplicates += duplicates
    } catch (error) {
      this.#failure = { error }
    } finally {
      this.#pending -= 1
      shared.pending -= 1
    }
  }

  async #written(batch: Promise<void>): Promise<void> {
    await batch
    if (this.#failure !== undefined) throw this.#failure.error
  }

  /**
   * Retries the whole batch while the store is unavailable, which is safe: records inserted without a response then count as duplicates.
   * Throws DependencyUnavailable if the store stays unavailable.
   */
  async #write(block: RecordBlock): Promise<InsertOutcome> {
    const { warehouse, log, signal, unavailable_ms, first_unavailable_ms } = this.#options
    const deadline = performance.now() + (this.#stored ? unavailable_ms : first_unavailable_ms)
    for (let pause_ms: number = LIMITS.retry_ms; ; pause_ms = Math.min(pause_ms * 2, LIMITS.retry_max_ms)) {
      try {
        const outcome = await warehouse.insert(block, { soon: !this.#stored })
        this.#stored = true
        return outcome
      } catch (error) {
        if (!(error instanceof WarehouseUnavailable)) throw error
        // also stop retrying if the previous batch failed
        if (this.#failure !== undefined || error instanceof WarehouseBusy || performance.now() + pause_ms > deadline)
          throw new DependencyUnavailable('The call-record store', { cause: error })
        log?.warn({ err: error, records: block.rows }, 'inserting call records failed; retrying')
      }
      await sleep(pause_ms, undefined, signal && { signal })
    }
  }
}

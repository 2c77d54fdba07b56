import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ClickHouse } from './clickhouse.ts'
import { insertGroup } from './insert.ts'
import { LIMITS } from './limits.ts'
import { RecordBlock } from './rows.ts'
import { callRecord } from './testing/records.ts'
import type { InsertLock } from './types.ts'

/** Counts how often records are read in one turn of the event loop. */
class CountedBlock extends RecordBlock {
  static reads = 0
  static most = 0
  static #count(): void {
    CountedBlock.most = Math.max(CountedBlock.most, (CountedBlock.reads += 1))
  }
  override keyAt(row: number): string {
    CountedBlock.#count()
    return super.keyAt(row)
  }
  override hashAt(row: number): string {
    CountedBlock.#count()
    return super.hashAt(row)
  }
  override startAt(row: number): number {
    CountedBlock.#count()
    return super.startAt(row)
  }
}

/** The largest insert. */
const block = new CountedBlock()
const records = Array.from({ length: LIMITS.insert_rows }, (_, at) => callRecord({ id: `r${at}` }))
for (const record of records) block.append(record)
const claims = block.hashes().map((hash, row) => [String(BigInt(`0x${hash}`)), String(block.startAt(row)), '1'])

for (const stored_share of [0, 1 / 2, 1])
  test(`an insert reads a limited number of records in one turn, with ${stored_share * 100} % stored`, async (t) => {
    const stored = records.slice(0, records.length * stored_share).map(({ account_id, id }) => [account_id, id])
    const rows = (sql: string) => Promise.resolve(sql.includes('cdr_id') ? claims : stored)
    const clickhouse = { rows, insert: () => Promise.resolve() } as unknown as ClickHouse
    const lock: InsertLock = {
      time: () => Promise.resolve(1e15),
      recordStored: () => Promise.resolve(),
      requireLoaded: () => Promise.resolve(),
    }
    CountedBlock.most = 0
    let counting = setImmediate(function count() {
      CountedBlock.reads = 0
      counting = setImmediate(count)
    })
    t.after(() => clearImmediate(counting))
    const [outcome] = await insertGroup(
      { clickhouse, database: 'd', exclusively: (_, work) => work(lock), place: () => Promise.resolve() },
      [block],
    )
    assert.equal(outcome?.duplicates, stored.length)
    // no step reads more than three fields of a record
    assert.ok(CountedBlock.most > 0 && CountedBlock.most <= 3 * LIMITS.turn_rows, `${CountedBlock.most} reads`)
  })

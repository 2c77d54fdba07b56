import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callRecord } from '../testing/records.ts'
import type { InsertOutcome, Warehouse } from '../types.ts'
import { Batches } from './batches.ts'
import { LIMITS } from './limits.ts'

test('bodies that are read concurrently do not wait until one of them fills a batch', async (t) => {
  // no batch is sent because of its age
  t.mock.method(performance, 'now', () => 0)
  const inserted: number[] = []
  const ends: (() => void)[] = []
  const insert: Warehouse['insert'] = (block) => {
    assert.ok('rows' in block)
    const { rows } = block
    inserted.push(rows)
    return new Promise<InsertOutcome>((resolve) => ends.push(() => resolve({ accepted: rows, duplicates: 0 })))
  }
  const waits = { log: undefined, signal: undefined, unavailable_ms: 0, first_unavailable_ms: 0 }
  const bodies = Array.from({ length: 4 }, () => new Batches({ warehouse: { insert }, ...waits }))
  const share = LIMITS.batch_rows_idle / bodies.length
  const record = callRecord()
  const add = async (rows: number): Promise<void> => {
    for (let row = 0; row < rows; row += 1) for (const body of bodies) await body.add(record)
    await new Promise((resolve) => setImmediate(resolve))
  }
  await add(share - 1)
  assert.deepEqual(inserted, [])
  await add(1)
  assert.deepEqual(inserted, [share, share, share, share])
  // while they are inserted, a body keeps its records
  await add(share)
  assert.equal(inserted.length, 4)
  for (const end of ends) end()
  const flushed = Promise.all(bodies.map((body) => body.flush()))
  await new Promise((resolve) => setImmediate(resolve))
  for (const end of ends) end()
  await flushed
  for (const body of bodies) await body.close()
  assert.deepEqual(
    bodies.map(({ outcome }) => outcome.accepted),
    inserted.slice(0, 4).map((rows) => rows * 2),
  )
})

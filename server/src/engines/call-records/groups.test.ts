import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testWarehouse } from '../../../test/support/engine.ts'
import { makeSemaphore } from './concurrency.ts'
import { groupInserts } from './groups.ts'
import { LIMITS } from './limits.ts'
import { blockOf, RecordBlock } from './rows.ts'
import { ALL_TIME, callRecord } from './testing/records.ts'
import { exportedRows } from './testing/queries.ts'
import type { InsertOutcome } from './types.ts'

/** Inserts that end on request, and the blocks of each. */
function grouped(permits = makeSemaphore(1)) {
  const groups: (readonly RecordBlock[])[] = []
  const ends: ((error?: Error) => void)[] = []
  const insert = groupInserts((blocks) => {
    groups.push(blocks)
    return new Promise<InsertOutcome[]>((resolve, reject) => {
      ends.push((error) => {
        if (error === undefined) resolve(blocks.map(({ rows }) => ({ accepted: rows, duplicates: 0 })))
        else reject(error)
      })
    })
  })
  const add = (block: RecordBlock): Promise<InsertOutcome> => insert(block, (joined) => permits(joined))
  return { groups, ends, add, insert }
}

const block = (rows: number): RecordBlock =>
  blockOf(...Array.from({ length: rows }, (_, at) => callRecord({ id: `${at}` })))
/** Lets all pending callbacks run. */
const settled = () => new Promise((resolve) => setImmediate(resolve))

/** Adds the first block, and the others once it has its turn. */
async function begunWithFirst(
  [first = block(1), ...others]: readonly RecordBlock[],
  add: (block: RecordBlock) => Promise<InsertOutcome>,
): Promise<Promise<InsertOutcome>[]> {
  const begun = add(first)
  await settled()
  return [begun, ...others.map(add)]
}

test('inserts that wait for the same turn are combined, and each gets its own outcome', async () => {
  const { groups, ends, add } = grouped()
  const blocks = [1, 2, 3].map(block)
  const outcomes = await begunWithFirst(blocks, add)
  assert.deepEqual(groups, [blocks.slice(0, 1)])
  ends[0]?.()
  await settled()
  assert.deepEqual(groups[1], blocks.slice(1))
  ends[1]?.()
  assert.deepEqual(
    (await Promise.all(outcomes)).map(({ accepted }) => accepted),
    [1, 2, 3],
  )
  assert.equal(groups.length, 2)
})

test('an error fails every insert of its group and no others', async () => {
  const { ends, add } = grouped()
  const [first, ...others] = await begunWithFirst([block(1), block(1), block(1)], add)
  ends[0]?.()
  await first
  await settled()
  const failed = Promise.all(others.map((each) => assert.rejects(each, /broken/)))
  const last = add(block(1))
  ends[1]?.(new Error('broken'))
  await failed
  await settled()
  ends[2]?.()
  assert.deepEqual(await last, { accepted: 1, duplicates: 0 })
})

test('a group does not exceed the size of one INSERT, and preserves order', async () => {
  class Large extends RecordBlock {
    override rows = LIMITS.insert_rows / 2 + 1
  }
  const { groups, ends, add } = grouped()
  const blocks = [block(1), new Large(), new Large(), block(1)]
  const outcomes = await begunWithFirst(blocks, add)
  for (const at of [0, 1, 2]) {
    ends[at]?.()
    await settled()
  }
  await Promise.all(outcomes)
  assert.deepEqual(groups, [blocks.slice(0, 1), blocks.slice(1, 2), blocks.slice(2)])
})

test('an insert whose turn is rejected is not inserted with others', async () => {
  const permits = makeSemaphore(1)
  const { groups, ends, add, insert } = grouped(permits)
  const first = add(block(1))
  await settled()
  await assert.rejects(
    insert(block(7), () => Promise.reject(new Error('busy'))),
    /busy/,
  )
  const second = add(block(2))
  ends[0]?.()
  await settled()
  ends[1]?.()
  await Promise.all([first, second])
  assert.deepEqual(
    groups.map((each) => each.map(({ rows }) => rows)),
    [[1], [2]],
  )
})

test('concurrent deliveries with overlapping ids store the first record of each id', async () => {
  const { warehouse } = await testWarehouse()
  const account_id = '77'
  const delivery = (from: number) =>
    Array.from({ length: 600 }, (_, at) =>
      callRecord({
        account_id,
        id: `r${String(from + at).padStart(4, '0')}`,
        number_alias: `from ${from}`,
        // a different time in every delivery, so the table's key alone cannot identify the record
        start_time: new Date(Date.UTC(2025, 2, 1, 0, 0, from)),
      }),
    )
  const starts = [0, 300, 600, 0, 450]
  const outcomes = await Promise.all(starts.map((from) => warehouse.insert(delivery(from))))
  const accepted = outcomes.reduce((sum, each) => sum + each.accepted, 0)
  assert.equal(accepted, 1200)
  for (const { accepted, duplicates } of outcomes) assert.equal(accepted + duplicates, 600)
  const rows = await exportedRows(warehouse, { account_id, filter: ALL_TIME })
  assert.equal(rows.length, 1200)
  assert.equal(rows.filter((row) => row['number_alias'] === 'from 450').length, 0, 'an earlier delivery has them all')
  assert.deepEqual(await warehouse.insert(delivery(300)), { accepted: 0, duplicates: 600 })
})

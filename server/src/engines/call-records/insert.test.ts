import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { ACCOUNT, ALL_TIME, callRecord } from './testing/records.ts'
import { retryUntilAvailable, testEngine, testWarehouse, through_shards } from '../../../test/support/engine.ts'
import { WarehouseUnavailable } from './errors.ts'
import { blockOf } from './rows.ts'
import { CLAIMED, INSERTED } from './schema.ts'
import { BATCH, numberedBatch } from './testing/numbered-batch.ts'
import { exportedRows, totalsOf } from './testing/queries.ts'
import type { CdrRecord, MonthSums } from './types.ts'
import { openWarehouse } from './warehouse.ts'

const store = await testWarehouse()
const { warehouse, clickhouse, at, database } = store
let accounts = 0

/** A new account that no other test uses, and its records. */
function fresh() {
  const account_id = String(90_000 + (accounts += 1))
  const query = { account_id, filter: ALL_TIME }
  return {
    account_id,
    record: (overrides: Partial<CdrRecord>) => callRecord({ account_id, ...overrides }),
    stored: async () => (await exportedRows(warehouse, query)).map((row) => row['number_alias']),
    count: () => warehouse.count(query),
    totals: () => totalsOf(warehouse, query),
  }
}

describe('a record', () => {
  test('delivered again is a duplicate and is stored once', async () => {
    const { record, count } = fresh()
    const batch = ['a', 'b', 'c'].map((id) => record({ id }))
    assert.deepEqual(await warehouse.insert(batch), { accepted: 3, duplicates: 0 })
    assert.deepEqual(await warehouse.insert([...batch, record({ id: 'd' })]), { accepted: 1, duplicates: 3 })
    assert.equal(await count(), 4)
  })

  test('delivered twice in one batch is stored as delivered first', async () => {
    const { record, stored } = fresh()
    const batch = ['first', 'second'].map((number_alias) => record({ id: 'a', number_alias }))
    assert.deepEqual(await warehouse.insert(batch), { accepted: 1, duplicates: 1 })
    assert.deepEqual(await stored(), ['first'])
  })

  for (const start_time of ['2025-03-01T12:00:00.001Z', '2019-11-30T00:00:00.000Z']) {
    test(`delivered again with start time ${start_time} stays as delivered first`, async () => {
      const { record, stored } = fresh()
      await warehouse.insert([record({ id: 'a', number_alias: 'first' })])
      const again = record({ id: 'a', number_alias: 'second', start_time: new Date(start_time) })
      assert.deepEqual(await warehouse.insert([again]), { accepted: 0, duplicates: 1 })
      assert.deepEqual(await stored(), ['first'])
    })
  }

  test('with the same id in another account is a different record', async () => {
    const [one, other] = [fresh(), fresh()]
    assert.deepEqual(await warehouse.insert([one.record({ id: 'a' }), other.record({ id: 'a' })]), {
      accepted: 2,
      duplicates: 0,
    })
    assert.deepEqual([await one.count(), await other.count()], [1, 1])
  })

  test('is identified by the exact bytes of its id', async () => {
    const { record, count } = fresh()
    const ids = ["it's", 'nul\0', '😀', '\ud800']
    await warehouse.insert(ids.map((id) => record({ id })))
    const again = [...ids, 'nul', '', "' OR 1"].map((id) => record({ id }))
    assert.deepEqual(await warehouse.insert(again), { accepted: 3, duplicates: 4 })
    assert.equal(await count(), 7)
  })

  test('with values at the limits of every range is stored exactly', async () => {
    const { record, totals } = fresh()
    const batch = [
      record({
        id: 'a',
        start_time: new Date('1900-01-01T00:00:00.000Z'),
        cost_subtotal: '999999999.99999999',
        connect_fee: '999999999.99999999',
      }),
      record({
        id: 'b',
        start_time: new Date('2299-12-31T23:59:59.998Z'),
        cost_subtotal: '-999999999.99999999',
        usf_fee: '0.00000001',
        billed_duration: 4_294_967_295,
      }),
    ]
    assert.deepEqual(await warehouse.insert(batch), { accepted: 2, duplicates: 0 })
    const { total_cost, call_subtotal, billed_seconds } = await totals()
    assert.deepEqual([total_cost, call_subtotal, billed_seconds], ['1000000000.002', '0', '4294967355'])
  })

  test('may share a batch with records from many months', async () => {
    const { record, count } = fresh()
    await warehouse.insert(
      Array.from({ length: 120 }, (_, month) =>
        record({ id: `m${month}`, start_time: new Date(Date.UTC(1990, month, 1)) }),
      ),
    )
    assert.equal(await count(), 120)
  })

  for (const [what, overrides] of Object.entries({
    'nine decimal places': { rate: '0.123456789' },
    'a billion dollars': { usf_fee: '1000000000' },
    'an exponent': { ccrf: '1e-3' },
    'half a second': { duration: 1.5 },
    'a negative duration': { billed_duration: -1 },
    'a day that does not exist': { end_time: new Date('2025-02-31T99:00:00Z') },
    'the year 1899': { start_time: new Date('1899-12-31T23:59:59.999Z') },
  })) {
    test(`with ${what} is rejected together with its batch`, async () => {
      const { record, count } = fresh()
      await assert.rejects(warehouse.insert([record({ id: 'good' }), record({ id: 'bad', ...overrides })]), RangeError)
      assert.equal(await count(), 0)
    })
  }
})

describe('a batch', () => {
  test('delivered concurrently by two processes without a lock is stored once', async () => {
    const { record, count, totals } = fresh()
    const other = openWarehouse(store.options)
    after(() => other.close())
    const batch = Array.from({ length: 2000 }, (_, index) => record({ id: `r${index}`, cost_subtotal: '0.00000001' }))
    await Promise.all([warehouse.insert(batch), other.insert(batch), warehouse.insert(batch), other.insert(batch)])
    assert.equal(await count(), 2000)
    assert.equal((await totals()).call_subtotal, '0.00002')
    assert.deepEqual(await warehouse.insert(batch), { accepted: 0, duplicates: 2000 })
  })

  test('is inserted under the given lock, within which its sums are recorded', async () => {
    const { account_id, record, count } = fresh()
    let inside = 0
    let time_us = Date.now() * 1000
    const recorded: MonthSums[] = []
    const locked = openWarehouse({
      ...store.options,
      exclusively: async (accounts, work) => {
        assert.deepEqual([...accounts], [account_id])
        assert.equal((inside += 1), 1)
        const lock = {
          time: () => Promise.resolve((time_us += 1)),
          recordStored: async (months: readonly MonthSums[]) => void recorded.push(...months),
          requireLoaded: () => Promise.resolve(),
        }
        return work(lock).finally(() => (inside -= 1))
      },
    })
    after(() => locked.close())
    await Promise.all(['a', 'b', 'a', 'b'].map((id) => locked.insert([record({ id })])))
    assert.equal(await count(), 2)
    assert.equal(
      recorded.reduce((sum, { num_calls }) => sum + num_calls, 0),
      2,
    )
  })

  test('from a sender killed at any moment is complete and has no duplicates after redelivery', async () => {
    const batches = 5
    const program = join(import.meta.dirname, 'testing/sender.ts')
    const address = 'url' in at ? at.url : at.socket
    for (const delay_ms of [0, 12, 40]) {
      const sender = fork(program, [address, database, String(batches), ...(through_shards ? ['shards'] : [])], {
        execArgv: [],
      })
      const exited = once(sender, 'exit')
      await Promise.race([once(sender, 'message'), exited])
      await sleep(delay_ms)
      sender.kill('SIGKILL')
      await exited
    }
    for (let batch = 0; batch < batches; batch += 1) {
      const { accepted, duplicates } = await warehouse.insert(numberedBatch(batch))
      assert.equal(accepted + duplicates, BATCH)
    }
    const total = batches * BATCH
    const { num_calls, call_subtotal } = await totalsOf(warehouse, { account_id: ACCOUNT, filter: ALL_TIME })
    assert.equal(num_calls, total)
    assert.equal(call_subtotal, `0.0${(total * (total + 1)) / 2}`.replace(/0+$/, ''))
  })
})

describe('a claim', () => {
  const OTHER_TIME = new Date('2025-01-01T00:00:00Z')

  test('whose record was never inserted does not block the record', async () => {
    const { account_id, record, count } = fresh()
    await claim(account_id, 'a', OTHER_TIME, 1)
    assert.deepEqual(await warehouse.insert([record({ id: 'a' })]), { accepted: 1, duplicates: 0 })
    assert.equal(await count(), 1)
  })

  test('whose record may still be in flight makes the insert wait', async () => {
    const { account_id, record, stored } = fresh()
    await claim(account_id, 'a', OTHER_TIME)
    const inserted = warehouse.insert([record({ id: 'a', number_alias: 'second' })])
    await sleep(700)
    const late = record({ id: 'a', number_alias: 'first', start_time: OTHER_TIME })
    await clickhouse.insert(`${database}.cdr`, INSERTED, [blockOf(late).encode(Date.now() * 1000)])
    assert.deepEqual(await inserted, { accepted: 0, duplicates: 1 })
    assert.deepEqual(await stored(), ['first'])
  })
})

describe('an insert', { skip: 'url' in at && 'needs the embedded engine' }, () => {
  test('during which the engine is killed fails as unavailable or succeeds, and a retry completes it', async () => {
    const engine = await testEngine()
    const own = openWarehouse({ at: { socket: engine.socket } })
    after(() => own.close())
    await own.ensureSchema()
    for (let batch = 0; batch < 3; batch += 1) {
      const inserted = own.insert(numberedBatch(batch)).catch((error: unknown) => {
        assert.ok(error instanceof WarehouseUnavailable)
      })
      await sleep(batch * 20)
      process.kill(engine.pid() ?? assert.fail('no engine runs'), 'SIGKILL')
      await inserted
      await retryUntilAvailable(() => own.insert(numberedBatch(batch)))
    }
    assert.equal(await own.count({ account_id: ACCOUNT, filter: ALL_TIME }), 3 * BATCH)
  })
})

/** Leaves the claim of a sender that was killed before inserting the record. */
async function claim(account_id: string, id: string, start_time: Date, claimed_us = Date.now() * 1000): Promise<void> {
  const block = blockOf(callRecord({ account_id, id, start_time }))
  await clickhouse.insert(`${database}.cdr_id`, CLAIMED, [block.encodeClaims(claimed_us)])
}

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { closeBeforeDatabase, testDatabase } from '../../test/support/database.ts'
import { testEngine } from '../../test/support/engine.ts'
import { eventually } from '../../test/support/eventually.ts'
import { LIMITS } from '../engines/call-records/limits.ts'
import { ALL_TIME, callRecord } from '../engines/call-records/testing/records.ts'
import { exportedRows } from '../engines/call-records/testing/queries.ts'
import type { InsertLock } from '../engines/call-records/types.ts'
import { openWarehouse } from '../engines/call-records/warehouse.ts'
import { openDatabase } from '../platform/db.ts'
import { silentLog } from '../platform/postgres/log.ts'
import { lockInserts } from './ledger.ts'
import { findMonth } from './ledger-store.ts'
import { lock_shards, withAccountsLocked } from './lock-store.ts'

/** Each process has its own connections to one database, and its own warehouse of one engine. */

const engine = await testEngine()
const database = await testDatabase()
const { db } = database

type Around = (lock: InsertLock) => InsertLock

/** A process whose lock a test can observe. */
function openProcess(around: Around = (lock) => lock) {
  const own = openDatabase({ connection: database.url, log: silentLog })
  const exclusively = lockInserts(own.db)
  const warehouse = openWarehouse({
    at: { socket: engine.socket },
    exclusively: (accounts, work) => exclusively(accounts, (lock) => work(around(lock))),
  })
  closeBeforeDatabase(async () => {
    await warehouse.close()
    await own.close()
  })
  return warehouse
}

const [one, two] = [openProcess(), openProcess()]
await one.ensureSchema()

/** Accounts of one shard follow each other by `lock_shards`. */
let shard = 0
const newShard = () => String(lock_shards * 100 + (shard += 1))
const sameShard = (account_id: string) => String(BigInt(account_id) + BigInt(lock_shards))

const [early, late] = [new Date('2025-03-01T00:00:00Z'), new Date('2025-03-02T00:00:00Z')]
const ledgerOf = async (account_id: string) => (await findMonth(db, { account_id, month: '2025-03' })).num_calls
const storedOf = async (account_id: string) =>
  (await exportedRows(one, { account_id, filter: ALL_TIME })).map((row) => row['number_alias'])

/** Ends the sessions that hold locks of shards, as a lost connection would. */
async function loseLocks(): Promise<void> {
  const { rows } = await sql<{ ended: boolean }>`select pg_terminate_backend(pid, 60000) as ended from pg_locks
    where locktype = 'advisory' and objsubid = 2 and granted
      and database = (select oid from pg_database where datname = current_database())`.execute(db)
  assert.deepEqual(rows, [{ ended: true }])
}

const someoneWaits = async () =>
  (
    await sql`select from pg_locks where locktype = 'advisory' and objsubid = 2 and not granted
      and database = (select oid from pg_database where datname = current_database())`.execute(db)
  ).rows.length > 0

/** Calls `then` before the nth time that the lock returns. */
const beforeTime =
  (nth: number, then: () => Promise<void>): Around =>
  (lock) => {
    let calls = 0
    return {
      ...lock,
      time: async () => {
        if ((calls += 1) === nth) await then()
        return await lock.time()
      },
    }
  }

test('two processes store each record once, and the ledger has exactly those', async () => {
  const accounts = [newShard(), newShard(), newShard()]
  const delivery = (from: number) =>
    accounts.flatMap((account_id) =>
      Array.from({ length: 100 }, (_, at) =>
        callRecord({ account_id, id: `r${from + at}`, start_time: new Date(+early + from) }),
      ),
    )
  const starts = [0, 50, 100, 0, 150, 100]
  const outcomes = await Promise.all(starts.map((from, at) => (at % 2 ? one : two).insert(delivery(from))))
  const accepted = outcomes.reduce((sum, each) => sum + each.accepted, 0)
  assert.equal(accepted, 750)
  for (const account_id of accounts) {
    assert.equal((await storedOf(account_id)).length, 250)
    assert.equal(await ledgerOf(account_id), 250)
  }
})

for (const [step, nth] of Object.entries({ 'claims the id': 1, 'inserts the record': 2 }))
  test(`a process that loses its lock before it ${step} cannot insert beside the next one`, async () => {
    const account_id = newShard()
    const first = callRecord({ account_id, id: 'a', start_time: early, number_alias: 'first' })
    const second = callRecord({ account_id, id: 'a', start_time: late, number_alias: 'second' })
    const next = openProcess((lock) => ({
      ...lock,
      // an insert of the process that lost its lock would have ended by now
      time: async () => (await lock.time()) + LIMITS.insert_settled_seconds * 1e6,
    }))
    const loser = openProcess(
      beforeTime(nth, async () => {
        await loseLocks()
        assert.deepEqual(await next.insert([second]), { accepted: 1, duplicates: 0 })
      }),
    )
    await assert.rejects(loser.insert([first]))
    assert.deepEqual(await storedOf(account_id), ['second'])
    assert.deepEqual(await one.insert([first]), { accepted: 0, duplicates: 1 })
    assert.equal(await ledgerOf(account_id), 1)
  })

test('a record whose process lost its lock is not claimed for another time until it cannot appear anymore', async () => {
  const account_id = newShard()
  let waited_us = 0
  let looked = 0
  const next = openProcess((lock) => ({
    ...lock,
    time: async () => {
      looked += 1
      return (await lock.time()) + waited_us
    },
  }))
  const loser = openProcess(beforeTime(2, loseLocks))
  await assert.rejects(loser.insert([callRecord({ account_id, id: 'a', start_time: early })]))
  const inserted = next.insert([callRecord({ account_id, id: 'a', start_time: late })])
  await eventually(() => looked >= 2)
  assert.deepEqual(await storedOf(account_id), [])
  // meanwhile nobody waits for its lock
  assert.deepEqual(await one.insert([callRecord({ account_id, id: 'b' })]), { accepted: 1, duplicates: 0 })
  waited_us = LIMITS.insert_settled_seconds * 1e6
  assert.deepEqual(await inserted, { accepted: 1, duplicates: 0 })
  assert.equal(await ledgerOf(account_id), 2)
})

test('records whose process loses its lock before the ledger has them are stored, once, and not in the ledger', async () => {
  const account_id = newShard()
  const records = [callRecord({ account_id, id: 'a' }), callRecord({ account_id, id: 'b' })]
  const loser = openProcess((lock) => ({
    ...lock,
    recordStored: async (months) => {
      await loseLocks()
      await lock.recordStored(months)
    },
  }))
  await assert.rejects(loser.insert(records))
  assert.equal(await ledgerOf(account_id), 0)
  assert.deepEqual(await one.insert(records), { accepted: 0, duplicates: 2 })
  assert.equal((await storedOf(account_id)).length, 2)
})

test('inserts of two shards run at the same time, and of one shard one after the other', async () => {
  const account_id = newShard()
  const order: string[] = []
  const holder = openProcess(
    beforeTime(2, async () => {
      // another shard, while this insert holds its lock
      await two.insert([callRecord({ account_id: newShard() })])
      order.push('other shard')
      const waiting = two.insert([callRecord({ account_id: sameShard(account_id) })])
      same_shard = waiting.then(() => void order.push('same shard'))
      await eventually(someoneWaits)
    }),
  )
  let same_shard = Promise.resolve()
  await holder.insert([callRecord({ account_id })])
  order.push('holder')
  await same_shard
  // the second insert may end before the first one's promise resolves
  assert.equal(order[0], 'other shard')
  assert.deepEqual(order.toSorted(), ['holder', 'other shard', 'same shard'])
})

test('inserts of the same accounts in any order never wait for each other in a circle', async () => {
  const accounts = Array.from({ length: 2 * lock_shards }, newShard)
  const insert = (warehouse: typeof one, ids: readonly string[], id: string) =>
    warehouse.insert(ids.map((account_id) => callRecord({ account_id, id })))
  const both = ['a', 'b', 'c'].flatMap((id) => [insert(one, accounts, id), insert(two, accounts.toReversed(), id)])
  const accepted = (await Promise.all(both)).reduce((sum, each) => sum + each.accepted, 0)
  assert.equal(accepted, 3 * accounts.length)
})

test('an exclusive lock of all accounts waits for inserts of any', async () => {
  let all = Promise.resolve()
  const order: string[] = []
  const holder = openProcess((lock) => ({
    ...lock,
    recordStored: async (months) => {
      all = withAccountsLocked(db, 'all', async () => void order.push('all'))
      const waits = sql`select from pg_locks where locktype = 'advisory' and objsubid = 1 and not granted
        and database = (select oid from pg_database where datname = current_database())`
      await eventually(async () => (await waits.execute(db)).rows.length > 0)
      order.push('insert')
      await lock.recordStored(months)
    },
  }))
  await holder.insert([callRecord({ account_id: newShard() })])
  await all
  assert.deepEqual(order, ['insert', 'all'])
})

test('the time of the lock increases although the clock was set back and a transaction failed', async () => {
  const ahead_us = (Date.now() + 3600_000) * 1000
  await sql`select setval('cdr_arrival', ${ahead_us}::bigint)`.execute(db)
  const times: number[] = []
  const take = () => withAccountsLocked(db, ['1'], async (_tx, time) => void times.push(await time(), await time()))
  await take()
  await assert.rejects(
    withAccountsLocked(db, ['1'], async (_tx, time) => {
      times.push(await time())
      throw new Error('rolled back')
    }),
    /rolled back/,
  )
  await take()
  assert.deepEqual(
    times,
    [1, 2, 3, 4, 5].map((count) => ahead_us + count),
  )
})

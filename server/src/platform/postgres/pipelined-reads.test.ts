import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { testDatabase } from '../../../test/support/database.ts'
import { startTcpProxy } from '../../../test/support/tcp-proxy.ts'
import { inTransaction, openDatabase, readRows, sqlState } from '../db.ts'
import { readById, readByKey } from '../rows.ts'
import { silentLog } from './log.ts'

const { pool, url } = await testDatabase(undefined, { migrated: false })
await pool.query(`
  create table crate (account_id bigint, id bigint primary key, weight numeric, packed_at timestamptz);
  insert into crate select n % 2, n, n / 2.0, '2026-02-28T12:00:00Z' from generate_series(1, 100) as n;
  insert into crate values (1, 101)`)
const text = 'select id, weight, packed_at from crate where id = $1'

function open(t: { after(close: () => unknown): void }, connection = url, pool_size = 1) {
  const database = openDatabase({ connection, pool_size, log: silentLog })
  t.after(() => database.close())
  const checkouts = { count: 0 }
  database.pool.on('acquire', () => (checkouts.count += 1))
  return { ...database, checkouts }
}

const idsOf = async (reads: Promise<{ id: string }[]>[]) => (await Promise.all(reads)).map(([row]) => row?.id)

test('reads of one turn of the event loop share a connection, and each has its own rows', async (t) => {
  const { db, checkouts } = open(t)
  const ids = Array.from({ length: 16 }, (_, i) => String(i + 1))
  assert.deepEqual(await idsOf(ids.map((id) => readRows<{ id: string }>(db, text, [id]))), ids)
  assert.equal(checkouts.count, 1)
  await readRows(db, text, ['1'])
  assert.equal(checkouts.count, 2)
})

test('an array arrives unchanged, whatever its texts contain', async (t) => {
  const { db } = open(t)
  const texts = ['', ' ', '"', '\\', '{}', 'a,b', 'NULL', 'Ñ 東', "it's\n"]
  for (const array of [texts, []])
    assert.deepEqual(await readRows(db, 'select $1::text[] as array', [array]), [{ array }])
})

test('more reads than one connection allows all finish', async (t) => {
  const { db } = open(t, url, 3)
  const ids = Array.from({ length: 100 }, (_, i) => String(i + 1))
  assert.deepEqual(await idsOf(ids.map((id) => readRows<{ id: string }>(db, text, [id]))), ids)
})

test('a row has the same types as in any other query, whether its statement is new or already prepared', async (t) => {
  const { db } = open(t)
  for (let round = 0; round < 3; round += 1) {
    assert.deepEqual(await readRows(db, text, ['3']), [
      { id: '3', weight: '1.5000000000000000', packed_at: new Date('2026-02-28T12:00:00Z') },
    ])
    assert.deepEqual(await readRows(db, text, ['101']), [{ id: '101', weight: null, packed_at: null }])
    assert.deepEqual(await readRows(db, text, [null]), [])
  }
})

test('a failed read does not affect the reads before and after it on its connection', async (t) => {
  const { db } = open(t)
  const reads = ['1', '2', 'no number', '4', '5'].map((id) => readRows<{ id: string }>(db, text, [id]))
  const settled = await Promise.allSettled(reads)
  assert.deepEqual(
    settled.map((s) => (s.status === 'fulfilled' ? s.value[0]?.id : sqlState(s.reason))),
    ['1', '2', '22P02', '4', '5'],
  )
})

test('a failed statement is prepared again and does not affect the others', async (t) => {
  const { db } = open(t)
  const count = 'select count(*)::int as n from crate where weight < $1'
  for (let round = 0; round < 3; round += 1) {
    const [failed, one, counted] = await Promise.allSettled([
      readRows(db, 'select $1::int / 0 as n', ['1']),
      readRows(db, text, ['1']),
      readRows(db, count, ['2']),
    ])
    assert.equal(failed.status === 'rejected' && sqlState(failed.reason), '22012')
    assert.equal(one.status === 'fulfilled' && one.value.length, 1)
    assert.deepEqual(counted.status === 'fulfilled' && counted.value, [{ n: 3 }])
  }
})

test('a statement is prepared once per connection', async (t) => {
  const { db, pool: own } = open(t)
  for (let round = 0; round < 5; round += 1) await readRows(db, text, ['1'])
  const { rows } = await own.query<{ statement: string; runs: string }>(
    'select statement, generic_plans + custom_plans as runs from pg_prepared_statements',
  )
  assert.deepEqual(rows, [{ statement: text, runs: '5' }])
})

test('a read of a table with changed columns is repeated with a new plan', async (t) => {
  const { db } = open(t)
  const all = 'select * from box where id = $1'
  await pool.query('create table box (id int); insert into box values (1)')
  assert.deepEqual(await readRows(db, all, ['1']), [{ id: 1 }])
  await pool.query(`alter table box add column size text default 'small'`)
  assert.deepEqual(await readRows(db, all, ['1']), [{ id: 1, size: 'small' }])
})

test('a lost connection fails the reads in progress on it, and the next reads work', async (t) => {
  const proxy = await startTcpProxy(url)
  const { db } = open(t, proxy.url)
  await readRows(db, text, ['1'])
  const sleeping = ['1', '2'].map((id) => readRows(db, 'select pg_sleep(30), $1::int', [id]))
  const refused = Promise.all(sleeping.map((read) => assert.rejects(read)))
  const begun = async () =>
    (await pool.query(`select from pg_stat_activity where query like 'select pg_sleep(30)%'`)).rowCount !== 0
  while (!(await begun()));
  await proxy.disconnect()
  await refused
  await proxy.reconnect()
  assert.deepEqual(await idsOf([readRows<{ id: string }>(db, text, ['2'])]), ['2'])
})

test('in a transaction a read sees what the transaction has written', async (t) => {
  const { db } = open(t)
  await assert.rejects(
    inTransaction(db, async (tx) => {
      await sql`delete from crate where id = 7`.execute(tx)
      assert.deepEqual(await readRows(tx, text, ['7']), [])
      throw new Error('rolled back')
    }),
    /rolled back/,
  )
  assert.equal((await readRows(db, text, ['7'])).length, 1)
})

test('a read by key is restricted to its actor’s account, wherever the condition is in the statement', async (t) => {
  const { db } = open(t)
  const between = readByKey(
    (visible, below, above) =>
      sql<{
        id: string
      }>`select id from crate where id < ${below} and ${visible('account_id')} and id > ${above} order by id`,
  )
  const ids = async (account_id: string | null) => (await between(db, { account_id }, '6', '2')).map(({ id }) => id)
  assert.deepEqual(await ids(null), ['3', '4', '5'])
  assert.deepEqual(await ids('1'), ['3', '5'])
  assert.deepEqual(await ids('0'), ['4'])
})

test('a row is read by its id for its own account, and for actors that see every account', async (t) => {
  const { db } = open(t)
  const crateById = readById<{ id: string; weight: string }>('crate' as never, ['id', 'weight'])
  const actor = (account_id: string | null) => ({ kind: 'system', account_id, job: 'test' }) as const
  const crate = { id: '9', weight: '4.5000000000000000' }
  assert.deepEqual(await crateById(db, actor('1'), '9'), crate)
  assert.deepEqual(await crateById(db, actor(null), '9'), crate)
  assert.equal(await crateById(db, actor('0'), '9'), undefined)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import { testDatabase } from '../../test/support/database.ts'
import { constraintOf, inTransaction, openDatabase, sqlState } from './db.ts'
import { StatementNames, StatementPool } from './postgres/named-statements.ts'
import { silentLog } from './postgres/log.ts'
import { retryableProblem } from './unavailable.ts'

const { db, pool, url } = await testDatabase(undefined, { migrated: false })
await pool.query(`
  create table parcel (id bigint primary key, weight numeric not null constraint parcel_weight_positive check (weight > 0));
  create table label (parcel_id bigint constraint label_parcel references parcel, code text constraint label_code unique)`)

test('dates, bigints and decimals are the text that Postgres sent, alone and in arrays', async () => {
  const { rows } = await sql<Record<string, unknown>>`
    select date '2026-02-28' as day, array[date '2026-02-28'] as days,
           9007199254740993::bigint as id, array[9007199254740993::bigint] as ids,
           0.10000000::numeric as price, array[0.10000000::numeric, null] as prices`.execute(db)
  assert.deepEqual(rows, [
    {
      day: '2026-02-28',
      days: ['2026-02-28'],
      id: '9007199254740993',
      ids: ['9007199254740993'],
      price: '0.10000000',
      prices: ['0.10000000', null],
    },
  ])
})

test('a timestamp is the same instant, and its date is that in UTC', async () => {
  const at = new Date('2026-03-01T00:30:00.123Z')
  const { rows } = await sql`select ${at}::timestamptz as at, ${at}::timestamptz::date as day`.execute(db)
  assert.deepEqual(rows, [{ at, day: '2026-03-01' }])
})

test('a statement that repeats is prepared once, one that does not is not', async (t) => {
  const single = await openSingle(t)
  for (let round = 0; round < 4; round += 1) await sql`select ${round}::int as repeated`.execute(single.db)
  await sql`select ${1}::int as once`.execute(single.db)
  const { rows } = await single.pool.query<{ statement: string; runs: string }>(
    'select statement, generic_plans + custom_plans as runs from pg_prepared_statements',
  )
  assert.deepEqual(rows, [{ statement: 'select $1::int as repeated', runs: '3' }])
})

test('only repeated statements with parameters are named, and only a bounded number of them', () => {
  const names = new StatementNames()
  assert.equal(names.nameOf('begin', 0), undefined)
  assert.equal(names.nameOf('begin', 0), undefined)
  const assigned = new Set<string>()
  for (let index = 0; index < 10_000; index += 1) {
    assert.equal(names.nameOf(`select $1 as c${index}`, 1), undefined)
    const name = names.nameOf(`select $1 as c${index}`, 1)
    if (name !== undefined) assigned.add(name)
  }
  assert.equal(assigned.size, 500)
  assert.ok(assigned.has(names.nameOf('select $1 as c0', 1) ?? ''))
})

test('a statement for a table with changed columns is repeated with a new plan', async (t) => {
  const single = await openSingle(t)
  const read = () => sql`select * from crate where id = ${1}`.execute(single.db)
  await sql`create table crate (id int); insert into crate values (1)`.execute(single.db)
  await read()
  await read()
  await pool.query(`alter table crate add column size text default 'small'`)
  assert.deepEqual((await read()).rows, [{ id: 1, size: 'small' }])
  await read()
  await read()
  await pool.query(`alter table crate alter column id type bigint`)
  const in_transaction = inTransaction(single.db, (tx) => sql`select * from crate where id = ${1}`.execute(tx))
  await assert.rejects(in_transaction, (error) => retryableProblem(error)?.type === 'not-ready')
})

test('a connection that stops responding is closed and not reused', async (t) => {
  const slow = new pg.Pool({ connectionString: url, max: 1 })
  t.after(() => slow.end())
  const named = new StatementPool(slow, { silence_ms: 300 }).forKysely()
  const before = await named.connect()
  const { processID } = before
  await assert.rejects(before.query('select pg_sleep(30)', []), { code: 'ETIMEDOUT' })
  before.release()
  const next = await named.connect()
  const { rows } = await next.query<{ pid: number }>('select pg_backend_pid() as pid', [])
  assert.notEqual(rows[0]?.pid, processID)
  next.release()
})

test('an error thrown in a transaction rolls it back', async () => {
  await assert.rejects(
    inTransaction(db, async (tx) => {
      await sql`insert into parcel values (10, 1)`.execute(tx)
      throw new Error('changed our mind')
    }),
    /changed our mind/,
  )
  assert.deepEqual((await sql`select id from parcel where id = 10`.execute(db)).rows, [])
})

test('a transaction with a failed statement cannot commit silently', async () => {
  await assert.rejects(
    inTransaction(db, async (tx) => {
      await sql`insert into parcel values (11, 1)`.execute(tx)
      await sql`select 1 / 0`.execute(tx).catch(() => 'the error is swallowed')
    }),
    { name: 'AbortedTransactionError' },
  )
  assert.deepEqual((await sql`select id from parcel where id = 11`.execute(db)).rows, [])
})

test('a refused row has the SQLSTATE and the name of the constraint', async () => {
  await sql`insert into parcel values (20, 1); insert into label values (20, 'A')`.execute(db)
  const refusals = [
    { row: sql`insert into label values (20, 'A')`, state: '23505', constraint: 'label_code' },
    { row: sql`insert into label values (99, 'B')`, state: '23503', constraint: 'label_parcel' },
    { row: sql`insert into parcel values (21, 0)`, state: '23514', constraint: 'parcel_weight_positive' },
    { row: sql`select 1 / 0`, state: '22012', constraint: undefined },
  ]
  for (const { row, state, constraint } of refusals) {
    await assert.rejects(row.execute(db), (error) => sqlState(error) === state && constraintOf(error) === constraint)
  }
  assert.equal(sqlState(new Error('23505')), undefined)
  assert.equal(constraintOf('23505'), undefined)
})

test('PostgreSQL cancels a statement that runs or waits too long', async (t) => {
  const hasty = openDatabase({ connection: url, statement_timeout_ms: 200, lock_timeout_ms: 50, log: silentLog })
  t.after(hasty.close)
  await assert.rejects(sql`select pg_sleep(30)`.execute(hasty.db), (error) => sqlState(error) === '57014')
  await sql`insert into parcel values (30, 1)`.execute(db)
  await inTransaction(db, async (tx) => {
    await sql`update parcel set weight = 2 where id = 30`.execute(tx)
    const blocked = sql`update parcel set weight = 3 where id = 30`.execute(hasty.db)
    await assert.rejects(blocked, (error) => sqlState(error) === '55P03')
  })
})

test('the pool survives the loss of its idle connections', async (t) => {
  const single = await openSingle(t)
  const lost = new Promise<Error>((resolve) => single.pool.once('error', resolve))
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(single.db)
  await pool.query('select pg_terminate_backend($1)', [rows[0]?.pid])
  assert.equal(sqlState(await lost), '57P01')
  assert.deepEqual((await sql`select 1 as one`.execute(single.db)).rows, [{ one: 1 }])
})

test('a connection that is lost between two statements fails its transaction and nothing else', async (t) => {
  const single = await openSingle(t)
  const cut = inTransaction(single.db, async (tx) => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx)
    await pool.query('select pg_terminate_backend($1)', [rows[0]?.pid])
    // until the driver has received the termination, while no query is pending
    while ((await pool.query('select from pg_stat_activity where pid = $1', [rows[0]?.pid])).rowCount !== 0) continue
    await sleep(50)
    await sql`select 1`.execute(tx)
  })
  await assert.rejects(cut, (error) => retryableProblem(error)?.type === 'not-ready')
  assert.deepEqual((await sql`select 1 as one`.execute(single.db)).rows, [{ one: 1 }])
})

async function openSingle(t: { after(fn: () => Promise<void>): void }) {
  const handle = openDatabase({ connection: url, pool_size: 1, log: silentLog })
  t.after(handle.close)
  return handle
}

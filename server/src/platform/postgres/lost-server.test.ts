import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { sql } from 'kysely'
import { testDatabase } from '../../../test/support/database.ts'
import type pg from 'pg'
import { inTransaction, openDatabase, readRows, sqlState, staleResults, type Db } from '../db.ts'
import { retryableProblem } from '../unavailable.ts'
import { silentLog } from './log.ts'

const { pool, url } = await testDatabase(undefined, { migrated: false })
await pool.query('create table parcel (id bigint primary key)')

// The pool hands out connections for concurrent statements before any of them runs, so three take three connections.

/** A pool whose three connections are idle, and the server's ids of them. */
async function openIdle(t: TestContext) {
  const { db, pool, close } = openDatabase({ connection: url, pool_size: 3, log: silentLog })
  t.after(close)
  const pids = await Promise.all([pidOf(db), pidOf(db), pidOf(db)])
  assert.equal(new Set(pids).size, 3)
  return { db, pool, pids }
}

async function pidOf(db: Db): Promise<number> {
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db)
  return rows[0]?.pid ?? 0
}

/** Makes live connections read-only, as they are on a server that an administrator or a failover made read-only. */
const makeReadOnly = (pool: pg.Pool, count = 3) =>
  Promise.all(Array.from({ length: count }, () => pool.query('set default_transaction_read_only = on')))

test('after one refused write, no connection to a read-only server is used again', async (t) => {
  const { db, pool, pids } = await openIdle(t)
  await makeReadOnly(pool)
  const refused = inTransaction(db, (tx) => sql`insert into parcel values (1)`.execute(tx))
  await assert.rejects(refused, (error) => sqlState(error) === '25006' && retryableProblem(error)?.type === 'not-ready')
  await inTransaction(db, (tx) => sql`insert into parcel values (1)`.execute(tx))
  const now = await Promise.all([pidOf(db), pidOf(db), pidOf(db)])
  assert.deepEqual(
    now.filter((pid) => pids.includes(pid)),
    [],
  )
})

test('connections in use when another statement finds the server read-only are closed on release', async (t) => {
  const { db, pool, pids } = await openIdle(t)
  const during = await inTransaction(db, async (tx) => {
    await makeReadOnly(pool, 2)
    await pidOf(db)
    return await pidOf(tx)
  })
  assert.ok(pids.includes(during))
  const now = await Promise.all([pidOf(db), pidOf(db), pidOf(db)])
  assert.equal(now.includes(during), false)
})

test('after one result of a read-only server, no connection to it is used again', async (t) => {
  for (const read of [pidOf, (db: Db) => readRows(db, 'select 1', [])]) {
    const { db, pool, pids } = await openIdle(t)
    await makeReadOnly(pool)
    const before = staleResults(db)
    await read(db)
    assert.equal(staleResults(db), before + 1)
    const now = await Promise.all([pidOf(db), pidOf(db), pidOf(db)])
    assert.deepEqual([now.filter((pid) => pids.includes(pid)), staleResults(db)], [[], before + 1])
  }
})

test('a replica is read-only, and its connections stay', async (t) => {
  const { db, pool, close } = openDatabase({ connection: url, pool_size: 1, replica: true, log: silentLog })
  t.after(close)
  await pool.query('set default_transaction_read_only = on')
  assert.equal(await pidOf(db), await pidOf(db))
  assert.equal(staleResults(db), 0)
})

test('when the server ends a session, the idle connections are dropped too', async (t) => {
  for (const run of [
    (db: Db) => sql`select pg_terminate_backend(pg_backend_pid())`.execute(db),
    (db: Db) => readRows(db, 'select pg_terminate_backend(pg_backend_pid())', []),
  ]) {
    const { db, pids } = await openIdle(t)
    await assert.rejects(run(db), (error) => sqlState(error) === '57P01')
    const now = await Promise.all([pidOf(db), pidOf(db), pidOf(db)])
    assert.deepEqual(
      now.filter((pid) => pids.includes(pid)),
      [],
    )
  }
})

test('an error of a statement keeps every connection', async (t) => {
  const { db, pids } = await openIdle(t)
  await assert.rejects(sql`select 1 / 0`.execute(db), (error) => sqlState(error) === '22012')
  await assert.rejects(sql`set local statement_timeout = 1; select pg_sleep(1)`.execute(db))
  const now = await Promise.all([pidOf(db), pidOf(db), pidOf(db)])
  assert.deepEqual(now.toSorted(), pids.toSorted())
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { testDatabase } from '../../../test/support/database.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { DatabaseBusy, inTransaction, openDatabase, DatabaseSilent, OutcomeUnknown } from '../db.ts'
import { retryableProblem } from '../unavailable.ts'
import { silentLog } from './log.ts'
import { startTcpProxy } from '../../../test/support/tcp-proxy.ts'

const { url } = await testDatabase(undefined, { migrated: false })

test('while a request has waited too long for a connection, new ones are refused and it is still served', async (t) => {
  const database = openDatabase({ connection: url, pool_size: 1, longest_wait_ms: 20, log: silentLog })
  t.after(() => database.close())
  const one = () => sql`select 1`.execute(database.db)
  assert.equal(database.longestWait_ms(), 0)
  const entered = Promise.withResolvers<void>()
  const leave = Promise.withResolvers<void>()
  const occupying = inTransaction(database.db, async () => {
    entered.resolve()
    await leave.promise
  })
  await entered.promise
  const waiting = one()
  await eventually(async () => database.longestWait_ms() > 20)
  await assert.rejects(one(), DatabaseBusy)
  leave.resolve()
  await Promise.all([occupying, waiting])
  assert.equal(database.longestWait_ms(), 0)
  await one()
})

test('a busy database is a 503 with a Retry-After', () => {
  const problem = retryableProblem(new DatabaseBusy())
  assert.deepEqual([problem?.type, problem?.options.headers], ['not-ready', { 'retry-after': '2' }])
})

async function open(t: { after(close: () => unknown): void }) {
  const proxy = await startTcpProxy(url)
  const database = openDatabase({ connection: proxy.url, log: silentLog })
  t.after(() => database.close())
  const one = async () => (await sql<{ one: number }>`select 1 as one`.execute(database.db)).rows
  assert.deepEqual(await one(), [{ one: 1 }])
  return { proxy, database, one }
}

test('while the server is silent, statements fail immediately; afterward they succeed', async (t) => {
  const { proxy, database, one } = await open(t)
  proxy.mute(true)
  const waiting = assert.rejects(one(), DatabaseSilent)
  setImmediate(() => database.setSilent(true))
  await waiting
  await assert.rejects(one(), DatabaseSilent)
  proxy.mute(false)
  database.setSilent(false)
  assert.deepEqual(await one(), [{ one: 1 }])
})

test('the outcome of a COMMIT to a silent server is unknown, without further waiting', async (t) => {
  const { proxy, database } = await open(t)
  let silent_at = 0
  const committing = inTransaction(database.db, async (tx) => {
    await sql`select pg_current_xact_id()`.execute(tx)
    proxy.mute(true)
    setTimeout(() => {
      silent_at = performance.now()
      database.setSilent(true)
    }, 50)
  })
  await assert.rejects(committing, OutcomeUnknown)
  // shorter than asking for an outcome would take otherwise
  assert.ok(performance.now() - silent_at < 4_000)
  proxy.mute(false)
  database.setSilent(false)
})

test('a silent server is a 503 with a Retry-After', () => {
  const problem = retryableProblem(new DatabaseSilent())
  assert.deepEqual([problem?.type, problem?.options.headers], ['not-ready', { 'retry-after': '2' }])
})

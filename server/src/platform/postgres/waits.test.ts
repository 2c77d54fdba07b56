import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { testDatabase } from '../../../test/support/database.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { DatabaseBusy, inTransaction, openDatabase } from '../db.ts'
import { retryableProblem } from '../unavailable.ts'
import { silentLog } from './log.ts'

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

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeBeforeDatabase, testDatabase } from '../../test/support/database.ts'
import { eventually } from '../../test/support/eventually.ts'
import { inTransaction } from './db.ts'
import { INTERVAL_MS, jobChannel, enqueue } from './jobs.ts'

const { db, pool } = await testDatabase()
const heard: string[] = []
const listener = await pool.connect()
listener.on('notification', ({ payload = '' }) => heard.push(payload))
await listener.query(`listen ${jobChannel}`)
closeBeforeDatabase(async () => listener.release())

test('workers are woken once for many jobs, after the commit', async () => {
  await inTransaction(db, async (tx) => {
    for (let n = 0; n < 50; n++) await enqueue(tx, 'many', String(n), new Date())
    await listener.query('select 1')
    assert.deepEqual(heard, [], 'before the commit')
  })
  await eventually(async () => heard.includes('many'))
  const began = performance.now()
  for (let n = 0; n < 200; n++)
    await inTransaction(db, (tx) => enqueue(tx, n % 2 === 0 ? 'even' : 'odd', String(n), new Date()))
  await eventually(async () => heard.includes('even') && heard.includes('odd'))
  // two kinds per interval, and an extra interval at either end; a busy machine has more intervals
  const most = 1 + 2 * ((performance.now() - began) / INTERVAL_MS + 2)
  assert.ok(heard.length <= most, `${heard.length} wake-ups for 250 jobs`)
})

test('a transaction that is rolled back wakes no worker', async () => {
  heard.length = 0
  const failure = new Error('no')
  await assert.rejects(
    inTransaction(db, async (tx) => {
      await enqueue(tx, 'rolled-back', '1', new Date())
      throw failure
    }),
    failure,
  )
  await enqueue(db, 'after', '1', new Date())
  await eventually(async () => heard.includes('after'))
  assert.equal(heard.includes('rolled-back'), false)
})

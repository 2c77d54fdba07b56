import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { sql, type Kysely } from 'kysely'
import { testDatabase } from '../../../test/support/database.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { atEnd, clusterOf, openFolder, start } from '../../../test/support/starters.ts'
import { inTransaction, openDatabase } from '../db.ts'
import { commitOutcome, incarnation } from './commit-outcome.ts'
import { silentLog } from './log.ts'

const { db } = await testDatabase(undefined, { migrated: false })

/** Settings under which a crash loses a transaction's id: nothing else assigns ids, or writes the next one to the WAL. */
const forgetful = { synchronous_commit: 'off', autovacuum: 'off', wal_level: 'minimal', max_wal_senders: '0' }

async function transactionId<DB>(of: Kysely<DB>) {
  const { rows } = await sql<{ xid: string; incarnation: string }>`
    select pg_current_xact_id()::text as xid, ${sql.raw(incarnation)} as incarnation`.execute(of)
  return rows[0] ?? assert.fail()
}

test('the outcome of a committed, rolled-back, or open transaction; asking ends an open one', async () => {
  assert.deepEqual(await commitOutcome(db, await transactionId(db)), { committed: true })
  const { promise, resolve } = Promise.withResolvers<Awaited<ReturnType<typeof transactionId>>>()
  const open = inTransaction(db, async (tx) => {
    resolve(await transactionId(tx))
    await sql`select pg_sleep(60)`.execute(tx)
  })
  const rejected = assert.rejects(open)
  const transaction = await promise
  assert.deepEqual(await commitOutcome(db, transaction), { committed: false })
  await rejected
  assert.deepEqual(await commitOutcome(db, transaction), { committed: false })
})

test('after a crash, a reassigned id does not reveal the outcome of the lost transaction', async (t) => {
  const data_dir = path.join(openFolder(t), 'postgres')
  const { url } = await start(t, data_dir, forgetful)
  const postmaster = Number.parseInt(readFileSync(path.join(clusterOf(data_dir), 'postmaster.pid'), 'utf8'), 10)
  const connection = { connection: url, pool_size: 2, log: silentLog }
  const [before, after] = [openDatabase(connection), openDatabase(connection)]
  atEnd(t, () => Promise.all([before.close(), after.close()]))
  const now = async () =>
    (await sql<{ at: string }>`select ${sql.raw(incarnation)} as at`.execute(after.db)).rows[0]?.at
  // connected before the crash
  const first = await now()
  let lost: Awaited<ReturnType<typeof transactionId>> | undefined
  const crashed = inTransaction(before.db, async (tx) => {
    lost = await transactionId(tx)
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx)
    process.kill(postmaster, 'SIGSTOP')
    process.kill(rows[0]?.pid ?? assert.fail(), 'SIGKILL')
    await sql`select pg_sleep(60)`.execute(tx)
  })
  await assert.rejects(crashed)
  // until the postmaster notices the killed backend, the server goes on; an id that it assigned now would spare the lost one
  assert.equal(await now(), first)
  process.kill(postmaster, 'SIGCONT')
  const { xid } = lost ?? assert.fail()
  const isReused = async () => (await now()) !== first && Number((await transactionId(after.db)).xid) >= Number(xid)
  // the server is still recovering
  await eventually(() => isReused().catch(() => false))
  const outcome = await commitOutcome(after.db, lost ?? assert.fail())
  assert.match('unknown' in outcome ? String(outcome.unknown) : 'known', /has restarted since/)
})

test('after a crash, an id in progress or not yet assigned means the transaction was lost', async () => {
  await inTransaction(db, async (tx) => {
    const reused = { ...(await transactionId(tx)), incarnation: 'another' }
    assert.deepEqual(await commitOutcome(db, reused), { committed: false })
  })
  const ahead = { ...(await transactionId(db)), xid: '999999999' }
  assert.deepEqual(await commitOutcome(db, ahead), { committed: false })
})

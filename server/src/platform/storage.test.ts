import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { sql } from 'kysely'
import { testDatabase } from '../../test/support/database.ts'
import { inTransaction, openDatabase, type Executor } from './db.ts'
import { silentLog } from './postgres/log.ts'
import { Problem } from './problem.ts'
import { createStorage } from './storage.ts'

const { db, url } = await testDatabase()
beforeEach(() => sql`truncate permit`.execute(db))

/** A storage of 100,000 bytes in which an account uses these, by feature. */
const holding = (...bytes: number[]) =>
  createStorage({ limit_bytes: 100_000, log: silentLog, stored: bytes.map((each) => () => Promise.resolve(each)) })

async function refusal(work: Promise<unknown>): Promise<Problem> {
  try {
    await work
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
  throw new assert.AssertionError({ message: 'a refusal was expected' })
}
const announced = (bytes: number | undefined) => ({
  content_length: bytes === undefined ? undefined : String(bytes),
  bytes_max: 60_000,
})

test('an upload is refused by its Content-Length, with the limit and the usage', async () => {
  const { type, detail, options } = await refusal(holding(50_000, 30_000).reserve(db, '1', announced(20_001)))
  assert.equal(type, 'insufficient-storage')
  assert.match(String(detail), /may take up 100000 bytes\. 80000 are in use.*Wait until.*or ask the operator/)
  assert.deepEqual(options.headers, { 'demarc-storage-limit': '100000', 'demarc-storage-used': '80000' })
  assert.equal((await holding(50_000, 30_000).reserve(db, '1', announced(20_000))).bytes_max, 20_000)
})

test('an upload without a Content-Length may use the remaining storage, up to the operation’s limit', async () => {
  assert.equal((await holding(90_000).reserve(db, '1', announced(undefined))).bytes_max, 10_000)
  assert.equal((await holding(1000).reserve(db, '1', announced(undefined))).bytes_max, 60_000)
})

test('uploads in progress count until they are released, for their own account only', async () => {
  const storage = holding(0)
  const [first, second] = await Promise.all([1, 2].map(() => storage.reserve(db, '1', announced(50_000))))
  await refusal(storage.reserve(db, '1', announced(1)))
  await storage.reserve(db, '2', announced(50_000))
  await first?.release()
  const third = await storage.reserve(db, '1', announced(40_000))
  await refusal(storage.reserve(db, '1', announced(20_000)))
  for (const each of [second, third]) await each?.release()
  assert.equal((await storage.reserve(db, '1', announced(60_000))).bytes_max, 60_000)
})

test('concurrent uploads to two processes together have the room of the account, until those of a killed one expire', async (t) => {
  const other = openDatabase({ connection: url, log: silentLog })
  t.after(() => other.close())
  const reserve = () => [db, other.db].map((each) => holding(30_000).reserve(each, '1', announced(20_000)))
  const settled = await Promise.allSettled([...reserve(), ...reserve(), ...reserve()])
  assert.equal(settled.filter(({ status }) => status === 'fulfilled').length, 3)
  // of the 10,000 bytes that are left
  assert.equal((await holding(30_000).reserve(other.db, '1', announced(undefined))).bytes_max, 10_000)
  await sql`update permit set expires_at = now()`.execute(db)
  assert.equal((await Promise.all(reserve())).length, 2)
})

test('a small file counts as a block of the disk', async () => {
  await refusal(holding(96_000).reserve(db, '1', announced(1)))
  await refusal(holding(96_000).requireRoom(db, '1'))
  await inTransaction(db, async (tx) => {
    assert.equal(await holding(96_000).hasRoom(tx, '1', 1), false)
    assert.equal(await holding(95_904).hasRoom(tx, '1', 1), true)
    assert.equal((await holding(95_000).claim(tx, '1', 1))['demarc-storage-used'], '99096')
  })
})

test('an account’s second claim waits for the first one’s transaction, and counts its row', async () => {
  await sql`create table claimed (bytes int)`.execute(db)
  const stored = async (executor: Executor) => {
    const { rows } = await sql<{ bytes: string }>`select coalesce(sum(bytes), 0) as bytes from claimed`.execute(
      executor,
    )
    return Number(rows[0]?.bytes)
  }
  const storage = createStorage({ limit_bytes: 100_000, log: silentLog, stored: [stored] })
  const claim = () =>
    inTransaction(db, async (tx) => {
      await storage.claim(tx, '1', 60_000)
      await sql`insert into claimed values (60000)`.execute(tx)
    })
  const settled = await Promise.allSettled([claim(), claim(), claim()])
  assert.deepEqual(settled.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected', 'rejected'])
})

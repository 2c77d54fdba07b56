import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { testDatabase } from '../../test/support/database.ts'
import { inTransaction, type Executor } from './db.ts'
import { Problem } from './problem.ts'
import { createStorage } from './storage.ts'

const { db } = await testDatabase()

/** A storage of 100,000 bytes in which an account has these, by feature. */
const holding = (...bytes: number[]) =>
  createStorage({ limit_bytes: 100_000, stored: bytes.map((each) => () => Promise.resolve(each)) })

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

test('an upload is refused by its Content-Length, with the limit and what is in use', async () => {
  const { type, detail, options } = await refusal(holding(50_000, 30_000).reserve(db, '1', announced(20_001)))
  assert.equal(type, 'insufficient-storage')
  assert.match(String(detail), /may have 100000 bytes, of which 80000 are in use.*Wait until.*or ask the operator/)
  assert.deepEqual(options.headers, { 'demarc-storage-limit': '100000', 'demarc-storage-used': '80000' })
  assert.equal((await holding(50_000, 30_000).reserve(db, '1', announced(20_000))).bytes_max, 20_000)
})

test('an upload without a Content-Length may have what is left, and what the operation takes', async () => {
  assert.equal((await holding(90_000).reserve(db, '1', announced(undefined))).bytes_max, 10_000)
  assert.equal((await holding(1000).reserve(db, '1', announced(undefined))).bytes_max, 60_000)
})

test('uploads under way count, each until it is released, and for its own account only', async () => {
  const storage = holding(0)
  const [first, second] = await Promise.all([1, 2].map(() => storage.reserve(db, '1', announced(50_000))))
  await refusal(storage.reserve(db, '1', announced(1)))
  await storage.reserve(db, '2', announced(50_000))
  first?.release()
  const third = await storage.reserve(db, '1', announced(40_000))
  await refusal(storage.reserve(db, '1', announced(20_000)))
  for (const each of [second, third]) each?.release()
  assert.equal((await storage.reserve(db, '1', announced(60_000))).bytes_max, 60_000)
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

test('a second claim of an account waits for the transaction of the first, and counts its row', async () => {
  await sql`create table claimed (bytes int)`.execute(db)
  const stored = async (executor: Executor) => {
    const { rows } = await sql<{ bytes: string }>`select coalesce(sum(bytes), 0) as bytes from claimed`.execute(
      executor,
    )
    return Number(rows[0]?.bytes)
  }
  const storage = createStorage({ limit_bytes: 100_000, stored: [stored] })
  const claim = () =>
    inTransaction(db, async (tx) => {
      await storage.claim(tx, '1', 60_000)
      await sql`insert into claimed values (60000)`.execute(tx)
    })
  const settled = await Promise.allSettled([claim(), claim(), claim()])
  assert.deepEqual(settled.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected', 'rejected'])
})

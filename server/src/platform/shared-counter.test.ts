import assert from 'node:assert/strict'
import { beforeEach, test, type TestContext } from 'node:test'
import { sql } from 'kysely'
import { testDatabase } from '../../test/support/database.ts'
import { openDatabase } from './db.ts'
import { silentLog } from './postgres/log.ts'
import { createSharedCounter, unreported, type SharedCounter } from './shared-counter.ts'
import { removeExpiredCounts } from './window-counts.ts'

const { db, url } = await testDatabase()
await sql`create sequence reports`.execute(db)
await sql`
  create function count_report() returns trigger language plpgsql as
  $$ begin perform nextval('reports'); return null; end $$`.execute(db)
await sql`create trigger t after insert on window_count for each statement execute function count_report()`.execute(db)
beforeEach(() => sql`truncate window_count; alter sequence reports restart`.execute(db))

/** Two processes with a pool each. */
function twoCounters(t: TestContext): SharedCounter[] {
  return [1, 2].map(() => {
    const database = openDatabase({ connection: url, log: silentLog })
    t.after(() => database.close())
    return createSharedCounter(database.db, { wait_ms: 60_000 })
  })
}

const limitOf = (points: number) => ({ key: 'a key', points, duration_s: 3600 })

/** Counts alternately in each process until one refuses, or `most` times. Returns what was used before each count. */
async function allowed(counters: SharedCounter[], points: number, most = Infinity): Promise<number[]> {
  const used: number[] = []
  for (let i = 0; i < most; i++) {
    const count = await counters[i % counters.length]?.count(limitOf(points))
    if (!count || count.used > points) break
    used.push(count.used)
  }
  return used
}

test('a client with few requests sees exact counts, whichever process serves it', async (t) => {
  assert.deepEqual(
    await allowed(twoCounters(t), 6000, 14),
    Array.from({ length: 14 }, (_, i) => i + 1),
  )
})

test('concurrent counts in two processes reach a limit of 100 exactly', async (t) => {
  const counters = twoCounters(t)
  const counts = await Promise.all(
    Array.from({ length: 200 }, (_, i) => counters[i % 2]?.count(limitOf(100)) ?? assert.fail()),
  )
  const used = counts.map((count) => count.used).toSorted((a, b) => a - b)
  assert.deepEqual(
    used.slice(0, 100),
    Array.from({ length: 100 }, (_, i) => i + 1),
  )
  assert.ok(used.slice(100).every((n) => n > 100))
})

test('two processes allow at most a hundredth more than a large limit, with few statements', async (t) => {
  const counters = twoCounters(t)
  const points = 6000
  const { length } = await allowed(counters, points)
  assert.ok(length >= points && length <= points * (1 + unreported.of_limit), `${length}`)
  const { rows } = await sql<{ last_value: string }>`select last_value from reports`.execute(db)
  assert.ok(Number(rows[0]?.last_value) < points / 10, `${rows[0]?.last_value} statements`)
  // from here on each knows that the limit is reached
  for (const counter of counters) while ((await counter.count(limitOf(points))).used <= points);
  const before = await sql`select last_value from reports`.execute(db)
  for (const counter of counters) assert.ok(counter.isReached(limitOf(points)))
  await allowed(counters, points)
  assert.deepEqual((await sql`select last_value from reports`.execute(db)).rows, before.rows, 'and asks no more')
})

test('a window that has ended starts over for all processes, and its row is removed', async (t) => {
  const [first, second] = twoCounters(t)
  assert.ok(first && second)
  for (const used of [1, 2]) assert.equal((await first.count(limitOf(50))).used, used)
  await sql`update window_count set resets_at = now()`.execute(db)
  assert.equal((await second.count(limitOf(50))).used, 1)
  assert.equal((await first.count(limitOf(50))).used, 2, 'also for one whose own clock is behind')
  await removeExpiredCounts(db)
  assert.equal((await db.selectFrom('window_count').selectAll().execute()).length, 1)
  await sql`update window_count set resets_at = now()`.execute(db)
  await removeExpiredCounts(db)
  assert.deepEqual(await db.selectFrom('window_count').selectAll().execute(), [])
})

test('while the database is unavailable, a process counts alone, or fails if it must not', async (t) => {
  const unavailable = openDatabase({ connection: 'postgres://nobody@127.0.0.1:1/nothing', log: silentLog })
  t.after(() => unavailable.close())
  const alone = createSharedCounter(unavailable.db, { wait_ms: 60_000 })
  assert.deepEqual(await allowed([alone], 5), [1, 2, 3, 4, 5])
  await assert.rejects(createSharedCounter(unavailable.db).count(limitOf(5)), /ECONNREFUSED/)
})

test('a database that does not respond delays a count only by the wait', async (t) => {
  const database = openDatabase({ connection: url, log: silentLog })
  t.after(() => database.close())
  const counter = createSharedCounter(database.db, { wait_ms: 10 })
  await counter.count(limitOf(50))
  await db.transaction().execute(async (tx) => {
    await sql`lock table window_count`.execute(tx)
    assert.deepEqual(
      await allowed([counter], 50),
      Array.from({ length: 49 }, (_, i) => i + 2),
    )
  })
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { testDatabase } from '../../test/support/database.ts'
import { inTransaction, openDatabase } from './db.ts'
import { listOf } from './list-statements.ts'
import { silentLog } from './postgres/log.ts'
import { containsText, hasValue } from './rows.ts'

const { pool, url } = await testDatabase(undefined, { migrated: false })
await pool.query(`
  create table crate (account_id bigint, id bigint, label text, is_open boolean, packed_at timestamptz);
  insert into crate select n % 2, n, 'Crate ' || n, n % 3 = 0, '2026-02-28T12:00:00Z'::timestamptz + n * interval '1 day'
    from generate_series(1, 30) as n`)
const { db, close } = openDatabase({ connection: url, log: silentLog })
test.after(close)

interface Given {
  label?: string | undefined
  is_open?: boolean | undefined
  packed_from?: Date | undefined
  ids?: readonly string[] | undefined
  after?: string | null
  odd?: ReturnType<typeof sql<boolean>> | undefined
  limit: number
}

/** A list, and how often its statement was built. */
function crates() {
  const built = { count: 0 }
  const list = listOf<{ id: string }, Given>((_, given, visible) => {
    const { label, is_open, packed_from, ids, after, odd, limit } = given
    built.count += 1
    const packed = packed_from ? sql`packed_at >= ${packed_from}` : sql`true`
    return sql<{ id: string }>`
      select id from crate where ${visible()} and ${containsText('label', label)} and ${hasValue('is_open', is_open)}
        and ${packed} and ${ids ? sql`id = any(${ids}::bigint[])` : sql`true`} and ${after ? sql`id > ${after}` : sql`true`}
        and ${odd ?? sql`true`} and label <> ${'Crate 30'} order by id limit ${limit}`
  })
  const ids = async (account_id: string | null, given: Given) =>
    (await list(db, { account_id }, given)).map(({ id }) => Number(id))
  return { list, ids, built }
}

const all = { account_id: null }

test('a statement is built once for each choice of what is given, and has the values of each call', async () => {
  const { ids, built } = crates()
  assert.deepEqual(await ids(null, { limit: 3 }), [1, 2, 3])
  assert.deepEqual(await ids(null, { limit: 1, label: undefined, after: null }), [1])
  assert.equal(built.count, 1)
  for (const label of ['CRATE 2', 'crate 1', '%', `'`]) {
    const expected = Array.from({ length: 29 }, (_, i) => i + 1).filter((i) =>
      `crate ${i}`.includes(label.toLowerCase()),
    )
    assert.deepEqual(await ids(null, { label, limit: 50 }), expected)
  }
  assert.equal(built.count, 2)
  assert.deepEqual(await ids(null, { is_open: true, limit: 2 }), [3, 6])
  assert.deepEqual(await ids(null, { is_open: false, limit: 3 }), [1, 2, 4])
  assert.deepEqual(await ids(null, { packed_from: new Date('2026-03-28T12:00:00Z'), limit: 5 }), [28, 29])
  assert.deepEqual(await ids(null, { packed_from: new Date('2026-03-28T12:00:00.001Z'), limit: 5 }), [29])
  assert.deepEqual(await ids(null, { ids: ['7', '5'], limit: 5 }), [5, 7])
  assert.deepEqual(await ids(null, { ids: [], limit: 5 }), [])
  assert.deepEqual(await ids(null, { after: '27', limit: 5 }), [28, 29])
  assert.equal(built.count, 6)
})

test('rows are those of the actor’s account, whichever account the statement was built for', async () => {
  const { ids, built } = crates()
  assert.deepEqual(await ids('1', { limit: 2 }), [1, 3])
  assert.deepEqual(await ids('0', { limit: 2 }), [2, 4])
  assert.deepEqual(await ids('7', { limit: 2 }), [])
  assert.deepEqual(await ids(null, { limit: 2 }), [1, 2])
  assert.equal(built.count, 2)
})

test('with a condition among them nothing is kept, and its own values count', async () => {
  const { ids, built } = crates()
  for (const rest of [1, 0])
    assert.deepEqual(await ids(null, { odd: sql<boolean>`id % 2 = ${rest}`, limit: 2 }), rest === 1 ? [1, 3] : [2, 4])
  assert.equal(built.count, 2)
})

test('beyond so many choices statements are built anew, and read the same', async () => {
  const named = Array.from({ length: 70 }, (_, i) => `f${i}`)
  let built = 0
  const list = listOf<{ n: string }, Record<string, string | undefined>>((_, given) => {
    built += 1
    return sql<{ n: string }>`select ${sql.join(Object.values(given))}::text as n`
  })
  for (let round = 0; round < 2; round++)
    for (const name of named) assert.deepEqual(await list(db, all, { [name]: name }), [{ n: name }])
  assert.equal(built, 70 + 70 - 64)
})

test('in a transaction a list has what the transaction has written', async () => {
  const { list } = crates()
  await inTransaction(db, async (tx) => {
    await sql`insert into crate values (1, 0, 'Crate', true, now())`.execute(tx)
    assert.deepEqual(await list(tx, all, { limit: 1 }), [{ id: '0' }])
    assert.deepEqual(await list(db, all, { limit: 1 }), [{ id: '1' }])
    await sql`delete from crate where id = 0`.execute(tx)
  })
})

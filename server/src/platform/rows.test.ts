import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql, type Kysely } from 'kysely'
import { testDatabase } from '../../test/support/database.ts'
import { inTransaction, sqlState, type Executor } from './db.ts'
import { countRows, containsText, hasValue, lockRowForKeyShare, isRow, newestFirst } from './rows.ts'

interface Things {
  thing: { account_id: string; id: string; name: string | null; good: boolean }
}

const { db } = await testDatabase()
await sql`create table thing (account_id bigint, id bigint, name text, good boolean, primary key (account_id, id))`.execute(
  db,
)
await sql`insert into thing values (1, 1, 'Harbor 100%', true), (1, 2, 'old harbor', false), (2, 1, 'a_b', true), (2, 3, null, true)`.execute(
  db,
)
/** The database, typed as one with this test's table. */
const things = db as unknown as Kysely<Things>
/** The table's name, which no feature declares. */
const thing = 'thing' as never

const found = async (condition: ReturnType<typeof isRow>) =>
  (
    await things
      .selectFrom('thing')
      .select(['account_id', 'id'])
      .where(condition)
      .orderBy('account_id')
      .orderBy('id')
      .execute()
  ).map((row) => `${row.account_id}/${row.id}`)

test('conditions select the matching rows, and all rows if undefined', async () => {
  const all = ['1/1', '1/2', '2/1', '2/3']
  const grid: [ReturnType<typeof isRow>, string[]][] = [
    [isRow({ account_id: '2', id: '1' }), ['2/1']],
    [isRow({ account_id: '1', id: '3' }), []],
    [hasValue('good', undefined), all],
    [hasValue('good', false), ['1/2']],
    [hasValue('name', 'a_b'), ['2/1']],
    [hasValue('name', 'A_B'), []],
    [containsText('name', undefined), all],
    [containsText('name', 'HARBOR'), ['1/1', '1/2']],
    [containsText('name', '%'), ['1/1']],
    [containsText('name', '_'), ['2/1']],
    [containsText('name', ''), ['1/1', '1/2', '2/1']],
    [containsText('name', "'; drop table thing; --"), []],
  ]
  for (const [condition, expected] of grid) {
    assert.deepEqual(await found(condition), expected)
    assert.equal(await countRows(db, thing, condition), expected.length)
  }
})

test('pages are consecutive, newest first', async () => {
  const page = async (limit: number, offset: number) => {
    const query = things.selectFrom('thing').select('id').where(hasValue('account_id', '2'))
    return (await query.$call(newestFirst({ limit, offset })).execute()).map(({ id }) => id)
  }
  assert.deepEqual(
    [await page(1, 0), await page(1, 1), await page(1, 2), await page(9, 0)],
    [['3'], ['1'], [], ['3', '1']],
  )
})

test('a locked row cannot be deleted before the transaction ends, and a missing one cannot be locked', async () => {
  const remove = (tx: Executor) => sql`delete from thing where ${isRow({ account_id: '1', id: '2' })}`.execute(tx)
  await inTransaction(db, async (tx) => {
    assert.equal(await lockRowForKeyShare(tx, thing, { account_id: '1', id: '2' }), true)
    assert.equal(await lockRowForKeyShare(tx, thing, { account_id: '2', id: '2' }), false)
    const hurried = inTransaction(db, async (other) => {
      await sql`set local lock_timeout = '50ms'`.execute(other)
      await remove(other)
    })
    await assert.rejects(hurried, (error) => sqlState(error) === '55P03')
  })
  await remove(db)
  assert.equal(await countRows(db, thing, hasValue('account_id', '1')), 1)
})

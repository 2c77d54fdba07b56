import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { loadNumbers } from '../../test/support/inventory.ts'
import { startTestServer } from '../../test/support/server.ts'
import { inTransaction, type Db } from '../platform/db.ts'
import { Problem } from '../platform/problem.ts'
import { createAvailability, type Found } from './availability.ts'
import { changes_max } from './index-store.ts'

/** Searches while the index of the process is being read. */

const server = await startTestServer()

const numbersOf = ({ page }: Found) => page(10, 0).map(({ number }) => String(number))

/** The database, whose first responses about prices arrive when `arrives` is settled. */
function withLatePrices(late_count: number, arrives: Promise<void>, onRead: () => void): Db {
  const late = new Set<object>()
  return server.db.withPlugin({
    transformQuery({ node, queryId }) {
      if (late.size < late_count && JSON.stringify(node).includes('account_price')) late.add(queryId)
      return node
    },
    async transformResult({ result, queryId }) {
      if (!late.has(queryId)) return result
      onRead()
      await arrives
      return result
    },
  })
}

test('a search whose prices were read before another search read a new price class does not list its numbers', async () => {
  const setPrice = (price_class: string) =>
    server.operator.setPriceClass({ params: { price_class }, body: { monthly_cost: '5', setup_cost: '1' } })
  const load = (number: string, price_class: string) =>
    loadNumbers(server, [{ number, price_class, monthly_cost: '', setup_cost: '' }])
  await setPrice('gold')
  await load('12085560101', 'gold')
  await load('12085560103', 'gold')
  const filters = [{}, { max_monthly_cost: '9' }]
  const [read, arrived] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let reads = 0
  const onRead = () => void (++reads === filters.length && read.resolve())
  const availability = createAvailability(withLatePrices(filters.length, arrived.promise, onRead))
  const listed = (found: Found) =>
    found.page(10, 0).map(({ number, profile_id }) => [number, found.profileOf(profile_id).price_class])

  const early = filters.map((filter) => availability.search({ starts_with: '1208', ...filter }, null, listed))
  await read.promise
  await setPrice('silver')
  await load('12085560102', 'silver')
  await load('12085560103', 'silver')
  assert.deepEqual(await availability.search({ starts_with: '1208' }, null, listed), [
    [12_085_560_101, 'gold'],
    [12_085_560_102, 'silver'],
    [12_085_560_103, 'silver'],
  ])
  arrived.resolve()
  for (const each of early) assert.deepEqual(await each, [[12_085_560_101, 'gold']])
})

test('while many changes are read, a search answers from the last read, and without one it is refused', async () => {
  const waits = { with_index_ms: 60_000, without_index_ms: 60_000 }
  const availability = createAvailability(server.db, waits)
  const search = (from = availability) => from.search({ starts_with: '1253' }, null, numbersOf)
  await loadNumbers(server, [{ number: '12535550101' }])
  assert.deepEqual(await search(), ['12535550101'])

  await sql`insert into inventory_number (number, profile_id, supplier, status, changed_at)
    select 12535560000 + i, (select min(id) from inventory_profile where price_class is null), 'own', 'available', now()
    from generate_series(1, ${changes_max + 1}::integer) i`.execute(server.db)
  await inTransaction(server.db, async (tx) => {
    await sql`lock table inventory_profile in access exclusive mode`.execute(tx)
    // short, because no read can end now
    Object.assign(waits, { with_index_ms: 100, without_index_ms: 200 })
    assert.deepEqual(await search(), ['12535550101'])
    assert.deepEqual(await Promise.all([search(), search()]), [['12535550101'], ['12535550101']])
    const refused = await search(createAvailability(server.db, waits)).then(
      () => assert.fail('it answered without an index'),
      (error: unknown) => error,
    )
    assert.ok(refused instanceof Problem)
    assert.deepEqual([refused.type, refused.options.headers], ['not-ready', { 'retry-after': '5' }])
  })
  waits.with_index_ms = 60_000
  assert.equal(await availability.search({ starts_with: '1253' }, null, ({ total }) => total), changes_max + 2)
})

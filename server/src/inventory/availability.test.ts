import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadNumbers } from '../../test/support/inventory.ts'
import { startTestServer } from '../../test/support/server.ts'
import type { Db } from '../platform/db.ts'
import { createAvailability, type Found } from './availability.ts'

/** Searches while the index of the process is being read. */

const server = await startTestServer()

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

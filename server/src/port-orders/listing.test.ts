import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freshNumber, newOrder } from '../../test/support/port-orders.ts'
import { rawClient } from '../../test/support/raw-client.ts'
import { startTestServer } from '../../test/support/server.ts'
import { limits } from './rules.ts'

/** Lists of orders: they show the start of long orders, and are written while they are read. */

const server = await startTestServer()
const { client } = server.account

test('a list shows the first numbers of a long order and counts all of them, so that its size is bounded', async () => {
  const lists = await server.newAccount('Lists')
  const numbers = Array.from({ length: 1500 }, () => freshNumber())
  const short = await newOrder(lists)
  const long = await newOrder(lists, { numbers })
  const send = rawClient(server.base_url, lists)
  const text = await (await send('GET', '/v2/portorders')).text()
  const { data } = (await lists.client.listPortOrders({})).body
  assert.deepEqual(
    data.map((o) => [o.id, o.attributes.numbers, o.attributes.numbers_count, o.attributes.cost]),
    [
      [long.id, numbers.slice(0, limits.listed_numbers), 1500, '11250.00'],
      [short.id, short.attributes.numbers, 1, '7.50'],
    ],
  )
  assert.ok(text.length < 2 * (limits.listed_numbers * 20 + 2000), `${text.length} characters`)
  const { attributes } = (await lists.client.getPortOrder({ params: { portorder_id: long.id } })).body.data
  assert.deepEqual([attributes.numbers, attributes.numbers_count], [numbers, 1500])
  // no statement of a list reads more of an order than the list shows
  const found = (await lists.client.listPortOrders({ query: { number: numbers.at(-1) ?? '' } })).body.data
  assert.deepEqual(
    found.map((o) => o.id),
    [long.id],
  )
})

test('a list with more orders than one batch is complete and in order, page by page', async () => {
  const lists = await server.newAccount('Pages')
  const ids: string[] = []
  for (let i = 0; i < 2 * limits.list_batch + 3; i++) ids.unshift((await newOrder(lists)).id)
  const page = async (query: { limit?: number; offset?: number; status?: string }) => {
    const { data, links } = (await lists.client.listPortOrders({ query })).body
    return { ids: data.map((o) => o.id), next: links.next?.replace(/.*\?/, ''), self: links.self.replace(/.*\?/, '') }
  }
  assert.deepEqual(await page({ limit: 200 }), { ids, next: undefined, self: 'limit=200&offset=0' })
  assert.deepEqual(await page({ limit: ids.length }), { ids, next: undefined, self: `limit=${ids.length}&offset=0` })
  assert.deepEqual(await page({ limit: 15, offset: 5 }), {
    ids: ids.slice(5, 20),
    next: 'limit=15&offset=20',
    self: 'limit=15&offset=5',
  })
  assert.deepEqual(await page({}), { ids: ids.slice(0, 10), next: 'limit=10&offset=10', self: 'limit=10&offset=0' })
  assert.deepEqual((await page({ limit: 15, status: 'Accepted' })).ids, [])
  assert.deepEqual((await client.listPortOrders({})).body.data, [])
})

test('a list by due time starts with the order that is due first, page by page, and can be filtered by who acts next', async () => {
  const lists = await server.newAccount('Due')
  const orders = []
  for (let i = 0; i < limits.list_batch + 2; i++) orders.push(await newOrder(lists))
  const cancelled = orders.pop()?.id ?? ''
  await lists.client.updatePortOrder({
    params: { portorder_id: cancelled },
    body: { data: { type: 'portorder', attributes: { status: 'cancelled' } } },
  })
  const oldestFirst = orders.map(({ id }) => id)
  const ids = async (query: {
    order?: 'due' | 'newest'
    who?: 'account' | 'carrier'
    limit?: number
    offset?: number
  }) => (await lists.client.listPortOrders({ query })).body.data.map(({ id }) => id)
  assert.deepEqual(await ids({ order: 'due', limit: 200 }), [...oldestFirst, cancelled], 'no deadline comes last')
  assert.deepEqual(await ids({ order: 'due', who: 'account', limit: 200 }), oldestFirst)
  assert.deepEqual(await ids({ order: 'due', who: 'account', limit: 3, offset: 2 }), oldestFirst.slice(2, 5))
  assert.deepEqual(await ids({ who: 'account', limit: 200 }), oldestFirst.toReversed())
  assert.deepEqual(await ids({ who: 'carrier' }), [])
})

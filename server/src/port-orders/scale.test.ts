import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newOrder, sign, orderBody } from '../../test/support/port-orders.ts'
import { startTestServer } from '../../test/support/server.ts'

const server = await startTestServer()
const { client } = server.account
const numbersFrom = (area: string, count: number) =>
  Array.from({ length: count }, (_, i) => `+1${area}4${String(i).padStart(6, '0')}`)

/** Long enough for a slow machine under load, too short for a statement per number. */
const time_limit_ms = 30_000

test('20,000 numbers in one request: none is dropped, in bounded time and memory', async () => {
  const numbers = [...numbersFrom('425', 12_000), ...numbersFrom('604', 5_000), ...numbersFrom('800', 3_000)]
  globalThis.gc?.()
  const before = process.memoryUsage.rss()
  const started_at = performance.now()
  const { body } = await client.createPortOrder({ body: orderBody({ numbers }) })
  const duration_ms = performance.now() - started_at
  assert.ok(duration_ms < time_limit_ms, `${duration_ms} ms`)
  assert.ok(process.memoryUsage.rss() - before < 500 * 1024 * 1024)
  assert.ok('included' in body)
  const orders = [body.data, ...body.included]
  assert.deepEqual(
    orders.map((o) => [o.attributes.numbers.length, o.attributes.cost]),
    [
      [12_000, '90000.00'],
      [5_000, '37500.00'],
      [3_000, '22500.00'],
    ],
  )
  assert.deepEqual(orders.flatMap((o) => o.attributes.numbers).toSorted(), numbers.toSorted())
  assert.equal(body.meta.dispositions.length, numbers.length)
  assert.ok(body.meta.dispositions.every((d) => d.portorder_id !== null))
})

test('an order of 1,000 numbers is signed, completed and on the account with its presets', async () => {
  const numbers = numbersFrom('503', 1000)
  const cnam = (await client.createCnam({ body: { value: 'THOUSAND LINES' } })).body.data
  await server.operator.decideCnam({ params: { cnam_id: cnam.id }, body: { is_approved: true } })
  const { id } = await newOrder(server.account, { numbers, presets: { cnam_id: cnam.id, alias: 'Bulk' } })
  const params = { portorder_id: id }
  const started_at = performance.now()
  await sign(server.account, id)
  for (const body of [{ to: 'Submitted' }, { to: 'Accepted', completion_date: '2099-06-16' }, { to: 'Completed' }])
    await server.operator.transitionPortOrder({ params, body })
  const duration_ms = performance.now() - started_at
  assert.ok(duration_ms < time_limit_ms, `${duration_ms} ms`)
  const seen = (await client.listNumbers({ query: { starts_with: '1503', limit: 200, offset: 800 } })).body.data
  assert.equal(seen.length, 200)
  assert.ok(seen.every((n) => n.attributes.alias === 'Bulk'))
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { newOrder, sign, orderBody } from '../../test/support/port-orders.ts'
import { startTestServer } from '../../test/support/server.ts'

const server = await startTestServer()
const { client } = server.account
const numbersFrom = (area: string, count: number) =>
  Array.from({ length: count }, (_, i) => `+1${area}4${String(i).padStart(6, '0')}`)

/** Long enough for a slow machine under load, too short for one statement per number. */
const time_limit_ms = 30_000

test('20,000 numbers in one request are all processed in bounded time and memory', async () => {
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

test('a request reads the numbers of an order once', async (t) => {
  const statements: string[] = []
  const send = pg.Client.prototype.query
  t.mock.method(pg.Client.prototype, 'query', function (this: pg.Client, ...args: unknown[]): unknown {
    const [query] = args as [string | { text: string }]
    statements.push(typeof query === 'string' ? query : query.text)
    return Reflect.apply(send, this, args)
  })
  // excludes statements that look for numbers on other orders, or with pending presets
  const isRead = (sql: string) =>
    /^\s*select\b.*\bfrom port_order_number\b/s.test(sql) && !/\bwhere active\b|\bactivated_at is null\b/.test(sql)
  const reads = async (request: () => Promise<unknown>) => {
    statements.length = 0
    await request()
    return statements.filter(isRead).length
  }
  const { id } = await newOrder(server.account, {
    numbers: numbersFrom('360', 3),
    status_url: 'https://example.com/port',
  })
  const params = { portorder_id: id }
  const change = (attributes: object) => () =>
    client.updatePortOrder({ params, body: { data: { type: 'portorder', attributes } } })
  const transition = (body: Parameters<typeof server.operator.transitionPortOrder>[0]['body']) => () =>
    server.operator.transitionPortOrder({ params, body })
  const requests: [name: string, request: () => Promise<unknown>][] = [
    ['get', () => client.getPortOrder({ params })],
    ['check', () => client.checkPortOrder({ params })],
    ['change details', change({ city: 'Tacoma' })],
    ['change presets', change({ presets: { alias: 'Sales' } })],
    [
      'write the document back',
      async () => {
        const { data } = (await client.getPortOrder({ params })).body
        statements.length = 0
        await change({ ...data.attributes, city: 'Seattle' })()
      },
    ],
    ['change numbers', () => client.changePortOrderNumbers({ params, body: { add: ['+13604000003'] } })],
    ['get the LOA', () => client.getLoa({ params })],
    [
      'sign the LOA',
      async () => {
        const { data } = (await client.getLoa({ params })).body
        statements.length = 0
        const signature = { signature_name: 'Anna Berg', signature_title: 'Owner' }
        await client.submitLoa({
          params,
          body: { data: { ...data, attributes: { ...data.attributes, ...signature } } },
        })
      },
    ],
    ['submit', transition({ to: 'Submitted' })],
    ['reject', transition({ to: 'Rejected', reason_code: '7401' })],
    ['resubmit', () => client.resubmitPortOrder({ params })],
    ['submit again', transition({ to: 'Submitted' })],
    ['accept', transition({ to: 'Accepted', completion_date: '2099-06-16' })],
    ['preview the completion', () => client.previewCompletion({ params })],
    ['complete', transition({ to: 'Completed' })],
  ]
  for (const [name, request] of requests) assert.equal(await reads(request), 1, name)
  assert.equal(await reads(() => client.getPortOrderStatus({ params })), 0, 'the status has no numbers')
})

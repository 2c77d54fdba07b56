import assert from 'node:assert/strict'
import { test } from 'node:test'
import { portOrders } from '@demarc/client'
import { freshNumber, newOrder, orderIn } from '../../test/support/port-orders.ts'
import { rawClient } from '../../test/support/raw-client.ts'
import { refusal } from '../../test/support/refusals.ts'
import { startTestServer, type TestAccount } from '../../test/support/server.ts'
import { listEvents } from '../platform/events.ts'

const server = await startTestServer()
const { client } = server.account

const cancelled = { data: { type: 'portorder', attributes: { status: 'cancelled' as const } } }
const loaOf = async (c: TestAccount['client'], id: string) => {
  const { data } = (await c.getLoa({ params: { portorder_id: id } })).body
  const attributes = { ...data.attributes, signature_name: 'Anna Berg', signature_title: 'Owner' }
  return { data: { ...data, attributes } }
}

/** Each edit with every request that makes it. */
const requests: readonly [portOrders.Edit, string, (c: TestAccount['client'], id: string) => Promise<unknown>][] = [
  [
    'numbers',
    'numbers',
    (c, id) => c.changePortOrderNumbers({ params: { portorder_id: id }, body: { add: [freshNumber()] } }),
  ],
  [
    'details',
    'details',
    (c, id) =>
      c.updatePortOrder({
        params: { portorder_id: id },
        body: { data: { type: 'portorder', attributes: { alias: 'A' } } },
      }),
  ],
  [
    'presets',
    'presets',
    (c, id) => c.updatePortOrder({ params: { portorder_id: id }, body: { presets: { alias: 'A' } } }),
  ],
  ['comment', 'comment', (c, id) => c.addPortOrderComment({ params: { portorder_id: id }, body: { text: 'Hello' } })],
  ['loa', 'loa', async (c, id) => c.submitLoa({ params: { portorder_id: id }, body: await loaOf(c, id) })],
  ['cancel', 'cancel', (c, id) => c.updatePortOrder({ params: { portorder_id: id }, body: cancelled })],
  [
    'cancel',
    'cancel by the other path',
    (c, id) => c.cancelPortOrder({ params: { portorder_id: id }, body: cancelled }),
  ],
  ['resubmit', 'resubmit', (c, id) => c.resubmitPortOrder({ params: { portorder_id: id } })],
]

const eventsOf = (id: string) =>
  listEvents(server.db, { subject_type: 'portorder', subject_id: id, limit: 100, offset: 0 })

for (const status of portOrders.portOrderStatuses)
  test(`${status}: the customer can make the edits of the table; others are refused with the statuses that allow them`, async () => {
    const unchanged = await orderIn(server, status)
    for (const [edit, name, act] of requests) {
      const permission = portOrders.editAllowed(edit, status)
      if (permission.ok) {
        const { id } = await orderIn(server, status)
        await act(client, id)
        continue
      }
      const before = await eventsOf(unchanged.id)
      const { detail } = await refusal(act(client, unchanged.id), 409)
      assert.equal(detail, permission.reason, name)
      assert.ok(String(detail).includes(status))
      for (const allowed of permission.allowed_in) assert.ok(String(detail).includes(allowed), `${name}: ${allowed}`)
      assert.deepEqual(
        (await client.getPortOrder({ params: { portorder_id: unchanged.id } })).body.data,
        unchanged,
        name,
      )
      assert.deepEqual(await eventsOf(unchanged.id), before)
    }
  })

for (const from of portOrders.portOrderStatuses)
  test(`${from}: the operator can make only the transitions of the table`, async () => {
    const unchanged = await orderIn(server, from)
    const date_given = Boolean(unchanged.attributes.completion_date)
    for (const to of portOrders.portOrderStatuses) {
      const permission = portOrders.canTransition(from, to, 'operator', { completion_date_given: date_given })
      const body = {
        to,
        ...(to === 'Rejected' ? { reason_code: '8A' } : {}),
        ...(to === 'Accepted' ? { completion_date: '2099-06-17' } : {}),
      }
      if (permission.ok) {
        const { id } = await orderIn(server, from)
        const { data } = (await server.operator.transitionPortOrder({ params: { portorder_id: id }, body })).body
        assert.equal(data.attributes.status, to)
        continue
      }
      const { detail } = await refusal(
        server.operator.transitionPortOrder({ params: { portorder_id: unchanged.id }, body }),
        409,
      )
      assert.equal(detail, permission.reason)
    }
    assert.deepEqual((await client.getPortOrder({ params: { portorder_id: unchanged.id } })).body.data, unchanged)
  })

test('canceling a Review order that has had a date makes it Hard_canceled, otherwise Abandoned', async () => {
  const { id } = await orderIn(server, 'Accepted')
  const transition = (body: { to: string; reason_code?: string }) =>
    server.operator.transitionPortOrder({ params: { portorder_id: id }, body })
  await transition({ to: 'Rejected', reason_code: 'pending_order' })
  await client.resubmitPortOrder({ params: { portorder_id: id } })
  await refusal(transition({ to: 'Abandoned' }), 409)
  assert.equal((await transition({ to: 'Hard_canceled' })).body.data.attributes.status, 'Hard_canceled')
})

test('a transition is refused without its required input, and with input that it does not allow', async () => {
  const submitted = (await orderIn(server, 'Submitted')).id
  const send = rawClient(server.base_url, { credentials: server.operator_credentials })
  const fields = async (body: unknown) => {
    const response = await send('POST', `/operator/portorders/${submitted}/transitions`, body)
    assert.equal(response.status, 422)
    return Object.keys(((await response.json()) as { errors: { detail: object }[] }).errors[0]?.detail ?? {})
  }
  assert.deepEqual(await fields({ to: 'Rejected' }), ['reason_code'])
  assert.deepEqual(await fields({ to: 'Accepted' }), ['completion_date'])
  assert.deepEqual(await fields({ to: 'Accepted', completion_date: '2026-02-30' }), ['completion_date'])
  assert.deepEqual(await fields({ to: 'Accepted', completion_date: '2099-06-16', reason_code: '8A' }), ['reason_code'])
  assert.deepEqual(await fields({ to: 'Hard_canceled', left_behind: ['+12065550100'] }), ['left_behind'])
  assert.deepEqual(await fields({ to: 'Lost', color: 1 }), ['to', 'color'])
  assert.deepEqual(await fields({}), ['to'])
})

test('a rejection is shown with its catalog entry; an unknown code is kept unchanged', async () => {
  const known = await orderIn(server, 'Submitted')
  const reject = (id: string, reason_code: string) =>
    server.operator.transitionPortOrder({
      params: { portorder_id: id },
      body: { to: 'rejected', reason_code, reason: 'Name differs', comment: 'See the bill.' },
    })
  const { data, meta } = (await reject(known.id, '8a')).body
  const { code, entry } = portOrders.classify('8A')
  assert.deepEqual(
    [data.attributes.rejection?.code, data.attributes.rejection?.raw, data.attributes.rejection?.fix],
    [code, '8a', entry.fix],
  )
  assert.deepEqual(
    [data.attributes.comments[0]?.text, data.attributes.comments[0]?.author],
    ['See the bill.', 'operator'],
  )
  assert.deepEqual(meta.warnings, [])
  const unclassified = (await reject((await orderIn(server, 'Submitted')).id, 'XQ-9')).body
  assert.deepEqual(
    [unclassified.data.attributes.rejection?.code, unclassified.data.attributes.rejection?.raw],
    ['unclassified', 'XQ-9'],
  )
  assert.deepEqual(
    unclassified.meta.warnings.map((w) => w.code),
    ['unclassified'],
  )
})

test('for every operation, an order of another account does not exist', async () => {
  const { id } = await newOrder(server.account)
  const operations: readonly (readonly [string, string, unknown?])[] = [
    ['GET', ''],
    ['PATCH', '', cancelled],
    ['PATCH', '', { presets: { alias: 'A' } }],
    ['PATCH', '', { data: { type: 'portorder', attributes: { alias: 'A' } } }],
    ['PATCH', '/status', cancelled],
    ['GET', '/status'],
    ['PATCH', '/relationships/numbers', { add: [] }],
    ['GET', '/loa'],
    ['GET', '/LOA'],
    ['POST', '/loa', await loaOf(client, id)],
    ['POST', '/resubmit'],
    ['GET', '/comments'],
    ['POST', '/comments', { text: 'Hello' }],
    ['GET', '/timeline'],
    ['POST', '/check'],
    ['GET', '/completion'],
  ]
  const send = rawClient(server.base_url, server.other)
  const responseTo = async (path: string, method: string, body: unknown) => {
    const response = await send(method, `/v2/portorders/${path}`, body)
    const text = await response.text()
    return [response.status, text.replaceAll(/"id":"[^"]+"/g, '').replaceAll(/\d{2,}/g, 'N')]
  }
  for (const [method, path, body] of operations) {
    const foreign = await responseTo(`${id}${path}`, method, body)
    assert.equal(foreign[0], 404, `${method} ${path}`)
    assert.deepEqual(foreign, await responseTo(`999999${path}`, method, body))
    assert.equal((await responseTo(`nothing${path}`, method, body))[0], 404)
  }
  for (const path of ['', '/1/transitions'])
    assert.equal(
      (
        await send(
          path === '' ? 'GET' : 'POST',
          `/operator/portorders${path}`,
          path === '' ? undefined : { to: 'Submitted' },
        )
      ).status,
      403,
    )
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newOrder } from '../../test/support/port-orders.ts'
import { rawClient } from '../../test/support/raw-client.ts'
import { startTestServer, type TestAccount } from '../../test/support/server.ts'

/** Signing: the LOA must come back complete, and the preflight check must have no errors. */

const server = await startTestServer()
const { client } = server.account
const operator = { credentials: server.operator_credentials }

const loaOf = async (id: string) => {
  const { data } = (await client.getLoa({ params: { portorder_id: id } })).body
  return { ...data, attributes: { ...data.attributes, signature_name: 'Anna Berg', signature_title: 'Owner' } }
}
const sign = async (id: string, body: unknown, by: Pick<TestAccount, 'credentials'> = server.account) => {
  const response = await rawClient(server.base_url, by)('POST', `/v2/portorders/${id}/loa`, body)
  const { errors, data } = (await response.json()) as {
    errors?: { detail: Record<string, string[]> }[]
    data?: { attributes: { status: string } }
  }
  return { status: response.status, detail: errors?.[0]?.detail ?? {}, order: data?.attributes }
}

/** Details that the check refuses, and the fields that only the customer can fix. */
const unacceptable = { state: 'OR', street: 'PO Box 12', pin: 'a b' } as const
const fields = ['pin', 'street', 'zip']

test('an order with errors that only the customer can fix cannot be signed; each is reported with the message of the check', async () => {
  const { id } = await newOrder(server.account, unacceptable)
  const { findings } = (await client.checkPortOrder({ params: { portorder_id: id } })).body.data.attributes
  const errors = findings.filter((f) => f.severity === 'error')
  const refused = await sign(id, { data: await loaOf(id) })
  assert.equal(refused.status, 422)
  assert.deepEqual(Object.keys(refused.detail).toSorted(), fields)
  assert.deepEqual(new Set(Object.values(refused.detail).flat()), new Set(errors.map((f) => f.message)))
  // reported together with the errors of the form
  const letter = await loaOf(id)
  const both = await sign(id, { data: { ...letter, attributes: { ...letter.attributes, city: 'Portland', zip: '1' } } })
  assert.deepEqual(Object.keys(both.detail).toSorted(), ['city', ...fields])
  assert.equal(both.detail['zip']?.length, 2)
  assert.equal((await client.getPortOrder({ params: { portorder_id: id } })).body.data.attributes.status, 'Pending')
  const fixed = { state: 'WA', street: '12 Pine Street', pin: '4711' }
  await client.updatePortOrder({
    params: { portorder_id: id },
    body: { data: { type: 'portorder', attributes: fixed } },
  })
  assert.equal((await sign(id, { data: await loaOf(id) })).order?.status, 'Processing')
})

test('only the operator can force a signature, and the timeline lists the ignored errors', async () => {
  const { id } = await newOrder(server.account, unacceptable)
  const forced = { force: true, data: await loaOf(id) }
  assert.deepEqual(Object.keys((await sign(id, forced)).detail).toSorted(), ['force', ...fields].toSorted())
  assert.equal((await sign(id, { ...forced, force: false }, operator)).status, 422)
  assert.equal((await sign(id, forced, operator)).order?.status, 'Processing')
  const events = (await client.getPortOrderTimeline({ params: { portorder_id: id }, query: { limit: 50 } })).body.data
  const signed = events.find((e) => e.attributes.event_type === 'portorder.signed')
  assert.deepEqual(signed?.attributes.data['forced'], ['pin_mismatch', 'po_box_address', 'zip_state_mismatch'])
})

test('an LOA without agreement or numbers, or with a different text or number, is refused', async () => {
  const { id } = await newOrder(server.account)
  const { attributes, ...letter } = await loaOf(id)
  const grid: [field: 'loa_copy' | 'numbers', value: unknown, reason: RegExp][] = [
    ['loa_copy', undefined, /Is missing/],
    ['loa_copy', '', /Differs from the form/],
    ['loa_copy', attributes.loa_copy.replace('18 years', '16 years'), /The agreement cannot be changed/],
    ['numbers', undefined, /Is missing/],
    ['numbers', [], /Differs from the form/],
    ['numbers', [...attributes.numbers, '2065559999'], /Change the numbers on the order/],
  ]
  for (const [field, value, reason] of grid) {
    const { status, detail } = await sign(id, { data: { ...letter, attributes: { ...attributes, [field]: value } } })
    assert.deepEqual([status, Object.keys(detail)], [422, [field]])
    assert.match(detail[field]?.[0] ?? '', reason)
  }
  // bare, in another sequence of members, and with what a document has besides
  const { numbers, ...rest } = attributes
  assert.equal((await sign(id, { ...rest, type: 'loa', numbers })).order?.status, 'Processing')
})

test('a scenario of the simulated carrier as a PIN does not prevent signing', async () => {
  const { id } = await newOrder(server.account, { provider: 'Simulated Bell', pin: '8A' })
  const { findings } = (await client.checkPortOrder({ params: { portorder_id: id } })).body.data.attributes
  assert.ok(findings.every((f) => f.severity === 'warning'))
  assert.equal((await sign(id, { data: await loaOf(id) })).order?.status, 'Processing')
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { portOrders } from '@demarc/client'
import { details, freshNumber, newOrder, orderBody } from '../../test/support/port-orders.ts'
import { rawClient } from '../../test/support/raw-client.ts'
import { startTestServer } from '../../test/support/server.ts'
import { preflightCheck } from './preflight.ts'
import { checkContext, validOrder } from './check/testing/order.ts'

/** A request reports every invalid field at once, with the messages of the preflight check. */

const server = await startTestServer()
const send = rawClient(server.base_url, server.account)
const detailOf = async (response: Response) => {
  const body = (await response.json()) as { errors: { detail: Record<string, string[]> }[] }
  assert.equal(response.status, 422, JSON.stringify(body))
  return body.errors[0]?.detail ?? {}
}
const body = (attributes: object) => ({ data: { type: 'portorder', attributes } })
const post = (attributes: object) =>
  send('POST', '/v2/portorders', body({ ...details, numbers: [freshNumber()], ...attributes }))
const { id } = await newOrder(server.account)
const patch = (attributes: object) => send('PATCH', `/v2/portorders/${id}`, body(attributes))

/** Details with formats that the check rejects, and the rejected field. */
const malformed: [attributes: Record<string, string>, field: keyof typeof validOrder][] = [
  [{ state: 'XX' }, 'state'],
  [{ state: 'wa' }, 'state'],
  [{ zip: '1' }, 'zip'],
  [{ zip: 'K1A 0B1' }, 'zip'],
  [{ state: 'ON', country: 'CA' }, 'zip'],
  [{ last_4_ssn: '12' }, 'last_4_ssn'],
  [{ last_4_ssn: '12345' }, 'last_4_ssn'],
  [{ billing_number: '555' }, 'billing_number'],
  [{ billing_number: '+442079460000' }, 'billing_number'],
  [{ billing_name: 'Anna' }, 'billing_name'],
  [{ usage_type: 'Business' }, 'company'],
]
for (const [attributes, field] of malformed)
  test(`${JSON.stringify(attributes)} is refused with the message of the preflight check`, async () => {
    const findings = preflightCheck({ ...validOrder, ...attributes }, checkContext)
    const words = findings.filter((f) => f.severity === 'error' && f.pointer === `/data/attributes/${field}`)
    assert.equal(words.length, 1)
    for (const write of [post, patch])
      assert.deepEqual(await detailOf(await write(attributes)), { [field]: words.map((f) => f.message) })
  })

test('an invalid email address is refused', async () => {
  for (const email of ['anna', 'anna@', '@example.com', 'anna@example', 'anna example@x.com', 'a@b@example.com'])
    for (const write of [post, patch]) {
      const detail = await detailOf(await write({ loa_details: { email, cc: `bo@example.com, ${email}` } }))
      const { email: one, emails } = portOrders.formatErrors
      assert.deepEqual(detail, { 'loa_details.cc': [emails], 'loa_details.email': [one] }, email)
    }
  const valid = { email: 'anna.berg+port@mail.example.com', cc: 'bo@example.com; cy@example.ca' }
  assert.equal((await post({ loa_details: valid })).status, 201)
})

test('usage_type is read in upper or lower case and returned in its standard spelling', async () => {
  for (const usage_type of ['business', 'BUSINESS', ' Business ']) {
    const response = await post({ usage_type, company: 'Acme' })
    const { data } = (await response.json()) as { data: { attributes: { usage_type: string } } }
    assert.equal(data.attributes.usage_type, 'Business')
  }
  assert.deepEqual(await detailOf(await post({ usage_type: 'Home' })), {
    usage_type: ['Must be one of: Business, Residential.'],
  })
})

test('a new order is refused with every invalid field, found in the envelope, the formats or the database', async () => {
  const taken = freshNumber()
  await newOrder(server.account, { numbers: [taken] })
  const attributes = {
    ...details,
    numbers: [taken, '206', freshNumber()],
    billing_name: 'Anna',
    usage_type: 'business',
    zip: '1',
    desired_completion_date: '2020-01-01',
    status_url: 'http://10.0.0.1/hook',
    presets: { cnam_id: 77, primary_route_id: 'x', ring: 1 },
    pin: '****1',
    cost: '7.50',
    color: 'red',
  }
  const sent = { data: { type: 'order', id: '999999', attributes, size: 1 }, more: 1 }
  assert.deepEqual(Object.keys(await detailOf(await send('POST', '/v2/portorders', sent))).toSorted(), [
    'billing_name',
    'color',
    'company',
    'cost',
    'desired_completion_date',
    'more',
    'numbers.0',
    'numbers.1',
    'pin',
    'presets.cnam_id',
    'presets.primary_route_id',
    'presets.ring',
    'size',
    'status_url',
    'type',
    'zip',
  ])
  const address = {
    ...details,
    state: undefined,
    zip: undefined,
    billing_address: { state: 'XX', zip: '1', country: 'US' },
  }
  assert.deepEqual(Object.keys(await detailOf(await post(address))).toSorted(), [
    'billing_address.state',
    'billing_address.zip',
  ])
  const missing = await detailOf(await send('POST', '/v2/portorders?dry_run=true', body({ presets: { e911_id: 66 } })))
  assert.deepEqual(Object.keys(missing).toSorted(), [
    'billing_name',
    'city',
    'country',
    'numbers',
    'presets.e911_id',
    'provider',
    'state',
    'street',
    'usage_type',
    'zip',
  ])
})

test('a change is refused with every invalid field, found in the envelope, the formats or the database', async () => {
  const attributes = {
    billing_number: '555',
    desired_completion_date: '2020-01-01',
    status_url: 'http://10.0.0.1/hook',
    usage_type: 'Business',
    zip: '1',
    alias: 5,
  }
  const sent = { data: { type: 'order', attributes, size: 1 }, more: 1 }
  assert.deepEqual(Object.keys(await detailOf(await send('PATCH', `/v2/portorders/${id}`, sent))).toSorted(), [
    'alias',
    'billing_number',
    'company',
    'desired_completion_date',
    'more',
    'size',
    'status_url',
    'type',
    'zip',
  ])
  const presets = { cnam_id: 77, failover_route_id: '99' }
  assert.deepEqual(
    Object.keys(await detailOf(await send('PATCH', `/v2/portorders/${id}`, { presets, type: 'cnam' }))).toSorted(),
    ['presets.cnam_id', 'presets.failover_route_id', 'type'],
  )
})

test('numbers to add and remove are refused with every invalid entry', async () => {
  const [taken, other] = [freshNumber(), freshNumber()]
  await newOrder(server.account, { numbers: [taken] })
  const sent = { add: ['206', taken, '+18005550188'], remove: [other, 5], color: 1 }
  const detail = await detailOf(await send('PATCH', `/v2/portorders/${id}/relationships/numbers`, sent))
  assert.deepEqual(Object.keys(detail).toSorted(), ['add.0', 'add.1', 'add.2', 'color', 'remove.0', 'remove.1'])
})

test('an LOA and a comment are refused with every invalid field', async () => {
  const letter = { data: { type: 'cnam', attributes: { signature_name: '', color: 1 } }, force: 'yes' }
  const detail = await detailOf(await send('POST', `/v2/portorders/${id}/loa`, letter))
  for (const field of ['type', 'force', 'signature_name', 'signature_title', 'color', 'numbers', 'loa_copy'])
    assert.ok(detail[field], field)
  const comment = await detailOf(await send('POST', `/v2/portorders/${id}/comments`, { private: true, color: 1 }))
  assert.deepEqual(Object.keys(comment).toSorted(), ['color', 'private', 'text'])
})

test('a field of the wrong type is refused and never causes a server error', async () => {
  const original = (await server.account.client.getPortOrder({ params: { portorder_id: id } })).body.data
  const fresh = orderBody().data.attributes
  const names = [...Object.keys(portOrders.portOrderChanges.shape), ...Object.keys(original.attributes)]
  for (const name of new Set(names))
    for (const value of [1, true, {}, [], null, '\0']) {
      const created = await send('POST', '/v2/portorders', body({ ...fresh, numbers: [freshNumber()], [name]: value }))
      const edited = await send('PATCH', `/v2/portorders/${id}`, body({ ...original.attributes, [name]: value }))
      const [first, second] = [created.status, edited.status]
      assert.ok(
        [201, 422].includes(first) && [200, 409, 422].includes(second),
        `${name} ${JSON.stringify(value)}: ${first} ${second}`,
      )
    }
})

test('portability can be checked with a form, with one or more numbers in any notation', async () => {
  const ask = async (form: string) => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const response = await send('POST', '/v2/portorders/portability', form, headers)
    assert.equal(response.status, 200)
    return ((await response.json()) as { data: { portable: string[] } }).data.portable
  }
  const both = ['+12065550177', '+14165550178']
  for (const form of [
    'numbers=12065550177&numbers=14165550178',
    'numbers%5B%5D=%2B12065550177&numbers%5B%5D=%2B14165550178',
    'numbers[]=+12065550177&numbers[]=(416) 555-0178',
    'numbers[0]=2065550177&numbers[1]=4165550178',
  ])
    assert.deepEqual(await ask(form), both, form)
  assert.deepEqual(await ask('numbers=12065550177'), ['+12065550177'])
})

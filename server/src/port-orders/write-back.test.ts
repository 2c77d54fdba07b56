import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freshNumber, newOrder, orderIn, sign } from '../../test/support/port-orders.ts'
import { rawClient } from '../../test/support/raw-client.ts'
import { startTestServer } from '../../test/support/server.ts'
import { portOrders } from '@demarc/client'

/** Clients read a document of an order, its status, its LOA, or a comment, change one member, and send the document back. */

const server = await startTestServer()
const { client } = server.account
const send = rawClient(server.base_url, server.account)

interface Document {
  data: { type: string; id: string; attributes: Record<string, unknown> }
}

const read = async (path: string): Promise<Document> => {
  const response = await send('GET', `/v2/portorders/${path}`)
  assert.equal(response.status, 200)
  return (await response.json()) as Document
}
const put = (document: Document, path = document.data.id, method = 'PATCH') =>
  send(method, `/v2/portorders${path === '' ? '' : `/${path}`}`, document)
const changed = (document: Document, attributes: Record<string, unknown>): Document => ({
  ...document,
  data: { ...document.data, attributes: { ...document.data.attributes, ...attributes } },
})
const accepted = async (response: Response, status = 200) => {
  const body = (await response.json()) as Document
  assert.equal(response.status, status, JSON.stringify(body))
  return body.data
}
const refused = async (response: Response, status = 422) => {
  assert.equal(response.status, status)
  return ((await response.json()) as { errors: { detail: Record<string, string[]> }[] }).errors[0]?.detail ?? {}
}
const eventsOf = async (id: string) =>
  (await client.getPortOrderTimeline({ params: { portorder_id: id }, query: { limit: 200 } })).body.data

const full = {
  alias: 'Front desk',
  usage_type: 'Business',
  company: 'Acme Widgets, Inc.',
  street2: 'Suite 5',
  billing_number: '(206) 555-0100',
  pin: '4711',
  last_4_ssn: '6789',
  provider_account: 'AC-1',
  enable_cnam_lookups: true,
  loa_details: { email: 'anna@example.com', cc: 'bo@example.com, cy@example.com' },
  status_url: 'https://example.com/port',
  presets: { primary_route_id: 0, alias: 'Sales' },
} as const

for (const status of portOrders.portOrderStatuses)
  test(`${status}: the unchanged document is accepted and changes nothing`, async () => {
    const { id } = await orderIn(server, status, full)
    const original = await read(id)
    const events = await eventsOf(id)
    const extras = { jsonapi: { version: '1.1' }, meta: { read: 'just now' }, included: [] }
    assert.deepEqual(await accepted(await put({ ...original, ...extras }, id)), original.data)
    assert.deepEqual((await accepted(await put(original, `${id}/status`))).attributes['status'], status)
    assert.deepEqual(await read(id), original)
    assert.deepEqual(await eventsOf(id), events)
  })

const changes: [field: string, value: unknown, shown?: Record<string, unknown>][] = [
  ['alias', 'Back office'],
  ['billing_name', 'Zoë Núñez'],
  ['usage_type', 'rEsIdential', { usage_type: 'Residential' }],
  ['company', 'Acme'],
  ['pin', '0815', { pin: '****5' }],
  ['last_4_ssn', '1234', { last_4_ssn: '****' }],
  ['enable_cnam_lookups', false],
  ['provider', 'New Telephone Company'],
  ['loa_details', { email: 'zoe@example.com' }, { loa_details: { email: 'zoe@example.com', cc: full.loa_details.cc } }],
  ['presets', { alias: 'Support' }],
]
for (const [field, value, shown = { [field]: value }] of changes)
  test(`one change in the document is applied: ${field}`, async () => {
    const { id } = await newOrder(server.account, full)
    const original = await read(id)
    const expected = { ...original.data.attributes, ...shown }
    if (field === 'presets')
      expected['presets'] = { ...(original.data.attributes['presets'] as object), alias: 'Support' }
    const { modified_at, next, ...now } = (await accepted(await put(changed(original, { [field]: value })))).attributes
    assert.ok(modified_at && next)
    assert.deepEqual({ ...expected, ...now }, expected)
    const [type] = (await eventsOf(id)).map((e) => e.attributes.event_type).slice(-1)
    assert.equal(type, field === 'presets' ? 'portorder.presets_changed' : 'portorder.changed')
  })

test('a change in billing_address changes the address, and errors name the field that was sent', async () => {
  const { id } = await newOrder(server.account, full)
  const original = await read(id)
  const address = original.data.attributes['billing_address'] as Record<string, unknown>
  const moved = { ...address, street: '1 Market Street', street2: null, city: 'Spokane', zip: '99201' }
  const after = await accepted(await put(changed(original, { billing_address: moved })))
  assert.deepEqual(after.attributes['billing_address'], moved)
  const event = (await eventsOf(id)).at(-1)?.attributes.data
  assert.deepEqual(event?.['cleared'], ['street2'])

  const now = await read(id)
  const grid: [attributes: Record<string, unknown>, fields: string[]][] = [
    [{ billing_address: { ...moved, zip: '1' } }, ['billing_address.zip']],
    [{ billing_address: { ...moved, state: 'XX', color: 1 } }, ['billing_address.state', 'billing_address.color']],
    [{ billing_address: { ...moved, city: 'Tacoma' }, city: 'Yakima' }, ['city']],
    [{ billing_address: 'Seattle' }, ['billing_address']],
  ]
  for (const [attributes, fields] of grid)
    assert.deepEqual(Object.keys(await refused(await put(changed(now, attributes)))), fields)
  // next to an unchanged billing_address, a top-level address field is the change
  const { attributes } = await accepted(await put(changed(now, { city: 'Yakima' })))
  assert.deepEqual(attributes['billing_address'], { ...moved, city: 'Yakima' })
})

test('read-only attributes are refused by name, with all other errors, and nothing is written', async () => {
  const { id, attributes } = await newOrder(server.account, full)
  const original = await read(id)
  const numbers = [...attributes.numbers, freshNumber()]
  const detail = await refused(
    await put(changed(original, { cost: '0.00', numbers, pin: '****2', status: 'Completed', zip: 5, color: 1 })),
  )
  assert.deepEqual(Object.keys(detail).toSorted(), ['color', 'cost', 'numbers', 'pin', 'status', 'zip'])
  assert.match(detail['numbers']?.[0] ?? '', /relationships\/numbers/)
  assert.deepEqual(Object.keys(await refused(await put(changed(original, { numbers })))), ['numbers'])
  assert.deepEqual(await refused(await put(changed(original, { status: 'cancelled', alias: 'Other' }))), {
    body: [portOrders.mixedChanges],
  })
  assert.deepEqual(await read(id), original)
})

test('a document of a different order than in the path is a 409, also for statuses and LOAs', async () => {
  const { id } = await newOrder(server.account)
  const other = await newOrder(server.account)
  for (const path of ['', '/status', '/loa']) {
    const original = await read(`${other.id}${path}`)
    const response = await put(original, `${id}${path}`, path === '/loa' ? 'POST' : 'PATCH')
    assert.match(String(await refused(response, 409)), new RegExp(`${other.id}.*${id}`))
  }
})

test('the status `cancelled` cancels an order, in its document and in its status document', async () => {
  for (const path of ['', '/status']) {
    const { id } = await newOrder(server.account, full)
    const original = await read(`${id}${path}`)
    const { attributes } = await accepted(await put(changed(original, { status: 'cancelled' }), `${id}${path}`))
    assert.equal(attributes['status'], 'Canceled')
  }
})

test('null clears optional attributes, and the event lists them; missing attributes stay unchanged', async () => {
  const { id } = await newOrder(server.account, full)
  const cleared = ['billing_number', 'company', 'street2', 'provider_account', 'status_url', 'pin', 'last_4_ssn']
  const nothing = Object.fromEntries(cleared.map((field) => [field, null]))
  const original = await read(id)
  const { attributes } = await accepted(
    await put({
      data: {
        ...original.data,
        attributes: { usage_type: 'Residential', loa_details: null, enable_cnam_lookups: null, ...nothing },
      },
    }),
  )
  for (const field of cleared.filter((each) => each !== 'street2')) assert.equal(attributes[field], '', field)
  assert.deepEqual(attributes['loa_details'], { cc: '', email: '' })
  assert.deepEqual([attributes['enable_cnam_lookups'], attributes['alias']], [false, 'Front desk'])
  const data = (await eventsOf(id)).at(-1)?.attributes.data ?? {}
  assert.deepEqual(new Set(data['cleared'] as string[]), new Set([...cleared, 'loa_cc', 'loa_email']))
  assert.deepEqual(data['secrets'], ['pin', 'last_4_ssn'])
  const gone = await accepted(await send('PATCH', `/v2/portorders/${id}`, { presets: null }))
  assert.deepEqual(new Set(Object.values(gone.attributes['presets'] as object)), new Set([null]))
  assert.deepEqual((await eventsOf(id)).at(-1)?.attributes.data['cleared'], ['primary_route_id', 'number_alias'])
  const required = { billing_name: null, street: null, usage_type: null, provider: null }
  assert.deepEqual(
    Object.keys(await refused(await put({ data: { ...original.data, attributes: required } }))).toSorted(),
    Object.keys(required).toSorted(),
  )
})

test('the document of an order with other numbers creates a new order; its masks stand for its secrets', async () => {
  const { id } = await newOrder(server.account, full)
  const original = await read(id)
  const numbers = [freshNumber()]
  const made = await accepted(await put(changed(original, { numbers }), '', 'POST'), 201)
  const moving = ['numbers', 'group_id', 'created_at', 'modified_at', 'next']
  const lasting = (attributes: Record<string, unknown>) =>
    Object.entries(attributes).filter(([name]) => !moving.includes(name))
  assert.notEqual(made.id, id)
  assert.deepEqual(made.attributes['numbers'], numbers)
  assert.deepEqual(new Map(lasting(made.attributes)), new Map(lasting(original.data.attributes)))
  const check = async (order: string) =>
    (await client.checkPortOrder({ params: { portorder_id: order } })).body.data.attributes.findings
  assert.deepEqual(
    (await check(made.id)).filter((f) => f.severity === 'error'),
    [],
  )

  const foreign = await newOrder(server.other)
  const of = (order: string, attributes: Record<string, unknown>): Document => ({
    data: {
      ...original.data,
      id: order,
      attributes: { ...original.data.attributes, numbers: [freshNumber()], ...attributes },
    },
  })
  for (const order of [foreign.id, '999999'])
    assert.ok(Object.hasOwn(await refused(await put(of(order, {}), '', 'POST')), 'cost'))
  const detail = await refused(
    await put(of(id, { cost: '1.00', pin: '****9', billing_address: { city: '' } }), '', 'POST'),
  )
  assert.deepEqual(Object.keys(detail).toSorted(), ['billing_address.city', 'cost', 'pin'])
})

test('an item of a list can be written back, also if it shows only some of its numbers', async () => {
  const numbers = Array.from({ length: 150 }, () => freshNumber())
  const { id } = await newOrder(server.account, { numbers })
  const list = (await (await send('GET', '/v2/portorders?limit=1')).json()) as { data: Document['data'][] }
  const [item] = list.data
  assert.ok(item?.id === id)
  const { attributes } = await accepted(await put(changed({ data: item }, { alias: 'From a list' })))
  assert.deepEqual([attributes['alias'], attributes['numbers_count']], ['From a list', 150])
  assert.equal((await read(id)).data.attributes['numbers_count'], 150)
  const copied = await refused(await put({ data: { ...item, attributes: (await listed()).attributes } }, '', 'POST'))
  assert.match(copied['numbers']?.[0] ?? '', /first 100 of 150/)
})

const listed = async () =>
  ((await (await send('GET', '/v2/portorders?limit=1')).json()) as { data: [Document['data']] }).data[0]

test('a comment can be sent back with another text', async () => {
  const { id } = await newOrder(server.account)
  const path = `/v2/portorders/${id}/comments`
  const first = (await (await send('POST', path, { text: 'When?' })).json()) as Document
  const again = await accepted(await send('POST', path, changed(first, { text: 'And now?' })), 201)
  assert.deepEqual([again.attributes['text'], again.id === first.data.id], ['And now?', false])
  assert.deepEqual(Object.keys(await refused(await send('POST', path, changed(first, { author: 'operator' })))), [
    'author',
  ])
})

test('a signed order is changed only if its status allows it, regardless of the rest of the document', async () => {
  const { id } = await newOrder(server.account, full)
  await sign(server.account, id)
  const original = await read(id)
  assert.match(String(await refused(await put(changed(original, { alias: 'Other' })), 409)), /status Processing/)
  const { attributes } = await accepted(await put(changed(original, { presets: { alias: 'Other' } })))
  assert.equal((attributes['presets'] as { alias: string }).alias, 'Other')
})

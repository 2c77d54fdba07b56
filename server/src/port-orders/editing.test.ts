import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freshNumber, newOrder, orderIn, sign } from '../../test/support/port-orders.ts'
import { rawClient } from '../../test/support/raw-client.ts'
import { fieldErrors, sentence } from '../../test/support/refusals.ts'
import { startTestServer } from '../../test/support/server.ts'
import { statedDigest } from './loa/verify.ts'

const server = await startTestServer()
const { client, id: account_id } = server.account
const send = rawClient(server.base_url, server.account)
const at = (id: string) => ({ params: { portorder_id: id } })
const get = async (id: string) => (await client.getPortOrder(at(id))).body.data
const edit = (id: string, attributes: Record<string, unknown>) =>
  send('PATCH', `/v2/portorders/${id}`, { data: { type: 'portorder', attributes } })
const detailOf = async (response: Response, status: number) => {
  assert.equal(response.status, status)
  return ((await response.json()) as { errors: { detail: Record<string, string[]> }[] }).errors[0]?.detail ?? {}
}
const eventsOf = async (id: string, as = client) =>
  (await as.getPortOrderTimeline({ ...at(id), query: { limit: 200 } })).body.data

test('details can be changed one by one and are validated with the rest of the order', async () => {
  const { id } = await newOrder(server.account, { pin: '4711' })
  const response = await edit(id, {
    billing_name: 'Zoë Núñez',
    street2: 'Floor 2',
    pin: '0815',
    loa_details: { cc: 'x@example.com' },
  })
  assert.equal(response.status, 200)
  const { attributes } = await get(id)
  assert.deepEqual(
    [attributes.billing_name, attributes.billing_address.street2, attributes.pin, attributes.loa_details.cc],
    ['Zoë Núñez', 'Floor 2', '****5', 'x@example.com'],
  )
  const event = (await eventsOf(id)).at(-1)
  assert.equal(event?.attributes.event_type, 'portorder.changed')
  assert.deepEqual(event?.attributes.data['secrets'], ['pin'])
  assert.deepEqual(await detailOf(await edit(id, { usage_type: 'Business' }), 422), {
    company: ['Is required when the usage type is Business.'],
  })
  assert.deepEqual(
    Object.keys(await detailOf(await edit(id, { billing_name: '', numbers: [], zip: 5 }), 422)).toSorted(),
    ['billing_name', 'numbers', 'zip'],
  )
  assert.deepEqual(Object.keys(await detailOf(await edit(id, { pin: '****6' }), 422)), ['pin'])
  assert.deepEqual(Object.keys(await detailOf(await edit(id, {}), 422)), ['attributes'])
  assert.equal((await get(id)).attributes.pin, '****5')
  assert.equal((await edit(id, { pin: '' })).status, 200)
  assert.equal((await get(id)).attributes.pin, '')
})

test('presets can be changed bare or in the envelope, each separately; responses have integer ids', async () => {
  const { id } = await newOrder(server.account)
  const cnam = (await client.createCnam({ body: { value: 'HARBOR DENTAL' } })).body.data
  const set = (body: unknown) => send('PATCH', `/v2/portorders/${id}`, body)
  assert.equal((await set({ presets: { cnam_id: cnam.id, primary_route_id: 0 } })).status, 200)
  assert.equal(
    (await set({ data: { type: 'portorder', attributes: { presets: { alias: 'Sales', primary_route_id: null } } } }))
      .status,
    200,
  )
  assert.deepEqual((await get(id)).attributes.presets, {
    cnam_id: Number(cnam.id),
    e911_id: null,
    primary_route_id: null,
    failover_route_id: null,
    alias: 'Sales',
  })
  assert.deepEqual(await detailOf(await set({ presets: { cnam_id: 999, failover_route_id: '7' } }), 422), {
    'presets.cnam_id': ['No caller ID name 999 is on this account.'],
    'presets.failover_route_id': ['No route 7 is on this account.'],
  })
  assert.deepEqual(Object.keys(await detailOf(await set({ presets: { cnam_id: 'x', ring: 1 } }), 422)).toSorted(), [
    'presets.cnam_id',
    'presets.ring',
  ])
})

test('a body that mixes cancel, presets and details is refused and changes nothing', async () => {
  const order = await newOrder(server.account)
  const cancel = { status: 'cancelled' }
  const mixtures = [
    { presets: { alias: 'A' }, data: { type: 'portorder', attributes: cancel } },
    { presets: { alias: 'A' }, data: { type: 'portorder', attributes: { alias: 'B' } } },
    { presets: { alias: 'A' }, data: {} },
    { data: { type: 'portorder', attributes: { ...cancel, alias: 'B' } } },
    { data: { type: 'portorder', attributes: { ...cancel, presets: { alias: 'A' } } } },
    { data: { type: 'portorder', attributes: { presets: { alias: 'A' }, alias: 'B' } } },
  ]
  for (const body of mixtures) {
    const detail = await detailOf(await send('PATCH', `/v2/portorders/${order.id}`, body), 422)
    assert.match(detail['body']?.[0] ?? '', /in separate requests/, JSON.stringify(body))
  }
  for (const body of [
    {},
    { data: {} },
    { data: { type: 'portorder', attributes: { status: 'Canceled' } } },
    { data: { type: 'cnam', attributes: cancel } },
    { data: { attributes: cancel } },
    [],
  ])
    await detailOf(await send('PATCH', `/v2/portorders/${order.id}`, body), 422)
  assert.deepEqual(await get(order.id), order)
})

test('a cancel returns the new status on both paths; the second path does not require a type', async () => {
  const { id } = await newOrder(server.account)
  const cancelled = (
    await client.updatePortOrder({
      ...at(id),
      body: { data: { type: 'portorder', attributes: { status: 'cancelled' } } },
    })
  ).body
  const { status_updated_at } = cancelled.data.attributes
  assert.match(status_updated_at ?? '', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
  assert.deepEqual(cancelled.data, {
    type: 'portorder',
    id,
    attributes: { status: 'Canceled', status_updated_at },
    links: { self: `${server.base_url}/v2/portorders/${id}` },
  })
  assert.deepEqual((await client.getPortOrderStatus(at(id))).body, cancelled)
  const rejected = await orderIn(server, 'Rejected')
  const response = await send('PATCH', `/v2/portorders/${rejected.id}/status`, {
    data: { attributes: { status: 'cancelled' } },
  })
  assert.equal(
    ((await response.json()) as { data: { attributes: { status: string } } }).data.attributes.status,
    'Abandoned',
  )
})

test('a pending status has no time', async () => {
  const { id } = await newOrder(server.account)
  const { attributes } = (await client.getPortOrderStatus(at(id))).body.data
  assert.deepEqual(attributes, { status: 'Pending', status_updated_at: null })
})

test('numbers are added and removed, all or none, and every error is reported', async () => {
  const [a, b, c, d] = [freshNumber(), freshNumber(), freshNumber(), freshNumber()]
  const { id } = await newOrder(server.account, { numbers: [a, b] })
  await newOrder(server.account, { numbers: [d] })
  const change = (body: { add?: string[]; remove?: string[] }) => client.changePortOrderNumbers({ ...at(id), body })
  const { attributes } = (await change({ add: [c], remove: [a] })).body.data
  assert.deepEqual([attributes.numbers, attributes.cost], [[b, c].toSorted(), '15.00'])
  assert.deepEqual((await change({})).body.data.attributes.numbers, [b, c].toSorted())
  const grid: [{ add?: string[]; remove?: string[] }, Record<string, RegExp>][] = [
    [{ add: [c] }, { 'add.0': /already on this order/ }],
    [{ add: [d] }, { 'add.0': /another open port order/ }],
    [{ add: [a, a] }, { 'add.1': /more than once/ }],
    [
      { add: [b], remove: [b] },
      { 'add.0': /both/, 'remove.0': /both/ },
    ],
    [{ remove: [d] }, { 'remove.0': /not on this order/ }],
    [{ remove: [b, c] }, { remove: /must remain/ }],
    [{ add: ['206'] }, { 'add.0': /E\.164/ }],
    [{ add: ['+18005550188'] }, { 'add.0': /a separate order/ }],
    [{ add: ['+19995550188'] }, { 'add.0': /area code/ }],
  ]
  for (const [body, expected] of grid) {
    const errors = await fieldErrors(change(body))
    assert.deepEqual(Object.keys(errors).toSorted(), Object.keys(expected).toSorted(), JSON.stringify(body))
    for (const [field, pattern] of Object.entries(expected)) assert.match(errors[field]?.[0] ?? '', pattern)
  }
  assert.deepEqual((await get(id)).attributes.numbers, [b, c].toSorted())
})

test('concurrent edits of one order are all applied', async () => {
  const { id } = await newOrder(server.account)
  const added = Array.from({ length: 10 }, () => freshNumber())
  await Promise.all([
    ...added.map((n) => client.changePortOrderNumbers({ ...at(id), body: { add: [n] } })),
    edit(id, { alias: 'Both' }),
    client.updatePortOrder({ ...at(id), body: { presets: { alias: 'Sales' } } }),
  ])
  const { attributes } = await get(id)
  assert.deepEqual([attributes.alias, attributes.presets.alias, attributes.numbers.length], ['Both', 'Sales', 11])
})

test('the LOA form is accepted signed and otherwise unchanged', async () => {
  const { id, attributes } = await newOrder(server.account, { billing_name: 'Łukasz Żółć' })
  const response = await send('GET', `/v2/portorders/${id}/LOA`)
  assert.equal(response.status, 200)
  const { data } = (await response.json()) as Awaited<ReturnType<typeof client.getLoa>>['body']
  assert.deepEqual(
    [data.type, data.id, data.attributes.numbers],
    ['loa', id, attributes.numbers.map((n) => n.slice(2))],
  )
  assert.deepEqual([data.attributes.signature_name, data.attributes.signature_title], ['', ''])
  const post = (attributes: Record<string, unknown>, more: object = {}) =>
    send('POST', `/v2/portorders/${id}/loa`, {
      data: { ...data, ...more, attributes: { ...data.attributes, ...attributes } },
    })
  assert.deepEqual(Object.keys(await detailOf(await post({}), 422)), ['signature_name', 'signature_title'])
  const signed = { signature_name: 'Zoë Núñez', signature_title: 'Owner' }
  assert.deepEqual(Object.keys(await detailOf(await post({ ...signed, city: 'Portland', color: 1 }), 422)).toSorted(), [
    'city',
    'color',
  ])
  assert.match(String(await detailOf(await post(signed, { id: '1' }), 409)), /belongs to port order 1,/)
  assert.deepEqual(Object.keys(await detailOf(await post({ ...signed, signature_name: '山田太郎' }), 422)), [
    'signature_name',
  ])
  assert.equal((await get(id)).attributes.status, 'Pending')
  const submitted = await post(signed)
  assert.equal(submitted.status, 201)
  const after = await get(id)
  assert.equal(after.attributes.status, 'Processing')
  assert.deepEqual(after.attributes.business_documents, [{ filename: `LOA-${id}.pdf`, status: 'uploaded' }])
  assert.match(after.attributes.loa?.facts_sha256 ?? '', /^[0-9a-f]{64}$/)
})

test('a hundred submissions of one LOA create one LOA and one transition, and the LOA verifies', async () => {
  const { id } = await newOrder(server.account)
  const { body: form } = await client.getLoa(at(id))
  const body = {
    data: {
      ...form.data,
      attributes: { ...form.data.attributes, signature_name: 'Anna Berg', signature_title: 'Owner' },
    },
  }
  const outcomes = await Promise.allSettled(Array.from({ length: 100 }, () => client.submitLoa({ ...at(id), body })))
  assert.equal(outcomes.filter((o) => o.status === 'fulfilled').length, 1)
  for (const o of outcomes) if (o.status === 'rejected') assert.equal((o.reason as { status: number }).status, 409)
  const order = await get(id)
  assert.equal(order.attributes.business_documents.length, 1)
  assert.equal((await eventsOf(id)).filter((e) => e.attributes.event_type === 'portorder.signed').length, 1)

  const file = (await client.listPortOrderFiles(at(id))).body.data[0]
  assert.ok(file)
  const pdf = Buffer.from(
    await (await client.getPortOrderFileContent({ params: { portorder_id: id, file: file.id } })).body.arrayBuffer(),
  )
  assert.equal(statedDigest(pdf), order.attributes.loa?.facts_sha256)
  const verify = async (bytes: Buffer) =>
    (await server.operator.verifyLoa({ ...at(id), body: new Uint8Array(bytes), content_type: 'application/pdf' })).body
      .data.attributes
  const verified = await verify(pdf)
  assert.deepEqual(
    [verified.authentic, verified.error, verified.signature_name, verified.changed_fields],
    [true, null, 'Anna Berg', []],
  )
  assert.ok(verified.access_key_id !== null && verified.ip !== null && verified.user_agent !== null)
  pdf[pdf.length >> 1] = (pdf[pdf.length >> 1] ?? 0) ^ 1
  const tampered = await verify(pdf)
  assert.deepEqual([tampered.authentic, tampered.error], [false, 'loa_changed'])
  assert.match(tampered.reason ?? '', /bytes differ/)
  const other = await newOrder(server.account)
  const unsigned = server.operator.verifyLoa({ ...at(other.id), body: 'x', content_type: 'application/pdf' })
  assert.equal(await sentence(unsigned, 404), `No signed LOA of port order ${other.id} exists.`)
})

test('the operator is warned of an LOA that is old or differs from the order', async () => {
  const { id } = await newOrder(server.account)
  await sign(server.account, id)
  await server.operator.transitionPortOrder({ ...at(id), body: { to: 'Rejected', reason_code: 'name_incomplete' } })
  assert.equal((await edit(id, { billing_name: 'Anna Maria Berg' })).status, 200)
  await client.resubmitPortOrder(at(id))
  await server.clock.advanceTo(new Date(server.clock.now().getTime() + 31 * 86_400_000))
  const { meta } = (await server.operator.transitionPortOrder({ ...at(id), body: { to: 'Submitted' } })).body
  assert.deepEqual(
    meta.warnings.map((w) => w.code),
    ['loa_expired', 'loa_outdated'],
  )
  assert.match(meta.warnings[0]?.message ?? '', /31 days ago/)
})

test('customer and operator see comments; only the operator sees private ones, also on the timeline', async () => {
  const { id } = await newOrder(server.account)
  await client.addPortOrderComment({
    ...at(id),
    body: { data: { type: 'portorder_comment', attributes: { text: 'When?' } } },
  })
  await server.operator.addPortOrderComment({ ...at(id), body: { text: 'Soon.' } })
  await server.operator.addPortOrderComment({ ...at(id), body: { text: 'Slow carrier.', private: true } })
  assert.deepEqual(await fieldErrors(client.addPortOrderComment({ ...at(id), body: { text: 'x', private: true } })), {
    private: ['Only the operator can make a comment private.'],
  })
  const texts = async (as: typeof client) =>
    (await as.listPortOrderComments(at(id))).body.data.map(({ attributes: a }) => [a.author, a.text])
  const open = [
    ['account', 'When?'],
    ['operator', 'Soon.'],
  ]
  assert.deepEqual(await texts(client), open)
  assert.deepEqual(await texts(server.operator), [...open, ['operator', 'Slow carrier.']])
  assert.equal((await get(id)).attributes.comments.length, 2)
  assert.equal((await server.operator.getPortOrder(at(id))).body.data.attributes.comments.length, 3)
  assert.ok(!JSON.stringify(await eventsOf(id)).includes('portorder.noted'))
  assert.ok(JSON.stringify(await eventsOf(id, server.operator)).includes('portorder.noted'))
})

test('the preflight check reports why an order would be rejected, with the field and a suggestion', async () => {
  const { id } = await newOrder(server.account, { state: 'OR', street: 'PO Box 12', pin: 'a b' })
  const { ok, findings } = (await client.checkPortOrder(at(id))).body.data.attributes
  assert.equal(ok, false)
  const summaries = findings.map((f) => `${f.severity} ${f.pointer}`)
  for (const expected of ['error /data/attributes/pin', 'error /data/attributes/street', 'error /data/attributes/zip'])
    assert.ok(summaries.includes(expected), `${expected} in ${summaries.join('; ')}`)
  assert.ok(!JSON.stringify(findings).includes('a b'))
  assert.ok(account_id !== '')
})

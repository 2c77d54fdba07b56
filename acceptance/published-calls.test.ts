import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { addNumbers, friendship, portOrder, run } from './support/cast.ts'
import { document, empty, list, plainHttp, type Resource } from './support/plain-http.ts'
import { openService } from './support/service.ts'

/** The examples from the Flowroute API v2 reference, sent as curl sends them, without a client library. */

const service = await openService()
after(() => service.stop())

const send = plainHttp(service.base_url, service.keys.account, { 'user-agent': 'curl/8.5.0', accept: '*/*' })
const jsonapi = { 'content-type': 'application/vnd.api+json', accept: 'application/vnd.api+json' }
const json = { 'content-type': 'application/json', accept: 'application/json' }
const write = (method: string, path: string, headers: Record<string, string>, body: unknown) =>
  send(method, path, { headers, body: JSON.stringify(body) })

const [number = ''] = await addNumbers(service, ['21'])

test('flat bodies set a number’s alias and CNAM lookup, the latter also as a string', async () => {
  const path = `/v2/numbers/${number}`
  const alias = `Home Phone ${run}`
  const named = document(await write('PATCH', path, jsonapi, { type: 'number', alias })).data
  assert.equal(named.attributes['alias'], alias)
  const found = list(await send('GET', `/v2/numbers?alias=Home%20Phone%20${run}`, { headers: jsonapi })).data
  assert.deepEqual(
    found.map((n) => n.attributes['value']),
    [number],
  )
  for (const [value, kept] of [
    ['true', true],
    ['false', false],
    [true, true],
  ] as const) {
    const body = { cnam_lookups_enabled: value, type: 'number' }
    // `-H 'Content-Type': '…'`, with a space, makes curl send no type at all
    const { attributes } = document(await write('PATCH', path, {}, body)).data
    assert.deepEqual([attributes['cnam_lookups_enabled'], attributes['alias']], [kept, alias])
  }
})

test('numbers are found by leading digits with the country code, with + and the country code, and without either', async () => {
  for (const prefix of [number.slice(1, 9), number.slice(0, 9), `+${number.slice(0, 9)}`, `%2B${number.slice(0, 9)}`]) {
    const found = list(await send('GET', `/v2/numbers?starts_with=${prefix}`)).data
    assert.deepEqual(
      found.map((n) => n.attributes['value']),
      [number],
      prefix,
    )
  }
})

const routeValues = [
  ['host', 'pbx.example;transport=tls'],
  ['host', '203.0.113.9:5060;transport=tcp'],
  ['host', `${run}.pbx.example;weight=30`],
  ['host', `${run}.pbx.example:5061;transport=tls;weight=70`],
  ['uri', 'sip:alice@pbx.example'],
  ['uri', 'sip:16476998778@203.0.113.9:5060;transport=tcp;weight=20'],
  ['uri', 'sips:securecall@pbx.example'],
  ['number', '16476998778'],
] as const

test('routes accept every documented form of value, with transport and weight, and store it unchanged', async () => {
  const [edge] = list(await send('GET', '/v2/routes/edge_strategies', { headers: jsonapi })).data
  for (const [i, [route_type, value]] of routeValues.entries()) {
    const attributes = { alias: `Route ${run} ${i}`, route_type, value, edge_strategy_id: edge?.id }
    const made = document(await write('POST', '/v2/routes', jsonapi, { data: { type: 'route', attributes } }), 201).data
    assert.deepEqual(made.attributes, attributes)
    const change = { data: { type: 'route', attributes: { alias: `Renamed ${run} ${i}` } } }
    const changed = document(await write('PATCH', `/v2/routes/${made.id}`, jsonapi, change)).data
    assert.deepEqual(changed.attributes, { ...attributes, ...change.data.attributes })
    empty(await send('DELETE', `/v2/routes/${made.id}`, { headers: jsonapi }))
  }
})

test('an address’s numbers may be integers, and addresses are found by partial match in any case', async () => {
  const attributes = friendship('K', { street_number: 100, address_type: 'suite', address_type_number: Number(run) })
  const made = document(await write('POST', '/v2/e911s', jsonapi, { data: { type: 'e911', attributes } }), 201).data
  const { street_number, address_type, address_type_number } = made.attributes
  assert.deepEqual([street_number, address_type, address_type_number], ['100', 'Suite', run])
  for (const filter of [`label=office%20${run}`, 'street_name=main&limit=2000', 'city=riends&state=wi&limit=2000']) {
    const found = list(await send('GET', `/v2/e911s?${filter}`, { headers: jsonapi })).data
    assert.ok(
      found.some((a) => a.id === made.id),
      filter,
    )
  }
})

test('caller ID names are found by partial match in any case', async () => {
  const made = document(await write('POST', '/v2/cnams', jsonapi, { value: `Bob Law ${run}` }), 201).data
  const found = list(await send('GET', `/v2/cnams?value=law%20${run}`, { headers: jsonapi })).data
  assert.deepEqual(
    found.map((c) => c.id),
    [made.id],
  )
})

test('portability is checked for numbers with +', async () => {
  const numbers = [`+14254${run}31`, `+18884${run}32`, '+12125551']
  const { data } = JSON.parse((await write('POST', '/v2/portorders/portability', json, { numbers })).text) as {
    data?: { portable: string[]; nonportable: unknown[] }
  }
  assert.deepEqual(data?.portable, numbers.slice(0, 2))
  assert.equal(data.nonportable.length, 1)
})

const order = async (endings: readonly string[], other: Record<string, unknown> = {}): Promise<Resource> => {
  const attributes = portOrder(
    endings.map((ending) => `+14254${run}${ending}`),
    other,
  )
  return document(await write('POST', '/v2/portorders', json, { data: { type: 'portorder', attributes } }), 201).data
}

test('a port order with a lowercase usage type is created, read, and tracked alone and as a group', async () => {
  const made = await order(['41', '42'], {
    usage_type: 'residential',
    loa_details: { email: 'rosa@harbor-dental.example', cc: 'front@harbor-dental.example' },
    street2: 'Suite 200',
    enable_cnam_lookups: true,
    pin: '4321',
    provider_account: '123ABC',
    alias: `Order ${run}`,
  })
  const { attributes } = made
  assert.deepEqual(attributes['billing_address'], {
    city: 'Seattle',
    country: 'US',
    state: 'WA',
    street: '88 Pine Street',
    street2: 'Suite 200',
    zip: '98101',
  })
  assert.match(String(attributes['usage_type']), /^residential$/i)
  const nothing = { cnam_id: null, e911_id: null, primary_route_id: null, failover_route_id: null, alias: null }
  assert.deepEqual(attributes['presets'], nothing)
  assert.deepEqual([attributes['comments'], attributes['company'], attributes['cost']], [[], '', '15.00'])
  assert.deepEqual([attributes['status'], attributes['status_updated_at']], ['Pending', null])

  const path = `/v2/portorders/${made.id}`
  assert.deepEqual(document(await send('GET', path, { headers: json })).data, made)
  const status = document(await send('GET', `${path}/status`, { headers: json })).data
  assert.deepEqual([status.type, status.id, status.attributes['status']], ['portorder', made.id, 'Pending'])
  const group = list(await send('GET', `/v2/portorders?group_id=${attributes['group_id']}&status;`, { headers: json }))
  assert.deepEqual(
    group.data.map((o) => o.id),
    [made.id],
  )
  const pending = list(await send('GET', '/v2/portorders?status=pending&limit=200', { headers: json })).data
  assert.ok(pending.some((o) => o.id === made.id))
})

test('an order’s numbers, details, and presets are changed by separate bodies', async () => {
  const { id } = await order(['51', '52'])
  const path = `/v2/portorders/${id}`
  const numbers = `${path}/relationships/numbers`
  const more = document(await write('PATCH', numbers, json, { add: [`+14254${run}53`] })).data
  assert.equal((more.attributes['numbers'] as string[]).length, 3)
  const fewer = document(await write('PATCH', numbers, json, { add: [], remove: [`+14254${run}51`] })).data
  assert.deepEqual(fewer.attributes['numbers'], [`+14254${run}52`, `+14254${run}53`])

  const details = { billing_name: 'Rosa Maria Diaz', usage_type: 'BUSINESS', company: 'Harbor Dental' }
  const changed = await write('PATCH', path, json, { data: { type: 'portorder', attributes: details } })
  const { billing_name, company, usage_type } = document(changed).data.attributes
  assert.deepEqual([billing_name, company], [details.billing_name, details.company])
  assert.match(String(usage_type), /^business$/i)

  const presets = { primary_route_id: '0', alias: 'Ported' }
  const preset = document(await write('PATCH', path, json, { presets })).data.attributes['presets']
  const rest = { cnam_id: null, e911_id: null, failover_route_id: null }
  assert.deepEqual(preset, { ...rest, primary_route_id: 0, alias: 'Ported' })
})

test('a document is pulled by its URL alone', async () => {
  const { id } = await order(['61'])
  const plain = 'https://files.example/port-order-docs/csr.pdf'
  const url = `${plain}?filename=csr.pdf`
  const { data } = document(await write('POST', `/v2/portorders/${id}/files`, json, { url }))
  const { filename, file, original_url, status } = data.attributes
  assert.deepEqual([data.type, filename, file, original_url], ['portorder-file', plain, 'csr.pdf', url])
  assert.ok(['pending', 'processing'].includes(String(status)))
  assert.ok(data.links?.self.endsWith(`/v2/portorders/${id}/files/${data.id}`))
})

test('the LOA is read at its uppercase path, signed, and sent back', async () => {
  const { id } = await order(['71'])
  const form = document(await send('GET', `/v2/portorders/${id}/LOA`, { headers: json })).data
  assert.deepEqual([form.attributes['signature_name'], form.attributes['signature_title']], ['', ''])
  assert.deepEqual(form.attributes['numbers'], [`4254${run}71`])
  const attributes = { ...form.attributes, signature_name: 'Rosa Diaz', signature_title: 'Owner' }
  const signed = await write('POST', `/v2/portorders/${id}/loa`, json, { data: { attributes, type: 'loa' } })
  assert.equal(document(signed, 201).data.attributes['status'], 'Processing')
})

test('an order is canceled by its status, with and without the type', async () => {
  for (const [ending, type] of [
    ['81', {}],
    ['82', { type: 'portorder' }],
  ] as const) {
    const { id } = await order([ending])
    const body = { data: { ...type, attributes: { status: 'cancelled' } } }
    const { data } = document(await write('PATCH', `/v2/portorders/${id}/status`, json, body))
    assert.deepEqual([data.type, data.id, data.attributes['status']], ['portorder', id, 'Canceled'])
    assert.match(String(data.attributes['status_updated_at']), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
  }
})

test('an export accepts every filter and treats null and empty filters as absent', async () => {
  const times = { start_call_start_time: '2026-11-01 00:00:00', start_call_end_time: '2026-12-01 00:00:00' }
  const all = {
    number_aliases: ['Front desk'],
    number_aliases_contains: ['desk'],
    destination_numbers: ['+12065550100'],
    callerid_numbers: ['12065550101'],
    custom_x_tags: ['billing'],
    caller_ip: '192.0.2.10',
    duration_greater_than: 0,
    duration_less_than: 3600,
    cost_greater_than: 0.001,
    cost_less_than: 12.5,
    destination_countries_included: ['US'],
    destination_countries_excluded: ['CA'],
    tollfree_only: false,
    direction: 'outbound',
    exclude_cancelled: true,
    destination_prefix: ['1206'],
    callerid_prefix: ['1206'],
  }
  const blank = Object.entries(all).map(([name, value]) => [name, Array.isArray(value) ? [] : null])
  for (const filters of [all, Object.fromEntries(blank), { direction: '', caller_ip: '', number_aliases: null }]) {
    const attributes = { callback_url: null, filter_parameters: { ...times, ...filters } }
    const body = { data: { type: 'cdrexport', attributes } }
    const made = document(await write('POST', '/v2/cdrs/exports', jsonapi, body), 202).data.attributes
    assert.deepEqual([made['status'], made['download_url']], ['processing', null])
    assert.equal(made['start_call_start_time'], times.start_call_start_time)
  }
})

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { addInventory, addNumbers, addressBody, approvedCnam, run } from './support/cast.ts'
import { document, empty, list, plainHttp, refusal } from './support/plain-http.ts'
import { openService } from './support/service.ts'

/**
 * The documented calls of the Node.js library v3 for the Flowroute API v2, as the requests that it sends: a list has a `?` even
 * if nothing follows, and `&null` if no further filters are passed; an absent body is sent with Content-Length 0.
 */

const service = await openService()
after(() => service.stop())
const { base_url, keys, operator } = service

const send = plainHttp(base_url, keys.account, { 'user-agent': 'Flowroute SDK v3.0', connection: 'close' })
const json = { accept: 'application/json' }
const typed = { 'content-type': 'application/json; charset=utf-8' }

const [number = '', second = ''] = await addNumbers(service, ['11', '12'])

test('numbers are listed with and without filters, and looked up', async () => {
  const all = list(await send('GET', '/v2/numbers?', { headers: json }))
  assert.ok(all.data.length > 0)
  for (const { type, attributes, links } of all.data) {
    assert.equal(type, 'number')
    for (const name of ['alias', 'cnam_lookups_enabled', 'number_type', 'rate_center', 'state', 'value'])
      assert.ok(name in attributes, name)
    assert.ok(links?.self.endsWith(`/v2/numbers/${attributes['value']}`))
  }
  const filters = `starts_with=${number.slice(1, 9)}&ends_with=${number.slice(-2)}&contains=${run}&limit=3&offset=0`
  const [found] = list(await send('GET', `/v2/numbers?${filters}`, { headers: json })).data
  assert.equal(found?.attributes['value'], number)

  const { data, included } = document(await send('GET', `/v2/numbers/${number}`, { headers: json }))
  assert.equal(data.attributes['value'], number)
  assert.ok(included?.every((i) => i.links !== undefined && 'attributes' in i))
})

test('a route is created, listed, and set as primary and failover', async () => {
  const attributes = { route_type: 'number', value: '12065550190', alias: `Node ${run}` }
  const body = JSON.stringify({ data: { type: 'route', attributes } })
  const made = document(await send('POST', '/v2/routes', { headers: typed, body }), 201).data
  assert.deepEqual(made.attributes, { ...attributes, edge_strategy_id: null })
  assert.equal(typeof made.id, 'string')

  assert.equal(list(await send('GET', '/v2/routes?limit=2')).data.length, 2)
  assert.ok(list(await send('GET', '/v2/routes?')).data.length > 1)
  for (const place of ['primary_route', 'failover_route']) {
    const reference = JSON.stringify({ data: { type: 'route', id: made.id } })
    const path = `/v2/numbers/${number}/relationships/${place}`
    empty(await send('PATCH', path, { headers: typed, body: reference }))
  }
  const { relationships } = document(await send('GET', `/v2/numbers/${number}`, { headers: json })).data
  assert.equal(String(relationships?.['failover_route']?.data?.id), made.id)
})

const withBody = { ...json, ...typed }

test('an address is validated, created, partially updated, assigned to a number, and removed', async () => {
  empty(await send('POST', '/v2/e911s/validate', { headers: typed, body: addressBody('N') }))
  const { data } = document(await send('POST', '/v2/e911s', { headers: withBody, body: addressBody('N') }), 201)
  const path = `/v2/e911s/${data.id}`
  assert.deepEqual(document(await send('GET', path, { headers: json })).data, data)

  const label = `Funeral Homes ${run}`
  const part = { data: { type: 'e911', attributes: { label, first_name: 'Death', last_name: 'Crow' } } }
  const changed = document(await send('PATCH', path, { headers: withBody, body: JSON.stringify(part) })).data
  const { validation: _then, ...before } = data.attributes
  const { validation: _now, ...now } = changed.attributes
  assert.deepEqual(now, { ...before, ...part.data.attributes })

  const relation = `/v2/numbers/${number}/relationships/e911s`
  empty(await send('PATCH', `${relation}/${data.id}`, { headers: json }))
  empty(await send('PATCH', `${relation}/${data.id}`, { headers: json }))
  const users = list(await send('GET', `${path}/relationships/numbers`, { headers: json }))
  assert.deepEqual(
    users.data.map((n) => [n.type, n.id, n.attributes]),
    [['number', number, { alias: null, value: number }]],
  )
  assert.match(users.links.self, /limit=10&offset=0$/)
  empty(await send('DELETE', relation))
  empty(await send('DELETE', path, { headers: json }))
})

test('addresses are listed with a stray null, and without it', async () => {
  document(await send('POST', '/v2/e911s', { headers: withBody, body: addressBody('M') }), 201)
  for (const query of ['?limit=3&null', '?limit=3&state=WI&', '?&null', '?limit=3&offset=0&state=WI&null']) {
    const page = list(await send('GET', `/v2/e911s${query}`, { headers: json }))
    assert.ok(page.data.length > 0, query)
    assert.doesNotMatch(page.links.self, /null/)
  }
})

test('an address’s invalid field is named, and a duplicate address gets its own error', async () => {
  const wrong = addressBody('W', { zip: '981' })
  const { detail } = refusal(await send('POST', '/v2/e911s', { headers: withBody, body: wrong }), 422)
  assert.deepEqual(Object.keys(detail ?? {}), ['zip'])
  document(await send('POST', '/v2/e911s', { headers: withBody, body: addressBody('D') }), 201)
  const again = addressBody('D', { label: `Again ${run}` })
  const twin = refusal(await send('POST', '/v2/e911s', { headers: withBody, body: again }), 422)
  assert.deepEqual([twin.title, twin.status, typeof twin.detail], ['Client Error', 400, 'string'])
})

test('a caller ID name is requested with a second content type in a misnamed header', async () => {
  // the intended Content-Type header has apostrophes in its name
  const headers = { ...withBody, "'Content-Type'": 'application/vnd.api+json' }
  const body = JSON.stringify({ value: `Heart ${run}` })
  const made = document(await send('POST', '/v2/cnams', { headers, body }), 201).data
  assert.deepEqual([made.type, made.attributes['value']], ['cnam', `HEART ${run}`])
  refusal(await send('POST', '/v2/cnams', { headers, body }), 422)

  await operator.decideCnam({ params: { cnam_id: String(made.id) }, body: { is_approved: true } })
  const approved = list(await send('GET', '/v2/cnams?limit=3&is_approved=true', { headers: json }))
  assert.ok(approved.data.length > 0 && approved.data.every((c) => c.attributes['is_approved'] === true))
  const { data } = document(await send('GET', `/v2/cnams/${made.id}`, { headers: json }))
  assert.deepEqual([data.attributes['is_approved'], data.attributes['rejection_reason']], [true, null])
  assert.ok(!Number.isNaN(Date.parse(String(data.attributes['approval_datetime']))))
})

test('assigning a name to a number and unassigning it return a document, and removing the name returns none', async () => {
  const id = await approvedCnam(service, `NODE ${run}`)
  const relation = `/v2/numbers/${second}/relationships/cnams`
  const given = document(await send('PATCH', `${relation}/${id}`, { headers: json }), 202).data
  assert.equal(String(given.relationships?.['cnam_preset']?.data?.id), id)
  const taken = document(await send('DELETE', relation, { headers: json }), 202).data
  assert.equal(taken.relationships?.['cnam_preset']?.data, null)
  empty(await send('DELETE', `/v2/cnams/${id}`, { headers: json }))
})

test('area codes, exchanges, and numbers for sale are listed', async () => {
  const values = await addInventory(service, ['31', '32', '33'])
  const codes = list(await send('GET', '/v2/numbers/available/areacodes?limit=400&offset=0&max_setup_cost=3.25'))
  const code = codes.data.find(({ id }) => id === '253')
  assert.equal(code?.type, 'areacode')
  const related = (resource: unknown) => (resource as { links: { related: string } }).links.related
  assert.ok(related(code).endsWith('/v2/numbers/available/exchanges?areacode=253'))
  assert.ok(list(await send('GET', '/v2/numbers/available/areacodes?')).data.length > 0)

  const exchanges = list(
    await send('GET', '/v2/numbers/available/exchanges?limit=200&offset=0&max_setup_cost=3.25&areacode=253'),
  )
  const exchange = exchanges.data.find(({ id }) => id === `2537${run}`.slice(0, 6))
  assert.equal(exchange?.type, 'exchange')
  assert.ok(related(exchange).endsWith(`/v2/numbers/available?starts_with=1${exchange.id}`))

  const filters = `starts_with=2537${run}&contains=3&ends_with=3&limit=3&offset=0&rate_center=Tacoma&state=WA`
  const found = list(await send('GET', `/v2/numbers/available?${filters}`, { headers: json }))
  assert.deepEqual(
    found.data.map(({ type, id }) => [type, id]),
    [['number', values[2]]],
  )
  for (const name of ['monthly_cost', 'number_type', 'rate_center', 'setup_cost', 'state', 'value'])
    assert.ok(name in (found.data[0]?.attributes ?? {}), name)
  assert.ok(related(found.data[0]).endsWith(`/v2/numbers/${values[2]}`))
})

test('a number for sale is bought without a body, shown as any other, and released', async () => {
  const [value = ''] = await addInventory(service, ['41'])
  const path = `/v2/numbers/${value}`
  const { data, included, links } = document(await send('POST', path, { headers: json }), 201)
  assert.deepEqual([data.type, data.attributes['value'], data.attributes['alias']], ['number', value, null])
  const { cnam_preset, e911_address, failover_route, primary_route } = data.relationships ?? {}
  assert.deepEqual([cnam_preset?.data, e911_address?.data, failover_route?.data], [null, null, null])
  assert.deepEqual(primary_route?.data, { type: 'route', id: 0 })
  assert.ok(included?.some(({ attributes }) => attributes['route_type'] === 'sip-reg'))
  assert.deepEqual(links, data.links)
  assert.equal(list(await send('GET', `/v2/numbers/available?starts_with=${value}`)).data.length, 0)
  empty(await send('DELETE', path))
  assert.equal(refusal(await send('DELETE', path), 404).title, 'Resource not found')
  assert.equal(refusal(await send('POST', path, { headers: json }), 404).title, 'Resource not found')
})

test('unsupported operations are refused in a form that the library can read', async () => {
  refusal(await send('POST', '/v2.1/messages', { headers: typed, body: '{"data":{"type":"message"}}' }), 404)
})

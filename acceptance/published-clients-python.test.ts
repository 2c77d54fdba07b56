import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { addInventory, addNumbers, addressBody, approvedCnam, run } from './support/cast.ts'
import { document, empty, list, plainHttp, refusal } from './support/plain-http.ts'
import { openService } from './support/service.ts'

/**
 * The documented calls of the Python library v3 for the Flowroute API v2, as the requests that it sends: a JSON body has no
 * Content-Type except where one is set here, an absent body is sent with Content-Length 0, and dictionaries are sent as forms.
 */

const service = await openService()
after(() => service.stop())
const { base_url, keys, operator } = service

const send = plainHttp(base_url, keys.account, {
  'user-agent': 'Flowroute SDK v3',
  'accept-encoding': 'gzip, deflate',
  accept: '*/*',
  connection: 'keep-alive',
})
const json = { accept: 'application/json' }
const jsonapi = { accept: 'application/vnd.api+json' }
const form = { ...json, 'content-type': 'application/x-www-form-urlencoded' }

const [number = '', second = ''] = await addNumbers(service, ['01', '02'])

test('numbers are listed by leading digits without the country code, page by page, and each is read', async () => {
  const page = list(await send('GET', `/v2/numbers?starts_with=${number.slice(1, 9)}&limit=1`, { headers: json }))
  assert.deepEqual(
    page.data.map((n) => [n.type, String(n.id), n.attributes['value']]),
    [['number', number, number]],
  )
  assert.match(page.links.self, /starts_with=/)
  assert.match(page.links.next ?? '', /offset=1/)
  for (const filter of [`starts_with=${number.slice(0, 9)}`, `contains=${number.slice(3, 9)}`])
    assert.equal(list(await send('GET', `/v2/numbers?${filter}`, { headers: json })).data.length, 2, filter)
  const ending = list(await send('GET', `/v2/numbers?ends_with=${second.slice(-6)}&limit=3`, { headers: json }))
  assert.deepEqual(
    ending.data.map((n) => n.attributes['value']),
    [second],
  )

  const { data, included, links } = document(await send('GET', `/v2/numbers/${number}`, { headers: json }))
  const { alias, cnam_lookups_enabled, number_type, state } = data.attributes
  assert.deepEqual([alias, cnam_lookups_enabled, number_type, state], [null, false, 'longcode', 'WA'])
  const { cnam_preset, e911_address, failover_route, primary_route } = data.relationships ?? {}
  assert.deepEqual([cnam_preset?.data, e911_address?.data, failover_route?.data], [null, null, null])
  assert.deepEqual(primary_route?.data, { type: 'route', id: 0 })
  const route = included?.find((i) => i.type === 'route')
  assert.deepEqual([route?.attributes['route_type'], route?.attributes['value']], ['sip-reg', null])
  assert.deepEqual(links, data.links)
})

test('a number is renamed by a flat body with its type', async () => {
  const body = JSON.stringify({ type: 'number', alias: 'New Test' })
  const { data } = document(await send('PATCH', `/v2/numbers/${number}`, { headers: json, body }))
  assert.equal(data.attributes['alias'], 'New Test')
})

test('an inbound route is created, listed, and set as primary and failover by its id as a string', async () => {
  const attributes = { route_type: 'host', value: `${run}.pbx.example`, alias: `Python ${run}` }
  const made = document(
    await send('POST', '/v2/routes', {
      headers: { ...json, 'content-type': 'application/json; charset=utf-8' },
      body: JSON.stringify({ data: { type: 'route', attributes } }),
    }),
    201,
  )
  assert.deepEqual(made.data.attributes, { ...attributes, edge_strategy_id: null })
  assert.deepEqual(made.links, made.data.links)

  const first = list(await send('GET', '/v2/routes?limit=1'))
  assert.deepEqual([first.data[0]?.id, first.data[0]?.attributes['alias']], ['0', 'sip-reg'])
  assert.match(first.links.next ?? '', /offset=1/)

  const body = JSON.stringify({ data: { type: 'route', id: String(made.data.id) } })
  empty(await send('PATCH', `/v2/numbers/${number}/relationships/primary_route`, { body }))
  empty(await send('PATCH', `/v2/numbers/${number}/relationships/failover_route`, { body }))
  const { data } = document(await send('GET', `/v2/numbers/${number}`, { headers: json }))
  const { primary_route, failover_route } = data.relationships ?? {}
  assert.deepEqual([primary_route?.data?.id, failover_route?.data?.id].map(String), [made.data.id, made.data.id])
})

test('an unknown field is refused by name', async () => {
  // field names from its demo and its postal code update; here they are edge_strategy_id and zip
  const route = { route_type: 'host', value: 'pbx.example', edge_strategy: '1' }
  const body = JSON.stringify({ data: { type: 'route', attributes: route } })
  assert.deepEqual(Object.keys(refusal(await send('POST', '/v2/routes', { body }), 422).detail ?? {}), [
    'edge_strategy',
  ])
  const zip = addressBody('Z', { zip_code: '53934' })
  const { detail } = refusal(await send('POST', '/v2/e911s', { headers: jsonapi, body: zip }), 422)
  assert.deepEqual(Object.keys(detail ?? {}), ['zip_code'])
})

test('edge strategies are listed', async () => {
  const [edge] = list(await send('GET', '/v2/routes/edge_strategies')).data
  assert.equal(typeof edge?.id, 'number')
  assert.deepEqual(Object.keys(edge?.attributes ?? {}).toSorted(), ['description', 'firewall_rules', 'name', 'naptr'])
})

test('an address is validated, created, updated by read and write-back, assigned to a number, and removed', async () => {
  empty(await send('POST', '/v2/e911s/validate', { headers: jsonapi, body: addressBody('A') }))
  const nowhere = addressBody('A', { street_number: '98765' })
  const no = refusal(await send('POST', '/v2/e911s/validate', { headers: jsonapi, body: nowhere }), 400)
  assert.deepEqual([no.title, no.status, typeof no.detail], ['Client Error', 400, 'string'])

  const { data } = document(await send('POST', '/v2/e911s', { headers: jsonapi, body: addressBody('A') }), 201)
  const path = `/v2/e911s/${data.id}`
  const record = document(await send('GET', path))
  assert.deepEqual(record.data, data)
  // its update reads the record, sets or clears the unit, and sends the whole document back
  Object.assign(record.data.attributes, { last_name: 'Wiley', address_type: null, address_type_number: null })
  const changed = document(await send('PATCH', path, { headers: jsonapi, body: JSON.stringify(record) })).data
  const { last_name, address_type, address_type_number, street_name } = changed.attributes
  assert.deepEqual([last_name, address_type, address_type_number, street_name], ['Wiley', null, null, 'N Main St'])

  empty(await send('PATCH', `/v2/numbers/${number}/relationships/e911s/${data.id}`, { headers: jsonapi }))
  const users = list(await send('GET', `${path}/relationships/numbers`))
  assert.deepEqual(
    users.data.map((n) => [n.type, n.attributes['value']]),
    [['number', number]],
  )
  assert.equal((await send('DELETE', path, { headers: jsonapi })).status, 403)
  empty(await send('DELETE', `/v2/numbers/${number}/relationships/e911s`, { headers: jsonapi }))
  empty(await send('DELETE', path, { headers: jsonapi }))
})

test('addresses are listed, all and by state', async () => {
  for (const unit of ['B', 'C'])
    document(await send('POST', '/v2/e911s', { headers: jsonapi, body: addressBody(unit) }), 201)
  const page = list(await send('GET', '/v2/e911s?limit=1'))
  assert.equal(page.data[0]?.attributes['country'], 'US')
  assert.match(page.links.next ?? '', /offset=1/)
  const states = list(await send('GET', '/v2/e911s?limit=10&state=WI')).data.map((a) => a.attributes['state'])
  assert.ok(states.length >= 2 && states.every((state) => state === 'WI'))
})

test('a form requests a caller ID name, and an approved one is assigned to a number and unassigned', async () => {
  const made = document(await send('POST', '/v2/cnams', { headers: form, body: `value=FR+${run}` }), 201).data
  const { value, is_approved, approval_datetime, rejection_reason } = made.attributes
  assert.deepEqual([value, is_approved, approval_datetime, rejection_reason], [`FR ${run}`, false, null, null])
  assert.deepEqual(document(await send('GET', `/v2/cnams/${made.id}`)).data, made)

  await operator.decideCnam({ params: { cnam_id: String(made.id) }, body: { is_approved: true } })
  const approved = list(await send('GET', '/v2/cnams?limit=200&is_approved=True'))
  assert.ok(approved.data.some((c) => c.id === made.id))
  assert.ok(approved.data.every((c) => c.attributes['is_approved'] === true))
  assert.equal(list(await send('GET', '/v2/cnams')).links.next, undefined)

  // it searches for the number by its digits first, and takes the first result's id
  const found = list(await send('GET', `/v2/numbers?contains=${number}`, { headers: json })).data[0]?.id
  const relationship_path = `/v2/numbers/${found}/relationships/cnam`
  document(await send('PATCH', `${relationship_path}/${made.id}`, { headers: json }), 202)
  document(await send('DELETE', relationship_path, { headers: json }), 202)
  empty(await send('DELETE', `/v2/cnams/${made.id}`, { headers: json }))
  assert.equal(
    refusal(await send('DELETE', `/v2/cnams/${made.id}`, { headers: json }), 404).title,
    'Resource not found',
  )
})

test('a form checks portability, with numbers without +', async () => {
  for (const body of [
    `numbers=14254${run}44&numbers=18884${run}39`,
    // the Ruby library of the same series sends a list this way
    `numbers%5B%5D=%2B14254${run}44&numbers%5B%5D=%2B18884${run}39`,
  ]) {
    const { data } = JSON.parse((await send('POST', '/v2/portorders/portability', { headers: form, body })).text) as {
      data?: { portable: string[]; nonportable: unknown[] }
    }
    assert.deepEqual(data?.portable, [`+14254${run}44`, `+18884${run}39`])
    assert.deepEqual(data.nonportable, [])
  }
})

test('a caller ID name in a form is validated by the same rules', async () => {
  const detail = refusal(
    await send('POST', '/v2/cnams', { headers: form, body: 'value=2065550100&color=red' }),
    422,
  ).detail
  assert.deepEqual(Object.keys(detail ?? {}).toSorted(), ['color', 'value'])
  await approvedCnam(service, `TWIN ${run}`)
  refusal(await send('POST', '/v2/cnams', { headers: form, body: `value=twin+${run}` }), 422)
})

test('an export is requested, listed, tracked, and downloaded, and its rows have the columns that the library reads', async () => {
  const both = { accept: 'application/vnd.api+json', 'content-type': 'application/vnd.api+json' }
  const filter_parameters = {
    start_call_start_time: '2026-11-01 00:00:00',
    start_call_end_time: '2026-11-02 00:00:00',
    number_aliases: ['Front desk', 'After hours'],
  }
  const attributes = { filter_parameters, callback_url: 'https://billing.example/cdrs' }
  const body = JSON.stringify({ data: { type: 'cdrexport', attributes } })
  const made = document(await send('POST', '/v2/cdrs/exports', { headers: both, body }), 202)
  assert.equal(made.data.attributes['status'], 'processing')
  assert.deepEqual(made.data.attributes['filter_parameters'], filter_parameters)
  assert.ok(list(await send('GET', '/v2/cdrs/exports?limit=10')).data.some((e) => e.id === made.data.id))

  await operator.moveClock({ body: { advance: '1 second' } })
  const completed = list(await send('GET', '/v2/cdrs/exports?limit=10&status=completed'))
  assert.ok(completed.data.some((e) => e.id === made.data.id))
  const { download_url } = document(await send('GET', `/v2/cdrs/exports/${made.data.id}`)).data.attributes
  assert.ok(typeof download_url === 'string')
  const file = await fetch(download_url)
  const [header = ''] = gunzipSync(Buffer.from(await file.arrayBuffer()))
    .toString()
    .split('\n')
  for (const column of ['callerid', 'destination', 'total_cost', 'start_time']) assert.ok(header.includes(column))
})

test('area codes, exchanges, and numbers for sale are listed page by page, and one is bought and released', async () => {
  await addInventory(service, ['31', '32', '37'])
  const codes = list(await send('GET', '/v2/numbers/available/areacodes?limit=1&max_setup_cost=3.25'))
  assert.equal(codes.data[0]?.type, 'areacode')
  assert.match(codes.links.self, /max_setup_cost=3.25/)
  const exchanges = list(await send('GET', '/v2/numbers/available/exchanges?limit=200&areacode=253'))
  assert.ok(exchanges.data.some(({ type, id }) => type === 'exchange' && id === `2537${run}`.slice(0, 6)))

  const filters = `starts_with=2537${run}&contains=3&ends_with=7&limit=3`
  const page = list(await send('GET', `/v2/numbers/available?${filters}`, { headers: json }))
  const [first] = page.data
  assert.deepEqual(
    page.data.map(({ type, id }) => [type, id]),
    [['number', `12537${run}37`]],
  )
  assert.equal(page.links.next, undefined)
  const more = list(await send('GET', `/v2/numbers/available?starts_with=2537${run}3&limit=2`, { headers: json }))
  assert.match(more.links.next ?? '', /offset=2/)

  // it buys the first of the list by its id
  const { data } = document(await send('POST', `/v2/numbers/${first?.id}`, { headers: json }), 201)
  assert.deepEqual([data.attributes['value'], data.attributes['rate_center']], [first?.id, 'TACOMA'])
  assert.equal(typeof data.attributes['cnam_lookups_enabled'], 'boolean')
  empty(await send('DELETE', `/v2/numbers/${first?.id}`))
})

test('unsupported operations are refused in a form that the library can read', async () => {
  assert.equal(
    refusal(await send('GET', '/v2.1/messages?start_date=2026-01-01&limit=2'), 404).title,
    'Resource not found',
  )
})

test('a wrong secret is 401 Unauthorized', async () => {
  const wrong = plainHttp(base_url, { ...keys.account, secret_key: 'wrong' }, json)
  assert.equal(refusal(await wrong('GET', '/v2/numbers'), 401).title, 'Unauthorized')
})

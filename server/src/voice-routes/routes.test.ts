import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createDemarcClient } from '@demarc/client'
import { checkingFetch } from '../../test/support/checking-fetch.ts'
import { lastEvent } from '../../test/support/events.ts'
import { rawClient } from '../../test/support/raw-client.ts'
import { fieldErrors, refusal, sentence } from '../../test/support/refusals.ts'
import { startTestServer } from '../../test/support/server.ts'

const server = await startTestServer()

const edgeBody = {
  name: 'US West',
  description: 'Signaling and media, Oregon',
  firewall_rules: '192.0.2.32/28, 198.51.100.32-198.51.100.48\n2001:db8::/48',
  naptr: 'us-west.sip.example',
}
let edges = 0
const newEdge = async () =>
  (await server.operator.createEdgeStrategy({ body: { ...edgeBody, name: `Edge ${++edges}` } })).body.data

const routeBody = (attributes: {
  route_type: 'host' | 'number' | 'uri'
  value: string
  alias?: string
  edge_strategy_id?: number | string | null
}) => ({
  body: { data: { type: 'route', attributes } },
})
const newRoute = async (value = 'pbx.example') =>
  (await server.account.client.createRoute(routeBody({ route_type: 'host', value, alias: 'PBX' }))).body.data

test('a new account has the default voice route', async () => {
  const { client } = await server.newAccount('Just made')
  const { body } = await client.listRoutes()
  assert.deepEqual(body, {
    data: [
      {
        type: 'route',
        id: '0',
        attributes: { alias: 'sip-reg', edge_strategy_id: null, route_type: 'sip-reg', value: null },
        links: { self: `${server.base_url}/v2/routes/0` },
      },
    ],
    links: { self: `${server.base_url}/v2/routes?limit=10&offset=0` },
  })
  assert.equal((await client.getRoute({ params: { route_id: '0' } })).body.data.attributes.alias, 'sip-reg')
})

test('the default voice route can be neither changed nor deleted', async () => {
  const params = { route_id: '0' }
  const { client } = server.account
  assert.match(await sentence(client.updateRoute({ params, body: { alias: 'x' } }), 409), /cannot be changed/)
  assert.match(await sentence(client.deleteRoute({ params }), 409), /cannot be deleted/)
})

test('a voice route of each type is created, and its id is a string', async () => {
  const { id: edge_strategy_id } = await newEdge()
  const { client } = server.account
  const grid = [
    [{ route_type: 'host', value: '[2001:db8::1]:5060', alias: 'Six' }, '[2001:db8::1]:5060'],
    [{ route_type: 'number', value: '+12065550100', alias: 'Mobile' }, '12065550100'],
    [{ route_type: 'uri', value: 'sip:desk@pbx.example', alias: 'Desk' }, 'sip:desk@pbx.example'],
  ] as const
  for (const [attributes, value] of grid) {
    const { status, body } = await client.createRoute(routeBody({ ...attributes, edge_strategy_id }))
    assert.equal(status, 201)
    const { id } = body.data
    assert.equal(typeof id, 'string')
    assert.deepEqual(body, {
      data: {
        type: 'route',
        id,
        attributes: { alias: attributes.alias, edge_strategy_id, route_type: attributes.route_type, value },
        links: { self: `${server.base_url}/v2/routes/${id}` },
      },
      links: { self: `${server.base_url}/v2/routes/${id}` },
    })
    assert.deepEqual((await client.getRoute({ params: { route_id: id } })).body, body)
    const event = await lastEvent(server.db, 'route.created')
    assert.deepEqual([event?.chain_id, event?.subject_type, event?.subject_id], [server.account.id, 'route', id])
  }
})

test('a route may omit the envelope and the alias, and give its edge strategy id as text', async () => {
  const { id } = await newEdge()
  const body = { route_type: 'host' as const, value: 'bare.example', edge_strategy_id: String(id) }
  const { data } = (await server.account.client.createRoute({ body })).body
  assert.deepEqual(data.attributes, { ...body, alias: 'bare.example', edge_strategy_id: id })
})

test('invalid voice routes are refused with every invalid field', async () => {
  const { client } = server.account
  const create = (attributes: Parameters<typeof routeBody>[0]) => fieldErrors(client.createRoute(routeBody(attributes)))
  const field_errors = await create({ route_type: 'number', value: 'pbx.example', edge_strategy_id: 999_999 })
  assert.deepEqual(Object.keys(field_errors), ['value', 'edge_strategy_id'])
  assert.deepEqual(field_errors['edge_strategy_id'], ['There is no edge strategy 999999.'])
  assert.deepEqual(await create({ route_type: 'sip-reg' as 'host', value: '', alias: '' }), {
    alias: ['Must not be empty.'],
    route_type: ['Must be one of: host, number, uri.'],
    value: ['Must not be empty.'],
  })
  for (const edge_strategy_id of ['one', '', '-1', '1.5'])
    assert.deepEqual(await create({ route_type: 'host', value: 'pbx.example', edge_strategy_id }), {
      edge_strategy_id: ['Must be the ID of an edge strategy.'],
    })
  const raw = rawClient(server.base_url, server.account)
  const unknown = await raw('POST', '/v2/routes', {
    route_type: 'host',
    value: 'a.example',
    color: 'red',
    alias: 'a\u0000b',
  })
  const { errors } = (await unknown.json()) as { errors: { detail: unknown }[] }
  assert.equal(unknown.status, 422)
  assert.deepEqual(errors[0]?.detail, {
    alias: ['Must not contain a null character.'],
    color: ['Is not a known field.'],
  })
})

test('a change keeps other fields, and type and value must match afterward', async () => {
  const { id } = await newRoute('before.example')
  const params = { route_id: id }
  const { client } = server.account
  const renamed = await client.updateRoute({
    params,
    body: { data: { type: 'route', attributes: { alias: 'Renamed' } } },
  })
  assert.deepEqual(renamed.body.data.attributes, {
    alias: 'Renamed',
    edge_strategy_id: null,
    route_type: 'host',
    value: 'before.example',
  })
  assert.deepEqual((await lastEvent(server.db, 'route.changed'))?.data, {
    from: { alias: 'PBX' },
    to: { alias: 'Renamed' },
  })
  assert.deepEqual(Object.keys(await fieldErrors(client.updateRoute({ params, body: { route_type: 'uri' } }))), [
    'value',
  ])
  assert.deepEqual(Object.keys(await fieldErrors(client.updateRoute({ params, body: { value: 'sip:x@y.example' } }))), [
    'value',
  ])
  const both = await client.updateRoute({ params, body: { route_type: 'uri', value: 'sip:x@y.example' } })
  assert.equal(both.body.data.attributes.value, 'sip:x@y.example')
  assert.deepEqual(
    Object.keys(await fieldErrors(client.updateRoute({ params, body: { edge_strategy_id: 999_999 } }))),
    ['edge_strategy_id'],
  )
})

test('a change that changes nothing leaves no event', async () => {
  const { id } = await newRoute()
  const params = { route_id: id }
  await server.account.client.updateRoute({ params, body: { alias: 'PBX', value: 'pbx.example' } })
  assert.notEqual((await lastEvent(server.db, 'route.changed'))?.subject_id, id)
})

test('a voice route is deleted unless numbers use it; the refusal counts them', async () => {
  const { client, id: account_id } = server.account
  const { id } = await newRoute()
  const params = { route_id: id }
  const numbers = ['12065550190', '12065550191'] as const
  await server.operator.addNumbers({
    params: { account_id },
    body: { numbers: numbers.map((value) => ({ value, number_type: 'longcode' })) },
  })
  const reference = { data: { type: 'route' as const, id } }
  await client.setPrimaryRoute({ params: { number: numbers[0] }, body: reference })
  assert.match(await sentence(client.deleteRoute({ params }), 409), /used by 1 number\. Assign them another route/)
  await client.setFailoverRoute({ params: { number: numbers[1] }, body: reference })
  assert.match(await sentence(client.deleteRoute({ params }), 409), /used by 2 numbers\./)
  await client.setPrimaryRoute({ params: { number: numbers[0] }, body: { data: null } })
  await client.setFailoverRoute({ params: { number: numbers[1] }, body: { data: null } })
  assert.equal((await client.deleteRoute({ params })).status, 204)
  assert.equal((await lastEvent(server.db, 'route.deleted'))?.subject_id, id)
  await refusal(client.deleteRoute({ params }), 404)
})

test('assigning a voice route while it is deleted either succeeds or is refused', async () => {
  const { client, id: account_id } = server.account
  const number = '12065550192'
  await server.operator.addNumbers({
    params: { account_id },
    body: { numbers: [{ value: number, number_type: 'longcode' }] },
  })
  for (let round = 0; round < 10; round++) {
    const { id } = await newRoute()
    const outcomes = await Promise.allSettled([
      client.deleteRoute({ params: { route_id: id } }),
      client.setPrimaryRoute({ params: { number }, body: { data: { type: 'route', id } } }),
    ])
    const [deleted, taken] = outcomes.map((o) => o.status === 'fulfilled')
    assert.notEqual(deleted, taken, 'exactly one of the two is done')
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') assert.ok([409, 422].includes((outcome.reason as { status: number }).status))
    await client.setPrimaryRoute({ params: { number }, body: { data: null } })
  }
})

test('a voice route of another account looks like one that does not exist', async () => {
  const { id } = await newRoute()
  const strangers = { params: { route_id: id } }
  const nobodys = { params: { route_id: '999999999' } }
  const { client } = server.other
  for (const request of [
    (p: typeof strangers) => client.getRoute(p),
    (p: typeof strangers) => client.updateRoute({ ...p, body: { alias: 'mine' } }),
    (p: typeof strangers) => client.deleteRoute(p),
  ]) {
    const [a, b] = [await sentence(request(strangers), 404), await sentence(request(nobodys), 404)]
    assert.equal(a.replace(id, 'N'), b.replace('999999999', 'N'))
  }
  const listed = (await client.listRoutes({ query: { limit: 200 } })).body.data
  assert.deepEqual(
    listed.map((r) => r.id),
    ['0'],
  )
  const raw = rawClient(server.base_url, server.other)
  for (const path of ['abc', '1.5', '-1', '9'.repeat(30)])
    assert.equal((await raw('GET', `/v2/routes/${path}`)).status, 404)
})

test('voice routes are filtered by alias in any case, without wildcards, and by type; and paged', async () => {
  const { client } = await server.newAccount('Many routes')
  for (const alias of ['100% North', '100_south', 'West', 'ÉCOLE'])
    await client.createRoute(routeBody({ route_type: 'host', value: 'pbx.example', alias }))
  await client.createRoute(routeBody({ route_type: 'number', value: '12065550100', alias: 'North mobile' }))
  const aliases = async (query: NonNullable<Parameters<typeof client.listRoutes>[0]>['query']) =>
    (await client.listRoutes(query ? { query } : {})).body.data.map((r) => r.attributes.alias)
  assert.deepEqual(await aliases({ alias: 'north' }), ['100% North', 'North mobile'])
  assert.deepEqual(await aliases({ alias: '0% n' }), ['100% North'])
  assert.deepEqual(await aliases({ alias: '%' }), ['100% North'])
  assert.deepEqual(await aliases({ alias: '_' }), ['100_south'])
  assert.deepEqual(await aliases({ alias: 'école' }), ['ÉCOLE'])
  assert.deepEqual(await aliases({ route_type: 'number' }), ['North mobile'])
  assert.deepEqual(await aliases({ route_type: 'sip-reg' }), ['sip-reg'])
  const { body } = await client.listRoutes({ query: { limit: 2, offset: 1 } })
  assert.deepEqual(
    body.data.map((r) => r.attributes.alias),
    ['100% North', '100_south'],
  )
  assert.deepEqual(body.links, {
    self: `${server.base_url}/v2/routes?limit=2&offset=1`,
    next: `${server.base_url}/v2/routes?limit=2&offset=3`,
  })
  assert.deepEqual(await fieldErrors(client.listRoutes({ query: { limit: 201, offset: -1 } })), {
    limit: ['Must be at most 200.'],
    offset: ['Must be at least 0.'],
  })
})

test('the operator acts for the account it names, and must name one to create', async () => {
  const acting = createDemarcClient({
    retry: false,
    base_url: server.base_url,
    fetch: checkingFetch,
    credentials: server.operator_credentials,
    account_id: server.other.id,
  })
  const made = await acting.createRoute(routeBody({ route_type: 'host', value: 'op.example' }))
  const params = { route_id: made.body.data.id }
  assert.equal((await server.other.client.getRoute({ params })).status, 200)
  assert.equal((await server.operator.getRoute({ params })).status, 200)
  await server.other.client.deleteRoute({ params })
  const nobody = server.operator.createRoute(routeBody({ route_type: 'host', value: 'op.example' }))
  assert.deepEqual(Object.keys(await fieldErrors(nobody)), ['Demarc-Account'])
  const unknown = createDemarcClient({
    retry: false,
    base_url: server.base_url,
    credentials: server.operator_credentials,
    account_id: '987654321',
  })
  const refused = unknown.createRoute(routeBody({ route_type: 'host', value: 'op.example' }))
  assert.deepEqual(Object.keys(await fieldErrors(refused)), ['Demarc-Account'])
})

test('a read-only key cannot change voice routes', async () => {
  const { client } = await server.newAccount('Reader', ['routes:read'])
  assert.equal((await client.listRoutes()).status, 200)
  await refusal(client.createRoute(routeBody({ route_type: 'host', value: 'pbx.example' })), 403)
  await refusal(client.listNumbers(), 403)
  assert.equal((await rawClient(server.base_url)('GET', '/v2/routes')).status, 401)
})

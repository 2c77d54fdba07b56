import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changed, documentClient } from '../../test/support/documents.ts'
import { lastEvent } from '../../test/support/events.ts'
import { startTestServer } from '../../test/support/server.ts'
import { reason } from '../../test/support/wire.ts'

const server = await startTestServer()
const { client, credentials } = server.account
const { read, write, written, fieldErrors, assertOtherId } = documentClient(server.base_url, credentials)
const operator = documentClient(server.base_url, server.operator_credentials)

const edgeFields = { description: 'Here', firewall_rules: '192.0.2.0/28', naptr: 'edge.sip.example' }
const newEdge = async (name: string) =>
  (await server.operator.createEdgeStrategy({ body: { ...edgeFields, name } })).body.data.id
const newRoute = async (value = 'pbx.example', edge_strategy_id: number | null = null) => {
  const body = { route_type: 'host' as const, value, alias: 'PBX', edge_strategy_id }
  return `/v2/routes/${(await client.createRoute({ body })).body.data.id}`
}
const noEdge = ['There is no edge strategy 999999.']

test('a voice route’s document can be written back unchanged, and with one attribute changed', async () => {
  const edge_strategy_id = await newEdge('For a route')
  const path = await newRoute()
  const line = `PATCH ${path}`
  const original = await read(path)
  const before = (await lastEvent(server.db, 'route.changed'))?.id
  assert.deepEqual(await written(line, original), original)
  assert.equal((await lastEvent(server.db, 'route.changed'))?.id, before, 'nothing was changed')
  for (const change of [{ alias: 'Desk' }, { value: 'pbx2.example:5060' }, { edge_strategy_id }]) {
    const current = await read(path)
    const { data } = await written(line, changed(current, change))
    assert.deepEqual(data, { ...current.data, attributes: { ...current.data.attributes, ...change } })
  }
  await assertOtherId(line, original)
})

test('a flat body may include its type, and a route’s document creates another route', async () => {
  const flat = { type: 'route', route_type: 'number', value: '12065550100' }
  assert.equal((await written('POST /v2/routes', flat, 201)).data.attributes['alias'], '12065550100')
  const original = await read(await newRoute())
  const copy = await written('POST /v2/routes', changed(original, { alias: 'A copy' }), 201)
  assert.notEqual(copy.data.id, original.data.id)
  assert.deepEqual(copy.data.attributes, { ...original.data.attributes, alias: 'A copy' })
})

test('null removes the edge strategy and resets the alias to the value; the event says what was cleared', async () => {
  const edge_strategy_id = await newEdge('To be removed')
  const line = `PATCH ${await newRoute('pbx.example', edge_strategy_id)}`
  assert.equal((await written(line, { value: 'pbx2.example' })).data.attributes['edge_strategy_id'], edge_strategy_id)
  const { attributes } = (await written(line, { edge_strategy_id: null, alias: null })).data
  assert.deepEqual([attributes['edge_strategy_id'], attributes['alias']], [null, 'pbx2.example'])
  assert.deepEqual((await lastEvent(server.db, 'route.changed'))?.data, {
    from: { alias: 'PBX', edge_strategy_id: String(edge_strategy_id) },
    to: { alias: 'pbx2.example', edge_strategy_id: null },
  })
  const nameless = { route_type: 'number', value: '+12065550100', alias: null, edge_strategy_id: null }
  assert.equal((await written('POST /v2/routes', nameless, 201)).data.attributes['alias'], '12065550100')
})

test('the default route’s document is accepted unchanged; a change is a 409', async () => {
  const original = await read('/v2/routes/0')
  assert.deepEqual(await written('PATCH /v2/routes/0', original), original)
  for (const change of [{ alias: 'Mine' }, { route_type: 'host', value: 'pbx.example' }, { edge_strategy_id: 1 }])
    assert.match(reason(await write('PATCH /v2/routes/0', changed(original, change)), 409), /cannot be changed/)
  assert.deepEqual(await fieldErrors('PATCH /v2/routes/0', { color: 'red' }), { color: ['Is not a known field.'] })
})

test('no other route can become sip-reg', async () => {
  const path = await newRoute()
  const original = await read(path)
  const wrongType = ['Must be one of: host, number, uri. Only the default route is sip-reg.']
  assert.deepEqual(await fieldErrors(`PATCH ${path}`, { route_type: 'sip-reg', value: null }), {
    route_type: wrongType,
    value: ['Must be text.'],
  })
  assert.deepEqual(await fieldErrors(`PATCH ${path}`, { route_type: 'sip-reg' }), { route_type: wrongType })
  assert.deepEqual(await fieldErrors(`PATCH ${path}`, { value: null, color: 'red' }), {
    color: ['Is not a known field.'],
    value: ['Must be text.'],
  })
  assert.deepEqual(await read(path), original)
})

test('a mismatched value and an unknown edge strategy are reported together with shape errors', async () => {
  const path = await newRoute()
  const wrong = { color: 'red', value: 'no host', edge_strategy_id: 999_999 }
  const color = ['Is not a known field.']
  for (const [line, body] of [
    ['POST /v2/routes', { ...wrong, route_type: 'host' }],
    [`PATCH ${path}`, wrong],
  ] as const) {
    const errors = (await fieldErrors(line, body)) as Record<string, string[]>
    assert.deepEqual({ ...errors, value: errors['value']?.length }, { color, value: 1, edge_strategy_id: noEdge })
  }
  assert.deepEqual(
    await fieldErrors(`PATCH ${path}`, { route_type: 'fax', value: 'no host', edge_strategy_id: 999_999 }),
    {
      route_type: ['Must be one of: host, number, uri, sip-reg.'],
      edge_strategy_id: noEdge,
    },
  )
  assert.deepEqual(await fieldErrors('POST /v2/routes', { value: 'no host', edge_strategy_id: 999_999 }), {
    route_type: ['Is required.'],
    edge_strategy_id: noEdge,
  })
  // the stored value is validated against the new type
  assert.deepEqual(Object.keys((await fieldErrors(`PATCH ${path}`, { route_type: 'uri', color: 'red' })) ?? {}), [
    'color',
    'value',
  ])
})

test('a host with parameters is returned unchanged', async () => {
  for (const value of [
    'pbx.example;transport=tls',
    'PBX.example:5061;transport=tls;weight=70',
    '192.0.2.1;Weight=30;lr',
  ]) {
    const { data } = await written('POST /v2/routes', { route_type: 'host', value }, 201)
    assert.equal(data.attributes['value'], value)
    const renamed = await written(`PATCH /v2/routes/${data.id}`, { alias: 'Renamed' })
    assert.equal(renamed.data.attributes['value'], value)
  }
})

test('an edge strategy’s document can be written back unchanged, with one attribute changed, and from the customer’s URL', async () => {
  const id = await newEdge('Written back')
  const path = `/operator/edge_strategies/${id}`
  const line = `PUT ${path}`
  const original = await operator.read(path)
  const before = (await lastEvent(server.db, 'edge_strategy.changed'))?.id
  assert.deepEqual(await operator.written(line, original), original)
  assert.equal((await lastEvent(server.db, 'edge_strategy.changed'))?.id, before, 'nothing was changed')
  const change = { firewall_rules: '192.0.2.0/28, 198.51.100.4' }
  const { data } = await operator.written(line, changed(await read(`/v2/routes/edge_strategies/${id}`), change))
  assert.deepEqual(data.attributes, { ...original.data.attributes, ...change })
  await operator.assertOtherId(line, original)
  const copied = changed(original, { name: 'A copy' })
  assert.equal(
    (await operator.written('POST /operator/edge_strategies', copied, 201)).data.attributes['name'],
    'A copy',
  )
  const flat = { type: 'edge_strategy', ...edgeFields, name: 'Flat', description: null }
  assert.equal((await operator.written('POST /operator/edge_strategies', flat, 201)).data.attributes['description'], '')
})

test('a taken name is reported together with invalid firewall rules and other errors', async () => {
  await newEdge('Taken')
  const lines = ['POST /operator/edge_strategies', `PUT /operator/edge_strategies/${await newEdge('Not taken')}`]
  const name = ['Another edge strategy has this name.']
  const naptr = ['Must be a host name, such as us-west.sip.example.']
  for (const line of lines) {
    const wrong = { ...edgeFields, name: 'Taken', firewall_rules: 'sip.example', naptr: 'no host' }
    const firewall_rules = ['"sip.example" is not an IP address, a CIDR block or a range.']
    assert.deepEqual(await operator.fieldErrors(line, wrong), { firewall_rules, naptr, name })
    const { firewall_rules: _, ...missing } = wrong
    const more = { data: { type: 'route', attributes: { ...missing, description: 5 } } }
    assert.deepEqual(await operator.fieldErrors(line, more), {
      type: ['Must be "edge_strategy".'],
      description: ['Must be text.'],
      firewall_rules: ['Is required.'],
      naptr,
      name,
    })
  }
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
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
const newEdge = async (over: Partial<typeof edgeBody> = {}) =>
  (await server.operator.createEdgeStrategy({ body: { ...edgeBody, name: `Edge ${++edges}`, ...over } })).body.data

test('customers see edge strategies as the operator wrote them, with integer ids', async () => {
  const made = await newEdge({ name: 'Listed' })
  const raw = rawClient(server.base_url, server.account)
  const response = await raw('GET', '/v2/routes/edge_strategies')
  assert.equal(response.headers.get('content-type'), 'application/vnd.api+json')
  const body = (await response.json()) as { data: { id: number }[]; links: unknown }
  assert.deepEqual(body.links, { self: `${server.base_url}/v2/routes/edge_strategies` })
  assert.deepEqual(
    body.data.find((e) => e.id === made.id),
    {
      type: 'edge_strategy',
      id: made.id,
      attributes: { ...edgeBody, name: 'Listed' },
      links: { self: `${server.base_url}/v2/routes/edge_strategies/${made.id}` },
    },
  )
  const one = await server.account.client.getEdgeStrategy({ params: { edge_strategy_id: String(made.id) } })
  assert.deepEqual(one.body.data, made)
  const operators = await server.operator.getEdgeStrategyAsOperator({ params: { edge_strategy_id: String(made.id) } })
  assert.deepEqual(operators.body.data, made)
  assert.ok((await server.operator.listEdgeStrategiesAsOperator()).body.data.some((e) => e.id === made.id))
})

test('an edge strategy is replaced as a whole, and the change is recorded', async () => {
  const { id } = await newEdge()
  const params = { edge_strategy_id: String(id) }
  const body = { name: 'Moved', description: '', firewall_rules: '203.0.113.0/24', naptr: 'moved.sip.example' }
  const replaced = await server.operator.replaceEdgeStrategy({ params, body })
  assert.deepEqual(replaced.body.data.attributes, body)
  const event = await lastEvent(server.db, 'edge_strategy.changed')
  assert.equal(event?.subject_id, String(id))
  assert.equal(event?.chain_id, '0')
  assert.partialDeepStrictEqual(event?.data, { from: { firewall_rules: edgeBody.firewall_rules }, to: body })
})

test('invalid edge strategies are refused with every invalid field', async () => {
  const wrong = {
    ...edgeBody,
    name: 'Wrong',
    firewall_rules: '192.0.2.0/24, sip.example, 192.0.2.33/28',
    naptr: 'no host',
  }
  const field_errors = await fieldErrors(server.operator.createEdgeStrategy({ body: wrong }))
  assert.deepEqual(Object.keys(field_errors), ['firewall_rules', 'naptr'])
  assert.match(field_errors['firewall_rules']?.join('\n') ?? '', /^"sip\.example" .*\n"192\.0\.2\.33\/28" /)
  const { id } = await newEdge()
  const params = { edge_strategy_id: String(id) }
  assert.deepEqual(await fieldErrors(server.operator.replaceEdgeStrategy({ params, body: wrong })), field_errors)
  const twoLines = { ...edgeBody, name: 'a\n-A INPUT -j ACCEPT' }
  assert.deepEqual(await fieldErrors(server.operator.createEdgeStrategy({ body: twoLines })), {
    name: ['Must be one line.'],
  })
})

test('two edge strategies cannot share a name', async () => {
  const [a, b] = [await newEdge(), await newEdge()]
  const body = { ...edgeBody, name: a.attributes.name }
  const taken = { name: ['Another edge strategy has this name.'] }
  assert.deepEqual(await fieldErrors(server.operator.createEdgeStrategy({ body })), taken)
  const params = { edge_strategy_id: String(b.id) }
  assert.deepEqual(await fieldErrors(server.operator.replaceEdgeStrategy({ params, body })), taken)
})

test('an edge strategy can be deleted once no voice route uses it', async () => {
  const { id } = await newEdge()
  const params = { edge_strategy_id: String(id) }
  const { client } = server.account
  const route = await client.createRoute({ body: { route_type: 'host', value: 'a.example', edge_strategy_id: id } })
  assert.equal(route.body.data.attributes.edge_strategy_id, id)
  assert.match(await sentence(server.operator.deleteEdgeStrategy({ params }), 409), /used by 1 route,/)
  await client.updateRoute({ params: { route_id: route.body.data.id }, body: { edge_strategy_id: null } })
  assert.equal((await server.operator.deleteEdgeStrategy({ params })).status, 204)
  assert.match(await sentence(server.operator.deleteEdgeStrategy({ params }), 404), /no edge strategy/)
  assert.match(await sentence(client.getEdgeStrategy({ params }), 404), /no edge strategy/)
  await refusal(server.operator.replaceEdgeStrategy({ params, body: edgeBody }), 404)
})

test('customers cannot change edge strategies', async () => {
  const { id } = await newEdge()
  const params = { edge_strategy_id: String(id) }
  await refusal(server.account.client.createEdgeStrategy({ body: edgeBody }), 403)
  await refusal(server.account.client.replaceEdgeStrategy({ params, body: edgeBody }), 403)
  await refusal(server.account.client.deleteEdgeStrategy({ params }), 403)
})

test('firewall rules are served as JSON, for nftables and for iptables', async () => {
  const { id } = await newEdge({ name: 'Rules' })
  const params = { edge_strategy_id: String(id) }
  const get = (format?: 'json' | 'nftables' | 'iptables') =>
    server.account.client.getFirewallRules({ params, query: format ? { format } : {} })
  const sets = { ipv4: ['192.0.2.32/28', '198.51.100.32/28', '198.51.100.48/32'], ipv6: ['2001:db8::/48'] }
  const self = `${server.base_url}/v2/routes/edge_strategies/${id}/firewall`
  const json = await get()
  assert.equal(json.headers.get('content-type'), 'application/vnd.api+json')
  assert.deepEqual(await json.body.json(), {
    data: {
      type: 'firewall_rules',
      id,
      attributes: { name: 'Rules', firewall_rules: edgeBody.firewall_rules, ...sets },
      links: { self },
    },
    links: { self },
  })
  for (const [format, block] of [
    ['nftables', `add element inet filter demarc_edge_${id}_ipv6 { 2001:db8::/48 }`],
    ['iptables', `-A DEMARC-EDGE-${id} -4 -s 198.51.100.48/32 -j ACCEPT`],
  ] as const) {
    const text = await get(format)
    assert.equal(text.headers.get('content-type'), 'text/plain; charset=utf-8')
    assert.ok((await text.body.text()).split('\n').includes(block))
  }
  const raw = rawClient(server.base_url, server.account)
  assert.equal((await raw('GET', `/v2/routes/edge_strategies/${id}/firewall?format=pf`)).status, 422)
  assert.equal((await raw('GET', '/v2/routes/edge_strategies/999999/firewall')).status, 404)
})

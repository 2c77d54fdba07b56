import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { addNumbers, approvedCnam, friendship, portOrder, run } from './support/cast.ts'
import { document, empty, list, plainHttp, refusal, type One, type Send } from './support/plain-http.ts'
import { openService } from './support/service.ts'

/**
 * Read, change, write back: the operation that changes a resource accepts the document from its GET unchanged, including every
 * member other than the changed attribute.
 */

const service = await openService()
after(() => service.stop())
const { base_url, keys } = service

const headers = { 'content-type': 'application/json' }
const account = plainHttp(base_url, keys.account, headers)
const operator = plainHttp(base_url, keys.operator, headers)

const [number = '', other = ''] = await addNumbers(service, ['91', '92'])

/** Creates a resource and returns the path to read it from. */
const made = async (path: string, body: unknown, by: Send = account): Promise<string> =>
  `${path}/${document(await by('POST', path, { body: JSON.stringify(body) }), 201).data.id}`

const wrapped = (type: string, attributes: object) => ({ data: { type, attributes } })
const order = (ending: string, more: object = {}) =>
  made('/v2/portorders', wrapped('portorder', portOrder([`+14254${run}${ending}`], { ...more })))

interface Case {
  name: string
  /** The path to read the document from, and the path to write it to, if different. */
  read: () => Promise<string>
  write?: (path: string) => string
  method?: 'PATCH' | 'PUT'
  by?: Send
  /** Successive changes, each to a freshly read document. */
  changes: Record<string, unknown>[]
  /** A read-only attribute with a different value. */
  readonly?: Record<string, unknown>
  /** Attributes that change automatically with every update. */
  moving?: string[]
}

const edges = list(await account('GET', '/v2/routes/edge_strategies')).data
const edge = { name: `edge-${run}`, description: 'Here', firewall_rules: '192.0.2.0/28', naptr: 'edge.sip.example' }

const cases: Case[] = [
  {
    name: 'number',
    read: async () => `/v2/numbers/${number}`,
    changes: [{ alias: 'Back office' }, { cnam_lookups_enabled: true }, { alias: null }],
    readonly: { monthly_cost: '0.0000' },
  },
  {
    name: 'voice route',
    read: () => made('/v2/routes', { route_type: 'host', value: 'pbx.example:5060', alias: `Back ${run}` }),
    changes: [
      { alias: `Forth ${run}` },
      { value: 'pbx2.example' },
      { edge_strategy_id: edges[0]?.id },
      { edge_strategy_id: null },
    ],
  },
  {
    name: 'E911 address',
    read: () => made('/v2/e911s', wrapped('e911', friendship('W'))),
    changes: [{ last_name: 'Wiley' }, { address_type_number: `${run}X` }, { label: `Moved ${run}` }],
    readonly: { validation: { level: 'postal' } },
    moving: ['validation'],
  },
  {
    name: 'caller ID name',
    read: () => made('/v2/cnams', { value: `BACK ${run}` }),
    changes: [{ value: `FORTH ${run}` }],
    readonly: { is_approved: true },
  },
  {
    name: 'port order',
    read: () => order('31', { pin: '4711', last_4_ssn: '1234', street2: 'Suite 4', company: 'Harbor Dental' }),
    changes: [
      { provider_account: 'AC-77' },
      { usage_type: 'Business' },
      { company: 'Harbor' },
      { alias: `Back ${run}` },
    ],
    readonly: { cost: '0.00' },
    moving: ['modified_at', 'next'],
  },
  {
    name: 'edge strategy',
    read: () => made('/operator/edge_strategies', edge, operator),
    by: operator,
    method: 'PUT',
    changes: [{ description: 'There' }, { firewall_rules: '192.0.2.0/28, 198.51.100.4' }],
  },
  {
    name: 'edge strategy as account holders read it',
    read: async () => {
      const path = await made('/operator/edge_strategies', { ...edge, name: `seen-${run}` }, operator)
      return path.replace('/operator/', '/v2/routes/')
    },
    write: (path) => path.replace('/v2/routes/', '/operator/'),
    by: operator,
    method: 'PUT',
    changes: [{ naptr: 'other.sip.example' }],
  },
]

const read = async (by: Send, path: string): Promise<One> => document(await by('GET', path))
const without = (attributes: Record<string, unknown>, names: readonly string[]) =>
  Object.fromEntries(Object.entries(attributes).filter(([name]) => !names.includes(name)))

for (const {
  name,
  read: at,
  write = (path: string) => path,
  method = 'PATCH',
  by = account,
  changes,
  readonly,
  moving = [],
} of cases)
  test(`${name}: a document is accepted unchanged and with one change, and refused with a changed read-only attribute`, async () => {
    const path = await at()
    const back = (original: object) => by(method, write(path), { body: JSON.stringify(original) })

    const first = await read(by, path)
    assert.deepEqual(document(await back(first)).data.id, first.data.id)
    const still = (await read(by, path)).data.attributes
    assert.deepEqual(without(still, moving), without(first.data.attributes, moving))

    for (const change of changes) {
      const original = await read(by, path)
      const before = original.data.attributes
      const jsonapi = { jsonapi: { version: '1.0' }, meta: { read_at: 'now' } }
      const sent = { ...original, ...jsonapi, data: { ...original.data, attributes: { ...before, ...change } } }
      document(await back(sent))
      const now = (await read(by, path)).data.attributes
      assert.deepEqual(without(now, moving), without({ ...before, ...change }, moving))
    }

    const original = await read(by, path)
    const id = typeof original.data.id === 'number' ? original.data.id + 1 : `${original.data.id}1`
    assert.equal(refusal(await back({ ...original, data: { ...original.data, id } }), 409).title, 'Conflict')
    if (readonly === undefined) return
    const forged = { ...original, data: { ...original.data, attributes: { ...original.data.attributes, ...readonly } } }
    assert.deepEqual(Object.keys(refusal(await back(forged), 422).detail ?? {}), Object.keys(readonly))
    assert.deepEqual((await read(by, path)).data.attributes, original.data.attributes)
  })

test('a list item is written back unchanged', async () => {
  const [item] = list(await account('GET', `/v2/numbers?starts_with=${other}`)).data
  assert.ok(item)
  const sent = { data: { ...item, attributes: { ...item.attributes, alias: 'From a list' } } }
  const { data } = document(await account('PATCH', `/v2/numbers/${other}`, { body: JSON.stringify(sent) }))
  assert.equal(data.attributes['alias'], 'From a list')
})

test('omitted attributes stay unchanged, and null clears optional ones', async () => {
  // without a unit, all runs share this address: it is removed at the end, and its street differs from other tests'
  const cedar = { street_number: '200', street_name: 'Cedar St' }
  const path = await made('/v2/e911s', wrapped('e911', friendship('V', cedar)))
  const write = (attributes: object) => account('PATCH', path, { body: JSON.stringify(wrapped('e911', attributes)) })
  const kept = document(await write({ first_name: 'Ana' })).data.attributes
  assert.deepEqual([kept['address_type'], kept['address_type_number']], ['Suite', `${run}V`])
  for (const half of [{ address_type: null }, { address_type_number: null }]) refusal(await write(half), 422)
  const cleared = document(await write({ address_type: null, address_type_number: null })).data.attributes
  assert.deepEqual([cleared['address_type'], cleared['address_type_number']], [null, null])
  empty(await account('DELETE', path))
})

test('a port order’s presets are changed in its document', async () => {
  const path = await order('33')
  const original = await read(account, path)
  original.data.attributes['presets'] = {
    ...(original.data.attributes['presets'] as object),
    alias: 'Ported',
    primary_route_id: 0,
  }
  document(await account('PATCH', path, { body: JSON.stringify(original) }))
  const { presets, numbers } = (await read(account, path)).data.attributes
  const rest = { cnam_id: null, e911_id: null, failover_route_id: null }
  assert.deepEqual(presets, { ...rest, alias: 'Ported', primary_route_id: 0 })
  assert.deepEqual(numbers, original.data.attributes['numbers'])
})

test('writing back a status document or an order cancels the order', async () => {
  for (const [ending, place] of [
    ['34', '/status'],
    ['35', ''],
  ] as const) {
    const path = (await order(ending)) + place
    const original = await read(account, path)
    original.data.attributes['status'] = 'cancelled'
    const { data } = document(await account('PATCH', path, { body: JSON.stringify(original) }))
    assert.equal(data.attributes['status'], 'Canceled', place)
  }
})

test('the LOA is signed in the document that the service returned', async () => {
  const path = `${await order('36')}/loa`
  const form = await read(account, path)
  Object.assign(form.data.attributes, { signature_name: 'Rosa Diaz', signature_title: 'Owner' })
  const { data } = document(await account('POST', path, { body: JSON.stringify(form) }), 201)
  assert.equal(data.attributes['status'], 'Processing')
})

test('a relationship is written back to a different number', async () => {
  const { relationships } = (await read(account, `/v2/numbers/${number}`)).data
  const body = JSON.stringify(relationships?.['primary_route'])
  assert.equal((await account('PATCH', `/v2/numbers/${other}/relationships/failover_route`, { body })).status, 204)
  const { failover_route } = (await read(account, `/v2/numbers/${other}`)).data.relationships ?? {}
  assert.deepEqual(failover_route?.data, { type: 'route', id: 0 })
})

test('the operator approves or rejects a caller ID name in the document that was read', async () => {
  const path = await made('/v2/cnams', { value: `DECIDE ${run}` })
  const original = await read(operator, path)
  original.data.attributes['is_approved'] = true
  const decided = await operator('PATCH', path.replace('/v2/', '/operator/'), { body: JSON.stringify(original) })
  assert.equal(document(decided).data.attributes['is_approved'], true)
})

test('an approved caller ID name stays approved when written back unchanged', async () => {
  const path = `/v2/cnams/${await approvedCnam(service, `STAY ${run}`)}`
  const original = await read(account, path)
  const { data } = document(await account('PATCH', path, { body: JSON.stringify(original) }))
  assert.deepEqual(data.attributes, original.data.attributes)
})

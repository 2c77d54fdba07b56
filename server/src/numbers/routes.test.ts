import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { createDemarcClient } from '@demarc/client'
import { checkingFetch } from '../../test/support/checking-fetch.ts'
import { factories } from '../../test/support/factories.ts'
import { lastEvent } from '../../test/support/events.ts'
import { rawClient } from '../../test/support/raw-client.ts'
import { fieldErrors, refusal, sentence } from '../../test/support/refusals.ts'
import { startTestServer } from '../../test/support/server.ts'
import type { Database } from '../platform/db.ts'
import { systemActor } from '../platform/actor.ts'
import { findNumber } from './store.ts'

const server = await startTestServer()

const { client, id: account_id } = server.account
const { newNumber, newRoute, newCnam } = factories(server)

const cnamErrors = (number: string, cnam_id: string) => fieldErrors(client.assignCnam({ params: { number, cnam_id } }))

const get = async (number: string) => (await client.getNumber({ params: { number } })).body
const routeTo = (id: string | number | null) => ({ data: id === null ? null : { type: 'route' as const, id } })

test('a new number has only the default voice route', async () => {
  const value = await newNumber({ alias: 'Front desk', state: 'WA', rate_center: 'SEATTLE' })
  const response = await rawClient(server.base_url, server.account)('GET', `/v2/numbers/${value}`)
  assert.equal(response.status, 200)
  assert.equal(response.headers.get('content-type'), 'application/vnd.api+json')
  const body = (await response.json()) as { data: { attributes: { created_at: string } } }
  const id = Number(value)
  const self = `${server.base_url}/v2/numbers/${value}`
  assert.deepEqual(body, {
    data: {
      type: 'number',
      id,
      attributes: {
        alias: 'Front desk',
        value,
        number_type: 'longcode',
        state: 'WA',
        rate_center: 'SEATTLE',
        iso_country: 'US',
        status: 'active',
        cnam_lookups_enabled: false,
        monthly_cost: '1.2500',
        created_at: body.data.attributes.created_at,
      },
      links: { self },
      relationships: {
        cnam_preset: { data: null },
        e911_address: { data: null },
        primary_route: { data: { type: 'route', id: 0 } },
        failover_route: { data: null },
        message_provision: { data: { type: 'message_provisioning_status', id } },
      },
    },
    included: [
      {
        type: 'route',
        id: 0,
        links: { self: `${server.base_url}/v2/routes/0` },
        attributes: { alias: 'sip-reg', edge_strategy_id: null, route_type: 'sip-reg', value: null },
      },
      { type: 'message_provisioning_status', id, links: { self }, attributes: { status: 'unprovisioned', tn: value } },
    ],
    links: { self },
  })
  assert.ok(!Number.isNaN(Date.parse(body.data.attributes.created_at)))
})

test('a number includes its voice routes and name, all with integer ids', async () => {
  const value = await newNumber()
  const [primary, failover, cnam] = [await newRoute(), await newRoute(), await newCnam()]
  const params = { number: value }
  await client.setPrimaryRoute({ params, body: routeTo(primary) })
  await client.setFailoverRoute({ params, body: routeTo(Number(failover)) })
  await client.assignCnam({ params: { ...params, cnam_id: cnam } })
  const { data, included } = await get(value)
  const name = (await client.getCnam({ params: { cnam_id: cnam } })).body.data.attributes.value
  assert.partialDeepStrictEqual(data.relationships, {
    cnam_preset: { data: { type: 'cnam', id: Number(cnam) } },
    primary_route: { data: { type: 'route', id: Number(primary) } },
    failover_route: { data: { type: 'route', id: Number(failover) } },
  })
  const attributes = { alias: 'PBX', edge_strategy_id: null, route_type: 'host', value: 'pbx.example' }
  const route = (id: string) => ({
    type: 'route',
    id: Number(id),
    links: { self: `${server.base_url}/v2/routes/${id}` },
    attributes,
  })
  assert.deepEqual(included.slice(0, 3), [
    route(primary),
    route(failover),
    {
      type: 'cnam',
      id: Number(cnam),
      links: { self: `${server.base_url}/v2/cnams/${cnam}` },
      attributes: { value: name },
    },
  ])
  await client.setPrimaryRoute({ params, body: routeTo(failover) })
  const routes = (await get(value)).included.filter((i) => i.type === 'route')
  assert.deepEqual(routes, [route(failover)], 'a voice route used twice is included once')
})

test('a number is also found with a leading +', async () => {
  const value = await newNumber()
  const raw = rawClient(server.base_url, server.account)
  for (const path of [`+${value}`, `%2B${value}`, `${value}/`])
    assert.equal((await raw('GET', `/v2/numbers/${path}`)).status, 200, path)
})

test('a number and its related resources are read in one statement', async () => {
  const value = await newNumber()
  const statements: string[] = []
  const pool = new pg.Pool({ connectionString: server.runtime.config.database_url ?? '', max: 1 })
  const db = new Kysely<Database>({
    dialect: new PostgresDialect({ pool }),
    log: (event) => void statements.push(event.query.sql),
  })
  const found = await findNumber(db, systemActor('test', account_id), value)
  await db.destroy()
  assert.equal(found?.value, value)
  assert.equal(statements.length, 1)
})

test('a number of another account looks exactly like a missing one', async () => {
  const value = await newNumber()
  const stranger = server.other.client
  const [route, cnam] = [await newRoute(server.other), await newCnam('approved', server.other)]
  const requests: ((number: string) => Promise<unknown>)[] = [
    (number) => stranger.getNumber({ params: { number } }),
    (number) => stranger.updateNumber({ params: { number }, body: { alias: 'mine' } }),
    (number) => stranger.setPrimaryRoute({ params: { number }, body: routeTo(route) }),
    (number) => stranger.setFailoverRoute({ params: { number }, body: routeTo(null) }),
    (number) => stranger.assignCnam({ params: { number, cnam_id: cnam } }),
    (number) => stranger.unassignCnam({ params: { number } }),
  ]
  for (const request of requests) {
    const [theirs, nobodys] = [await sentence(request(value), 404), await sentence(request('19995550100'), 404)]
    assert.equal(theirs.replace(value, 'N'), nobodys.replace('19995550100', 'N'))
  }
  const raw = rawClient(server.base_url, server.account)
  for (const path of ['abc', '-1', '1.5', '2065550100', '9'.repeat(18), '9'.repeat(30), '++12065550100'])
    assert.equal((await raw('GET', `/v2/numbers/${path}`)).status, 404, path)
})

test('alias and CNAM lookups are changed separately, in either body form', async () => {
  const number = await newNumber({ alias: 'Before' })
  const params = { number }
  const updated = await client.updateNumber({ params, body: { cnam_lookups_enabled: true } })
  assert.partialDeepStrictEqual(updated.body.data.attributes, { alias: 'Before', cnam_lookups_enabled: true })
  const body = { data: { type: 'number', attributes: { alias: 'After' } } }
  const renamed = await client.updateNumber({ params, body })
  assert.partialDeepStrictEqual(renamed.body.data.attributes, { alias: 'After', cnam_lookups_enabled: true })
  const event = await lastEvent(server.db, 'number.changed')
  assert.deepEqual([event?.chain_id, event?.subject_type, event?.subject_id], [account_id, 'number', number])
  assert.deepEqual(event?.data, { from: { alias: 'Before' }, to: { alias: 'After' } })
  for (const alias of [null, '']) {
    await client.updateNumber({ params, body: { alias: 'Set' } })
    assert.equal((await client.updateNumber({ params, body: { alias } })).body.data.attributes.alias, null)
  }
  const before = (await lastEvent(server.db, 'number.changed'))?.id
  const raw = rawClient(server.base_url, server.account)
  const empty = await raw('PATCH', `/v2/numbers/${number}`, '')
  assert.equal(empty.status, 200, 'an empty body changes nothing')
  assert.equal((await lastEvent(server.db, 'number.changed'))?.id, before)
})

test('an invalid change is refused with every failing field', async () => {
  const number = await newNumber()
  const raw = rawClient(server.base_url, server.account)
  const response = await raw('PATCH', `/v2/numbers/${number}`, {
    alias: 'x'.repeat(101),
    cnam_lookups_enabled: 'yes',
    monthly_cost: '0',
  })
  assert.equal(response.status, 422)
  const { errors } = (await response.json()) as { errors: { detail: unknown }[] }
  assert.deepEqual(errors[0]?.detail, {
    alias: ['At most 100 characters.'],
    cnam_lookups_enabled: ['Must be true or false.'],
    monthly_cost: ['Is read-only. Omit it, or send its current value.'],
  })
})

test('null is the default voice route, or no failover', async () => {
  const value = await newNumber()
  const params = { number: value }
  const route = await newRoute()
  assert.equal((await client.setPrimaryRoute({ params, body: routeTo(route) })).status, 204)
  assert.equal((await client.setFailoverRoute({ params, body: routeTo('0') })).status, 204)
  assert.partialDeepStrictEqual((await get(value)).data.relationships, {
    primary_route: { data: { id: Number(route) } },
    failover_route: { data: { id: 0 } },
  })
  assert.deepEqual((await lastEvent(server.db, 'number.changed'))?.data, {
    from: { failover_route_id: null },
    to: { failover_route_id: '0' },
  })
  await client.setPrimaryRoute({ params, body: routeTo(null) })
  await client.setFailoverRoute({ params, body: routeTo(null) })
  assert.partialDeepStrictEqual((await get(value)).data.relationships, {
    primary_route: { data: { id: 0 } },
    failover_route: { data: null },
  })
})

test('only a voice route of the account can be set', async () => {
  const params = { number: await newNumber() }
  const foreign = await newRoute(server.other)
  for (const set of [client.setPrimaryRoute, client.setFailoverRoute]) {
    for (const id of [foreign, '999999999'])
      assert.deepEqual(await fieldErrors(set({ params, body: routeTo(id) })), {
        id: [`No route ${id} is on this account.`],
      })
    assert.deepEqual(await fieldErrors(set({ params, body: routeTo('x') })), { id: ['Must be the ID of a route.'] })
    assert.deepEqual(await fieldErrors(set({ params, body: {} as ReturnType<typeof routeTo> })), {
      data: ['Is required.'],
    })
  }
})

test('an approved name is set on a long code and cleared again', async () => {
  const number = await newNumber()
  const cnam_id = await newCnam()
  const assigned = await client.assignCnam({ params: { number, cnam_id } })
  assert.equal(assigned.status, 202)
  assert.deepEqual(assigned.body, await get(number))
  assert.deepEqual(assigned.body.data.relationships.cnam_preset.data, { type: 'cnam', id: Number(cnam_id) })
  assert.deepEqual((await lastEvent(server.db, 'number.changed'))?.data, { from: { cnam_id: null }, to: { cnam_id } })
  const taken = await client.unassignCnam({ params: { number } })
  assert.equal(taken.status, 202)
  assert.equal(taken.body.data.relationships.cnam_preset.data, null)
  assert.equal((await client.unassignCnam({ params: { number } })).status, 202, 'nothing to remove is no error')
  const raw = rawClient(server.base_url, server.account)
  assert.equal((await raw('PATCH', `/v2/numbers/${number}/relationships/cnam/${cnam_id}`)).status, 202)
  assert.equal((await raw('DELETE', `/v2/numbers/${number}/relationships/cnam`)).status, 202)
})

test('an unapproved name and a toll-free number are refused, both together if both apply', async () => {
  const [number, tollfree] = [await newNumber(), await newNumber({ value: '18005550100', number_type: 'toll-free' })]
  const [waiting, rejected, approved] = [await newCnam('waiting'), await newCnam('rejected'), await newCnam()]
  assert.deepEqual(await cnamErrors(number, waiting), { cnam_id: [`Caller ID name ${waiting} is not approved yet.`] })
  assert.match((await cnamErrors(number, rejected))['cnam_id']?.[0] ?? '', /was rejected/)
  assert.deepEqual(await cnamErrors(tollfree, approved), {
    number: ['Toll-free numbers cannot have a caller ID name.'],
  })
  assert.deepEqual(Object.keys(await cnamErrors(tollfree, waiting)), ['number', 'cnam_id'])
  assert.equal((await get(tollfree)).data.attributes.number_type, 'toll-free')
  assert.equal((await get(tollfree)).data.attributes.monthly_cost, '2.0000')
})

test('a name of another account cannot be set', async () => {
  const number = await newNumber()
  const [a, b] = [await newCnam('approved', server.other), '999999999']
  const refused = (cnam_id: string) => sentence(client.assignCnam({ params: { number, cnam_id } }), 404)
  assert.equal((await refused(a)).replace(a, 'N'), (await refused(b)).replace(b, 'N'))
})

test('a name withdrawn while being assigned never stays on the number', async () => {
  const number = await newNumber()
  for (let round = 0; round < 10; round++) {
    const cnam_id = await newCnam()
    const withdraw = server.operator.decideCnam({
      params: { cnam_id },
      body: { is_approved: false, rejection_reason: 'No.' },
    })
    const [assigned] = await Promise.allSettled([client.assignCnam({ params: { number, cnam_id } }), withdraw])
    if (assigned?.status === 'rejected') assert.equal((assigned.reason as { status: number }).status, 422)
    assert.equal((await get(number)).data.relationships.cnam_preset.data, null)
  }
})

test('the operator sees every number, or those of one account', async () => {
  const mine = await newNumber({}, server.other)
  assert.equal((await server.operator.getNumber({ params: { number: mine } })).status, 200)
  const acting = (as: string) =>
    createDemarcClient({
      retry: false,
      base_url: server.base_url,
      fetch: checkingFetch,
      credentials: server.operator_credentials,
      account_id: as,
    })
  assert.equal((await acting(server.other.id).getNumber({ params: { number: mine } })).status, 200)
  await refusal(acting(account_id).getNumber({ params: { number: mine } }), 404)
  const route = await newRoute(server.other)
  assert.equal((await server.operator.setPrimaryRoute({ params: { number: mine }, body: routeTo(route) })).status, 204)
})

test('a read-only key cannot change numbers', async () => {
  const reader = await server.newAccount('Reader', ['numbers:read'])
  assert.equal((await reader.client.listNumbers()).status, 200)
  await refusal(reader.client.updateNumber({ params: { number: '12065550100' }, body: { alias: 'x' } }), 403)
  await refusal(reader.client.listRoutes(), 403)
  assert.equal((await rawClient(server.base_url)('GET', '/v2/numbers')).status, 401)
})

import assert from 'node:assert/strict'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { addBusinessDays, createDemarcClient, dateIn, e911Levels, portOrders, type DemarcClient } from '@demarc/client'
import { sql } from 'kysely'
import { castAddresses } from '../../seed/addresses.ts'
import { reseller } from '../../seed/cast.ts'
import { castPortOrders } from '../../seed/port-orders.ts'
import { resellerSites } from '../../seed/reseller.ts'
import { checkingFetch } from '../../test/support/checking-fetch.ts'
import { assertGeneralLists } from '../../test/support/general-lists.ts'
import { startTestServer, type TestServer } from '../../test/support/server.ts'
import { operatorChain, verifyChain } from '../platform/events.ts'
import type { Runtime } from '../runtime.ts'
import { prepareDemo } from './demo.ts'

/** The reseller's orders from before the demo history. */
const past_orders = 300

const tables = [
  'account',
  'access_key',
  'operator_key',
  'number',
  'cnam',
  'e911_address',
  'port_order',
  'port_order_comment',
  'port_order_document',
  'event',
] as const

/** A server with a database that has no account named like the demo's. */
async function startServer(): Promise<TestServer> {
  const server = await startTestServer()
  await server.db.updateTable('account').set({ name: 'Of the test' }).execute()
  return server
}

/** Starts demo mode on the server as if its call history existed. */
async function prepare({ runtime }: TestServer, overrides: Partial<Runtime> = {}) {
  const totals = {
    num_calls: 2,
    total_cost: '0.03',
    call_subtotal: '0.03',
    connect_fees: '0',
    cnamlookup_fees: '0',
    usf_fees: '0',
    ccrf: '0',
    billed_seconds: '120',
  }
  const warehouse: Runtime['warehouse'] = {
    ...runtime.warehouse,
    count: () => Promise.resolve(Infinity),
    export: async (_query, _format, write) => ({
      totals,
      result: await write(Readable.from(['two calls']), totals, () => 1),
    }),
  }
  const { base_url, ...keys } = await prepareDemo({ ...runtime, ...overrides, warehouse })
  const client = (credentials: { access_key: string; secret_key: string }) =>
    createDemarcClient({ retry: false, base_url, fetch: checkingFetch, credentials })
  return { first: client(keys.account), second: client(keys.other_account), operator: client(keys.operator) }
}

async function countRows({ db }: TestServer): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const table of tables) {
    const { rows } = await sql<{ count: string }>`select count(*) from ${sql.table(table)}`.execute(db)
    counts[table] = Number(rows[0]?.count)
  }
  return counts
}

/** The individually described orders; earlier ones have lower ids. */
const ordersOf = async (client: DemarcClient) =>
  (await client.listPortOrders({ query: { limit: 200 } })).body.data.filter(({ id }) => Number(id) > 1000)
const addressesOf = async (client: DemarcClient) => (await client.listE911s({ query: { limit: 200 } })).body.data

const server = await startServer()
/** The day of the seeding, which may end before the tests do. */
const filled_on = dateIn(server.clock.now(), server.runtime.deps.time_zone)
const cast = await prepare(server)

test('the demo has port orders in every status, and the first account has some', async () => {
  const orders = [...(await ordersOf(cast.first)), ...(await ordersOf(cast.second))]
  const wanted = castPortOrders.flatMap(({ attributes, orders }) =>
    orders.map(({ status }) => `${attributes.alias}: ${status}`),
  )
  assert.deepEqual(
    orders.map(({ attributes }) => `${attributes.alias}: ${attributes.status}`).toSorted(),
    wanted.toSorted(),
  )
  assert.deepEqual(new Set(orders.map(({ attributes }) => attributes.status)), new Set(portOrders.portOrderStatuses))
  assert.ok((await ordersOf(cast.first)).length > 0)
})

test('the demo has E911 addresses of every validation level, and the first account has some', async () => {
  const addresses = [...(await addressesOf(cast.first)), ...(await addressesOf(cast.second))]
  const levelOf = new Map(addresses.map(({ attributes }) => [attributes.label, attributes.validation.level]))
  const sites = resellerSites.map(({ label }) => [label, 'address'] as const)
  const others = castAddresses.map(({ attributes, level }) => [attributes.label, level] as const)
  assert.deepEqual(levelOf, new Map([...sites, ...others]))
  assert.deepEqual(new Set(levelOf.values()), new Set(e911Levels))
  assert.ok((await addressesOf(cast.first)).length > 0)
})

test('the guide names each order with its status, and each address with its level', async () => {
  const guide = await readFile(new URL('../../../docs/guide/demo-mode.md', import.meta.url), 'utf8')
  const rows = guide.split('\n').filter((line) => line.startsWith('| `'))
  const isNamed = (value: string, name: string) =>
    rows.some((row) => row.startsWith(`| \`${value}\` |`) && row.includes(name))
  for (const { attributes, orders } of castPortOrders)
    for (const { status } of orders) assert.ok(isNamed(status, attributes.alias ?? ''), `${status} ${attributes.alias}`)
  for (const { level, attributes } of castAddresses) assert.ok(isNamed(level, attributes.label), attributes.label)
})

test('no demo order has an error that its check would find', async () => {
  for (const client of [cast.first, cast.second])
    for (const { id, attributes } of await ordersOf(client)) {
      if (portOrders.terminal(attributes.status)) continue
      const { findings } = (await client.checkPortOrder({ params: { portorder_id: id } })).body.data.attributes
      assert.deepEqual(
        findings.filter(({ severity }) => severity === 'error'),
        [],
        attributes.alias,
      )
    }
})

test('the numbers of the completed order are in service, with voice route, name, address and alias', async () => {
  const completed = (await ordersOf(cast.first)).find(({ attributes }) => attributes.status === 'Completed')
  const { numbers, presets_waiting } = completed?.attributes ?? assert.fail()
  assert.equal(presets_waiting, null)
  for (const number of numbers) {
    const { data, included } = (await cast.first.getNumber({ params: { number } })).body
    assert.equal(data.attributes.alias, 'Friendship practice')
    const types = new Set<string>(included.map(({ type }) => type))
    assert.ok(['cnam', 'e911', 'route'].every((type) => types.has(type)))
  }
})

test('the first account has tasks: a wrong PIN, an LOA to sign, a port tomorrow, a number without an address', async () => {
  const orders = (await ordersOf(cast.first)).map(({ attributes }) => attributes)
  assert.equal(orders.find(({ alias }) => alias === 'Emergency mobile')?.rejection?.code, 'pin_mismatch')
  assert.equal(orders.find(({ alias }) => alias === 'Recall line')?.loa, null)
  const tomorrow = addBusinessDays(filled_on, 1, { country: 'US' })
  assert.equal(orders.find(({ alias }) => alias === 'Hygienist')?.completion_date, tomorrow)
  const { data } = (await cast.first.listE911Coverage({ query: { gap: 'no_address' } })).body
  assert.deepEqual(
    data.map(({ id }) => id),
    ['14255550103'],
  )
})

test('its notifications follow the retry schedule: most are delivered, the newest still fails', async () => {
  const { data } = (await cast.first.listNotifications({ query: { limit: 100 } })).body
  const [newest, ...others] = data.map(({ attributes }) => attributes)
  assert.ok(others.length >= 10)
  assert.ok(others.every(({ status, attempts }) => status === 'delivered' && attempts.length > 0))
  assert.ok(others.some(({ attempts }) => attempts.length === 3))
  assert.equal(newest?.status, 'pending')
  const due = await server.db.selectFrom('job').select('due_at').where('kind', '=', 'deliver').execute()
  assert.deepEqual(
    due.map(({ due_at }) => due_at.toISOString()),
    [newest?.next_attempt_at],
  )
  for (const { attempts } of data.map(({ attributes }) => attributes))
    for (const { attempted_at } of attempts) assert.ok(new Date(attempted_at) <= server.runtime.deps.clock.now())
})

test('its people are offered for sign-in once, however often the service starts', async () => {
  const offered = async () => (await server.anonymous.getSignInOptions()).body.data.demo_people
  const people = await offered()
  assert.deepEqual(
    people.map(({ name, account_name, role }) => [name, account_name, role]),
    [
      ['Elena Núñez', 'Harbor Dental', 'owner'],
      ['Mia Park', 'Harbor Dental', 'manager'],
      ['Sam Okafor', 'Harbor Dental', 'read_only'],
      ['Ray Castellano', 'Cascade Voice Partners', 'owner'],
      ['Jo Lindqvist', 'Harbor Dental, Cascade Voice Partners', 'manager'],
      ['Kim Tran', null, 'operator'],
      ['Alex Moreau', null, 'operator_read_only'],
    ],
  )
  await prepare(server)
  assert.deepEqual(await offered(), people)
})

test('it has an export with a file, and a failed one with a remedy', async () => {
  const { data } = (await cast.first.listCdrExports()).body
  assert.deepEqual(
    data.map(({ attributes }) => attributes.status),
    ['failed', 'completed'],
  )
  assert.match(data[0]?.attributes.failure_reason ?? '', /Request a shorter period/)
  const file = await cast.first.getCdrExportFile({ params: { export_id: data[1]?.id ?? '' } })
  assert.equal(await file.body.text(), 'two calls')
})

test('every list has the same bytes with and without the optimized reads', async () => {
  const { id = '', attributes } = (await server.operator.listPortOrderQueue()).body.data[0] ?? {}
  await assertGeneralLists(server, attributes?.account_id ?? '', { portorder_id: id })
})

test('the reseller has several pages of everything, and past orders that match their numbers and events', async () => {
  const numbers = (await cast.second.listNumbers({ query: { limit: 200, offset: reseller.numbers - 200 } })).body.data
  assert.equal(numbers.length, 200)
  const lists = [cast.second.listRoutes(), cast.second.listCnams(), cast.second.listE911s()]
  for (const { body } of await Promise.all(lists)) assert.ok(body.data.length >= 10)
  const [past] = (await cast.second.listPortOrders({ query: { limit: 200, offset: 100, status: 'completed' } })).body
    .data
  assert.ok(past)
  const { numbers: ported, completion_date, next, comments } = past.attributes
  assert.match(comments[0]?.text ?? '', /signed on paper/)
  assert.equal(next.who, 'nobody')
  const timeline = (await cast.second.getPortOrderTimeline({ params: { portorder_id: past.id }, query: { limit: 20 } }))
    .body.data
  assert.deepEqual(
    timeline.map(({ attributes }) => attributes.event_type),
    ['created', 'signed', 'submitted', 'accepted', 'completed'].map((verb) => `portorder.${verb}`),
  )
  assert.equal(
    dateIn(new Date(timeline.at(-1)?.attributes.occurred_at ?? ''), server.runtime.deps.time_zone),
    completion_date,
  )
  for (const number of ported) {
    const { attributes } = (await cast.second.getNumber({ params: { number } })).body.data
    assert.equal(Date.parse(attributes.created_at), Date.parse(timeline.at(-1)?.attributes.occurred_at ?? ''))
  }
})

test('the events of each account are in chronological order, in chains that verify', async () => {
  const events = await server.db
    .selectFrom('event')
    .select(['chain_id', 'occurred_at'])
    // the operator's chain began with the test's own key
    .where('chain_id', '<>', operatorChain)
    .orderBy('id')
    .execute()
  for (const [chain_id, chain] of Map.groupBy(events, (event) => event.chain_id)) {
    const times = chain.map(({ occurred_at }) => occurred_at.getTime())
    assert.deepEqual(
      times,
      times.toSorted((a, b) => a - b),
      `chain ${chain_id}`,
    )
    assert.equal((await verifyChain(server.db, chain_id)).intact, true)
  }
})

test('another start adds nothing, and one without demo.json adds only keys', async () => {
  const before = await countRows(server)
  await prepare(server)
  assert.deepEqual(await countRows(server), before)
  await rm(join(server.runtime.config.data_dir, 'demo.json'))
  await prepare(server)
  const { access_key = 0, operator_key = 0, event = 0 } = before
  const more = { access_key: access_key + 2, operator_key: operator_key + 1, event: event + 3 }
  assert.deepEqual(await countRows(server), { ...before, ...more })
})

test('a start writes no temporary file that a kill would leave behind', async () => {
  const started = await startServer()
  const { TMPDIR } = process.env
  process.env['TMPDIR'] = join(started.runtime.config.data_dir, 'nowhere')
  try {
    await prepare(started)
  } finally {
    if (TMPDIR === undefined) delete process.env['TMPDIR']
    else process.env['TMPDIR'] = TMPDIR
  }
})

test('an interrupted start leaves none of the demo data, and the next one creates all of it', async () => {
  const interrupted = await startServer()
  const before = await countRows(interrupted)
  const { files: file_store } = interrupted.runtime.deps
  let stored = 0
  const nextFile = () => {
    if (++stored > 8) throw new Error('killed')
  }
  const files: Runtime['deps']['files'] = {
    ...file_store,
    async putStream(...args) {
      nextFile()
      return await file_store.putStream(...args)
    },
    async stage(...args) {
      nextFile()
      return await file_store.stage(...args)
    },
  }
  await assert.rejects(prepare(interrupted, { deps: { ...interrupted.runtime.deps, files } }), /killed/)
  assert.deepEqual(await countRows(interrupted), before)
  await prepare(interrupted)
  const orders = castPortOrders.reduce((sum, each) => sum + each.orders.length, 0)
  assert.equal((await countRows(interrupted))['port_order'], orders + past_orders)
})

test('a start continues after the database refused every statement once', async () => {
  const { deps } = server.runtime
  const before = await countRows(server)
  const refused = new Set<string>()
  const db = deps.db.withPlugin({
    transformQuery: ({ node }) => {
      const text = JSON.stringify(node)
      if (refused.size === refused.add(text).size) return node
      throw new Error('timeout exceeded when trying to connect')
    },
    transformResult: async ({ result }) => result,
  })
  await prepare(server, { deps: { ...deps, db } })
  assert.ok(refused.size > 0)
  assert.deepEqual(await countRows(server), before)
})

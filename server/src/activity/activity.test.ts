import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { newOrder, orderIn } from '../../test/support/port-orders.ts'
import { factories } from '../../test/support/factories.ts'
import { fieldErrors } from '../../test/support/refusals.ts'
import { startTestServer, type TestAccount } from '../../test/support/server.ts'
import { refused, wire } from '../../test/support/wire.ts'
import { transitionEvents } from '../port-orders/rules.ts'
import { catalog, shownEvent, shownTypes } from './rules.ts'

const server = await startTestServer()
const { account, other, operator } = server
const { newNumber, newRoute, newCnam } = factories(server)

type Query = NonNullable<Parameters<TestAccount['client']['listActivity']>[0]>['query']
const activity = async (query: Query = {}, { client }: TestAccount = account) =>
  (await client.listActivity({ query: { limit: 200, ...query } })).body.data.map(({ attributes }) => attributes)

/** On the operator's own chain, which customers don't see. */
const operators = [
  'alert',
  'inventory',
  'inventory_number',
  'cdrs',
  'job',
  'operator_key',
  'edge_strategy',
  'e911_dataset',
  'person',
  'retention',
  'legal_hold',
  'personal_data',
  'price_class',
]
/** Names of span attributes look the same. */
const not_events = ['demarc']
/** Event types that end in the status of a row. */
const outcomes: Record<string, readonly string[]> = {
  cdrexport: ['completed', 'failed'],
  e911_validation: ['completed', 'failed'],
  numberorder: ['rejected', 'canceled', 'expired'],
}

test('the catalog has exactly the event types that the source records on accounts', () => {
  const src = `${import.meta.dirname}/..`
  const texts = globSync('**/*.ts', { cwd: src, exclude: ['activity/**', '**/testing/**', '**/*.test.ts'] })
    .map((file) => readFileSync(`${src}/${file}`, 'utf8'))
    .filter((text) => /\b(recordEvent|recordOrder|NewEvent|transitionEvents|edited)\b/.test(text))
  const found = texts.flatMap((text) => [
    ...[...text.matchAll(/'([a-z0-9_]+\.[a-z_]+)'/g)].map(([, type = '']) => type),
    ...[...text.matchAll(/`([a-z0-9_]+)\.\$\{[^}]*status\}`/g)].flatMap(([, subject = '']) =>
      (outcomes[subject] ?? assert.fail(`${subject}: say how it can end`)).map((end) => `${subject}.${end}`),
    ),
  ])
  const recorded = [...found, ...Object.values(transitionEvents)].filter(
    (type) => ![...operators, ...not_events].includes(type.split('.')[0] ?? ''),
  )
  assert.deepEqual(Object.keys(catalog).toSorted(), [...new Set(recorded)].toSorted())
})

/** Every fact that a sentence may include. */
const facts = {
  ...Object.fromEntries(
    ['alias', 'value', 'name', 'level', 'level_before', 'verdict', 'format', 'file', 'preset', 'completion_date'].map(
      (name) => [name, `the ${name}`],
    ),
  ),
  ...Object.fromEntries(['reason', 'title', 'failure_reason', 'rejection_reason'].map((name) => [name, 'Not so'])),
  gaining_carrier: 'Lakeview Telephone',
  foc_date: '2026-11-24',
  customer_response: 'disputed',
  role: 'read_only',
  rows: 1200,
  num_calls: 1,
  ordered_count: 3,
  missing_count: 1,
  monthly_cost: '1.2500',
  setup_cost: '1.0000',
  price_class: 'gold',
  from: { alias: null },
  to: { alias: 'Main', value: 'x' },
  numbers_count: 2,
  numbers: ['12065550100', '+12065550101'],
  added: { numbers_count: 1, numbers: ['+12065550100'] },
}

test('each sentence is complete', () => {
  for (const type of shownTypes) {
    const { sentence } = shownEvent(type, facts)
    assert.match(sentence, /^[“A-Z][^.]*[a-zA-Z0-9”]\.$/u, type)
    assert.doesNotMatch(sentence, /undefined|null|NaN|\[object| {2}|[:,;]\.|“”/, type)
  }
  assert.equal(shownEvent('cdrexport.completed', facts).sentence, 'The export of one call is ready.')
  assert.equal(
    shownEvent('portorder.numbers_failed', facts).sentence,
    'The numbers +12065550100, +12065550101 could not be ported: Not so.',
  )
})

test('sentences work without optional facts', () => {
  for (const type of shownTypes) assert.doesNotMatch(shownEvent(type, {}).sentence, /undefined|null|\[object/, type)
})

test('a number’s history has its changes, its port order, and events that list it', async () => {
  const { id, attributes } = await newOrder(account)
  const number = attributes.numbers[0]?.slice(1) ?? assert.fail('no number')
  await account.client.cancelPortOrder({
    params: { portorder_id: id },
    body: { data: { type: 'portorder', attributes: { status: 'cancelled' } } },
  })
  await newNumber({ value: number })
  const cnam_id = await newCnam()
  await account.client.updateNumber({ params: { number }, body: { alias: 'Front desk' } })
  await account.client.assignCnam({ params: { number, cnam_id } })
  await account.client.updateNumber({ params: { number: await newNumber() }, body: { alias: 'Another' } })
  await account.client.deleteCnam({ params: { cnam_id } })
  assert.deepEqual(
    (await activity({ number: `+${number}` })).map(({ sentence, by }) => [sentence, by]),
    [
      ['The caller ID name “NAME 1” was deleted and removed from one number.', 'account'],
      [`The caller ID name was set to ${cnam_id}.`, 'account'],
      ['The alias was set to “Front desk”.', 'account'],
      [`The number +${number} was added to the account.`, 'operator'],
      ['The order was canceled.', 'account'],
      [`The port order of the number +${number} was created.`, 'account'],
    ],
  )
  assert.deepEqual(await activity({ number }, other), [])
})

test('filters: by subject, by type, and in pages', async () => {
  const route = await newRoute()
  await account.client.updateRoute({ params: { route_id: route }, body: { alias: 'Main' } })
  const about = await activity({ subject_type: 'route', subject_id: route })
  assert.deepEqual(
    about.map(({ event_type, details }) => [event_type, details]),
    [
      ['route.changed', { from: { alias: 'PBX' }, to: { alias: 'Main' } }],
      ['route.created', { alias: 'PBX', route_type: 'host', value: 'pbx.example', edge_strategy_id: null }],
    ],
  )
  assert.deepEqual(
    (await activity({ event_type: 'route.changed' })).map(({ event_type }) => event_type),
    ['route.changed'],
  )
  assert.deepEqual(await activity({ event_type: 'edge_strategy.created' }), [])
  const all = await activity()
  const paged = []
  for (let offset = 0; offset < all.length; offset += 4) paged.push(...(await activity({ limit: 4, offset })))
  assert.deepEqual(paged, all)
  assert.deepEqual(await fieldErrors(activity({ number: '2065550100' })), {
    number: ['Must be 11 digits, beginning with 1.'],
  })
})

test('customers do not see the operator’s notes, keys, secrets, and hashes', async () => {
  const order = await orderIn(server, 'Rejected', { pin: 'CANARY7' })
  const params = { portorder_id: order.id }
  await operator.addPortOrderComment({ params, body: { text: 'A private matter', private: true } })
  await operator.addPortOrderComment({ params, body: { text: 'For you' } })
  const attributes = { pin: 'CANARY8', city: 'Tacoma' }
  await account.client.updatePortOrder({ params, body: { data: { type: 'portorder', attributes } } })
  const about = await activity({ subject_type: 'portorder', subject_id: order.id })
  assert.deepEqual(
    about.slice(0, 3).map(({ sentence }) => sentence),
    [
      'The order was changed: city, pin.',
      'A comment was added to the order.',
      'The order was rejected: PIN or passcode does not match.',
    ],
  )
  const { access_key, secret_key } = account.credentials
  const text = JSON.stringify([await activity(), await activity({}, other)])
  for (const secret of ['CANARY', access_key, secret_key, server.operator_credentials.access_key, 'noted', '"hash"'])
    assert.ok(!text.includes(secret), secret)
})

test('an account sees only its own events, and the operator names the account', async () => {
  assert.deepEqual(
    (await activity({}, other)).map(({ event_type }) => event_type),
    ['access_key.created', 'account.created'],
  )
  const send = wire(server.base_url, server.operator_credentials)
  const missing = refused(await send('GET /v2/activity'), 422)
  assert.deepEqual(Object.keys(Object(missing.detail)), ['Demarc-Account'])
  const within = await send('GET /v2/activity', { headers: { 'demarc-account': other.id } })
  assert.equal((JSON.parse(within.body) as { data: unknown[] }).data.length, 2)
})

test('a sentence uses the current name of the record it refers to', async () => {
  const number = await newNumber()
  const id = await newRoute()
  await account.client.setPrimaryRoute({ params: { number }, body: { data: { type: 'route', id } } })
  await account.client.updateRoute({ params: { route_id: id }, body: { alias: 'Night desk' } })
  await account.client.setPrimaryRoute({ params: { number }, body: { data: null } })
  assert.deepEqual(
    (await activity({ number })).slice(0, 2).map(({ sentence }) => sentence),
    ['The primary route was set to “Default”.', 'The primary route was set to “Night desk”.'],
  )
})

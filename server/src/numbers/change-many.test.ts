import assert from 'node:assert/strict'
import { test } from 'node:test'
import { factories } from '../../test/support/factories.ts'
import { fieldErrors, refusal } from '../../test/support/refusals.ts'
import { startTestServer } from '../../test/support/server.ts'
import { listEvents } from '../platform/events.ts'

const server = await startTestServer()

const { client, id: account_id } = server.account
const { newAddress, newNumber, newRoute, newCnam } = factories(server)

type Body = Parameters<typeof client.updateNumbers>[0]['body']

const change = async (body: Body, dry_run = false, by = client) =>
  (await by.updateNumbers({ body, query: { dry_run } })).body
const relationships = async (number: string) => (await client.getNumber({ params: { number } })).body.data
const changesOf = async (value: string) =>
  await listEvents(server.db, {
    type: 'number.changed',
    subject_type: 'number',
    subject_id: value,
    limit: 10,
    offset: 0,
  })

test('alias, lookups, routes, name, and emergency address of many numbers change in one request, each with its event', async () => {
  const [first, second] = [await newNumber(), await newNumber({ alias: 'Old' })]
  const [route, cnam, address] = [
    await newRoute(),
    await newCnam(),
    await newAddress({ address_type: 'Suite', address_type_number: '1' }),
  ]
  const { data, meta } = await change({
    numbers: [
      { value: first, primary_route_id: route, failover_route_id: route, cnam_id: cnam, e911_id: Number(address) },
      { value: `+${second}`, alias: '', cnam_lookups_enabled: true },
    ],
  })
  const counts = { changed_count: 2, unchanged_count: 0, refused_count: 0 }
  assert.deepEqual(meta, { mode: 'all_or_none', dry_run: false, ...counts })
  const to = {
    primary_route_id: Number(route),
    failover_route_id: Number(route),
    cnam_id: Number(cnam),
    e911_id: Number(address),
  }
  assert.deepEqual(data, [
    {
      value: first,
      outcome: 'changed',
      from: { primary_route_id: 0, failover_route_id: null, cnam_id: null, e911_id: null },
      to,
      errors: [],
    },
    {
      value: second,
      outcome: 'changed',
      from: { alias: 'Old', cnam_lookups_enabled: false },
      to: { alias: null, cnam_lookups_enabled: true },
      errors: [],
    },
  ])
  assert.partialDeepStrictEqual((await relationships(first)).relationships, {
    primary_route: { data: { id: Number(route) } },
    cnam_preset: { data: { id: Number(cnam) } },
    e911_address: { data: { id: Number(address) } },
  })
  assert.deepEqual(
    (await changesOf(second)).map(({ chain_id, data: details }) => ({ chain_id, details })),
    [
      {
        chain_id: account_id,
        details: {
          from: { alias: 'Old', cnam_lookups_enabled: false },
          to: { alias: null, cnam_lookups_enabled: true },
        },
      },
    ],
  )
  const nothing = { primary_route_id: null, failover_route_id: null, cnam_id: null, e911_id: null }
  assert.equal((await change({ numbers: [{ value: first, ...nothing }] })).meta.changed_count, 1)
  assert.deepEqual((await relationships(first)).relationships.cnam_preset, { data: null })
  const again = await change({ numbers: [{ value: first, ...nothing }] })
  assert.deepEqual(
    again.data.map(({ outcome }) => outcome),
    ['unchanged'],
  )
  assert.equal((await changesOf(first)).length, 2, 'what changes nothing has no event')
})

test('when one is refused, all refused ones are named and none is changed', async () => {
  const [good, tollFree] = [await newNumber(), await newNumber({ value: '18885550177', number_type: 'toll-free' })]
  const [cnam, waiting, address] = [
    await newCnam(),
    await newCnam('waiting'),
    await newAddress({ address_type: 'Suite', address_type_number: '2' }),
  ]
  const errors = await fieldErrors(
    change({
      numbers: [
        { value: good, alias: 'New' },
        { value: '12065559999', alias: 'Nobody has it' },
        { value: tollFree, cnam_id: cnam, e911_id: address },
        { value: good, alias: 'Again' },
      ],
    }),
  )
  assert.deepEqual(errors, {
    'numbers.1.value': ['No number 12065559999 is on this account.'],
    'numbers.2.value': [
      'Toll-free numbers cannot have a caller ID name.',
      'Toll-free numbers cannot have emergency service.',
    ],
    'numbers.3.value': ['Is the same number as numbers.0.'],
  })
  const records = await fieldErrors(
    change({
      numbers: [
        { value: good, primary_route_id: 987_654, failover_route_id: '987655', cnam_id: waiting, e911_id: 987_656 },
      ],
    }),
  )
  const single = await fieldErrors(client.assignCnam({ params: { number: good, cnam_id: waiting } }))
  assert.deepEqual(records, {
    'numbers.0.primary_route_id': ['No route 987654 is on this account.'],
    'numbers.0.failover_route_id': ['No route 987655 is on this account.'],
    'numbers.0.cnam_id': single['cnam_id'],
    'numbers.0.e911_id': ['No emergency address 987656 is on this account.'],
  })
  assert.equal((await relationships(good)).attributes.alias, null)
  assert.deepEqual(await changesOf(good), [])
})

test('independently: the others are changed, and a refused one has the errors that a single request would have', async () => {
  const [good, bad] = [await newNumber(), await newNumber()]
  const waiting = await newCnam('waiting')
  const { data, meta } = await change({
    mode: 'each',
    numbers: [
      { value: bad, alias: 'Never', cnam_id: waiting },
      { value: good, alias: 'New' },
      { value: '12065559999', alias: 'Nobody has it' },
    ],
  })
  assert.deepEqual(meta, { mode: 'each', dry_run: false, changed_count: 1, unchanged_count: 0, refused_count: 2 })
  assert.deepEqual(
    data.map(({ outcome }) => outcome),
    ['refused', 'changed', 'refused'],
  )
  const single = await refusal(client.assignCnam({ params: { number: bad, cnam_id: waiting } }), 422)
  assert.deepEqual({ ...data[0]?.errors[0], id: '' }, { ...single, id: '' })
  const unknown = await refusal(client.getNumber({ params: { number: '12065559999' } }), 404)
  assert.deepEqual({ ...data[2]?.errors[0], id: '' }, { ...unknown, id: '' })
  assert.equal((await relationships(bad)).attributes.alias, null)
  assert.equal((await relationships(good)).attributes.alias, 'New')
})

test('a dry run returns the real results in either mode and changes nothing', async () => {
  const value = await newNumber()
  const numbers = [
    { value, alias: 'New' },
    { value: '12065559999', alias: 'Nobody has it' },
  ]
  for (const mode of ['all_or_none', 'each'] as const) {
    const { data, meta } = await change({ mode, numbers }, true)
    assert.deepEqual(meta, { mode, dry_run: true, changed_count: 1, unchanged_count: 0, refused_count: 1 })
    assert.deepEqual(data[0]?.to, { alias: 'New' })
  }
  assert.equal((await relationships(value)).attributes.alias, null)
  assert.deepEqual(await changesOf(value), [])
})

test('numbers and records of another account look like missing ones', async () => {
  const [mine, theirs] = [await newNumber(), await newNumber({}, server.other)]
  const [route, cnam] = [await newRoute(server.other), await newCnam('approved', server.other)]
  const errors = await fieldErrors(
    change({
      numbers: [
        { value: theirs, alias: 'Mine' },
        { value: mine, primary_route_id: route, cnam_id: cnam },
      ],
    }),
  )
  assert.deepEqual(errors, {
    'numbers.0.value': [`No number ${theirs} is on this account.`],
    'numbers.1.primary_route_id': [`No route ${route} is on this account.`],
    'numbers.1.cnam_id': [`No caller ID name ${cnam} is on this account.`],
  })
  const { meta } = await change(
    { numbers: [mine, theirs].map((value) => ({ value, alias: 'Both' })) },
    false,
    server.operator,
  )
  assert.equal(
    meta.changed_count,
    2,
    'the operator changes numbers of several accounts, each in its own chain of events',
  )
  assert.deepEqual(
    (await Promise.all([mine, theirs].map(changesOf))).map(([event]) => event?.chain_id),
    [account_id, server.other.id],
  )
})

test('shape errors of one line are reported together with other lines’ database errors', async () => {
  const value = await newNumber()
  const numbers = [{ value: '2065550100' }, { value, alias: 'x'.repeat(101), e911_id: 987_654 }]
  assert.deepEqual(await fieldErrors(change({ numbers })), {
    'numbers.0.value': ['Must be 11 digits in E.164 form, beginning with 1.'],
    'numbers.1.alias': ['At most 100 characters.'],
    'numbers.1.e911_id': ['No emergency address 987654 is on this account.'],
  })
  const many = Array.from({ length: 1001 }, () => ({ value }))
  assert.deepEqual((await fieldErrors(change({ numbers: many })))['numbers'], ['At most 1000 entries.'])
})

test('a request repeated with its idempotency key gets the same response and no second event', async () => {
  const value = await newNumber()
  const send = async () =>
    await client.updateNumbers({ body: { numbers: [{ value, alias: 'Once' }] } }, { idempotency_key: `many-${value}` })
  const [first, second] = [await send(), await send()]
  assert.equal(second.headers.get('idempotency-replayed'), 'true')
  assert.deepEqual(second.body, first.body)
  assert.equal((await changesOf(value)).length, 1)
})

test('two requests for the same numbers in opposite orders both succeed', async () => {
  const values = await Promise.all(Array.from({ length: 20 }, async () => await newNumber()))
  const both = [values, values.toReversed()].map((order, i) =>
    change({ numbers: order.map((value) => ({ value, alias: `Order ${i}` })) }),
  )
  for (const { meta } of await Promise.all(both)) assert.equal(meta.refused_count, 0)
  const aliases = new Set(await Promise.all(values.map(async (v) => (await relationships(v)).attributes.alias)))
  assert.equal(aliases.size, 1)
})

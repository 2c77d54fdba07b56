import assert from 'node:assert/strict'
import { test } from 'node:test'
import { details, freshNumber, newOrder, orderIn, orderBody } from '../../test/support/port-orders.ts'
import { rawClient } from '../../test/support/raw-client.ts'
import { fieldErrors, refusal } from '../../test/support/refusals.ts'
import { startTestServer } from '../../test/support/server.ts'
import { listEvents } from '../platform/events.ts'

const server = await startTestServer()
const { client, id: account_id } = server.account
const send = rawClient(server.base_url, server.account)

test('a new order has every attribute of the contract, empty if none was sent', async () => {
  const number = freshNumber()
  const order = await newOrder(server.account, { numbers: [number] })
  const { created_at, modified_at, next, group_id, alias, ...attributes } = order.attributes
  assert.match(alias, /^Port Order \d{1,2}\/\d{1,2}\/\d{4}$/)
  assert.equal(typeof group_id, 'string')
  for (const time of [created_at, modified_at, next.due_at ?? ''])
    assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
  assert.deepEqual([next.who, next.becomes], ['account', 'Canceled'])
  assert.deepEqual(attributes, {
    billing_address: {
      city: 'Seattle',
      country: 'US',
      state: 'WA',
      street: '88 Pine Street',
      street2: null,
      zip: '98101',
    },
    billing_name: 'Anna Berg',
    billing_number: '',
    business_documents: [],
    comments: [],
    company: '',
    cost: '7.50',
    desired_completion_date: null,
    enable_cnam_lookups: false,
    last_4_ssn: '',
    loa_details: { cc: '', email: '' },
    numbers: [number],
    numbers_count: 1,
    pin: '',
    presets: { cnam_id: null, e911_id: null, primary_route_id: null, failover_route_id: null, alias: null },
    provider: 'Old Telephone Company',
    provider_account: '',
    status: 'Pending',
    status_updated_at: null,
    status_url: '',
    usage_type: 'Residential',
    completion_date: null,
    rejection: null,
    loa: null,
    presets_waiting: null,
  })
  assert.equal(order.links.self, `${server.base_url}/v2/portorders/${order.id}`)
  assert.deepEqual((await client.getPortOrder({ params: { portorder_id: order.id } })).body.data, order)
  const [event] = await listEvents(server.db, { subject_type: 'portorder', subject_id: order.id, limit: 2, offset: 0 })
  assert.deepEqual([event?.chain_id, event?.type], [account_id, 'portorder.created'])
})

test('attributes are returned as sent, with masked secrets', async () => {
  const { attributes: a } = await newOrder(server.account, {
    alias: 'Front desk',
    usage_type: 'Business',
    company: 'Acme Widgets, Inc.',
    street2: 'Suite 5',
    billing_number: '+12065550100',
    pin: '4711',
    last_4_ssn: '6789',
    provider_account: 'AC-1',
    enable_cnam_lookups: true,
    loa_details: { email: 'anna@example.com' },
    status_url: 'https://example.com/port',
    presets: { primary_route_id: 0, alias: 'Sales' },
  })
  assert.deepEqual(
    [a.alias, a.company, a.billing_address.street2, a.billing_number, a.pin, a.last_4_ssn, a.provider_account],
    ['Front desk', 'Acme Widgets, Inc.', 'Suite 5', '+12065550100', '****1', '****', 'AC-1'],
  )
  assert.deepEqual([a.enable_cnam_lookups, a.status_url], [true, 'https://example.com/port'])
  assert.deepEqual(a.loa_details, { cc: '', email: 'anna@example.com' })
  assert.deepEqual(a.presets, {
    cnam_id: null,
    e911_id: null,
    primary_route_id: 0,
    failover_route_id: null,
    alias: 'Sales',
  })
})

test('a request is split by kind, country and carrier, and every number has a disposition', async () => {
  const [local, canada, elsewhere] = [freshNumber(), freshNumber('416'), '+12065550195']
  const free = '+18005550142'
  const body = orderBody({ numbers: [free, canada, local, elsewhere, local], provider: 'Simulated Telephone' })
  const dry = await client.createPortOrder({ query: { dry_run: true }, body })
  assert.equal(dry.status, 200)
  assert.ok(!('included' in dry.body))
  const preview = dry.body.data.attributes
  assert.deepEqual(
    preview.orders.map((o) => [o.kind, o.country, o.provider, o.numbers, o.cost]),
    [
      ['local', 'US', 'Simulated Telephone', [local], '7.50'],
      ['local', 'US', 'Simulated Other Carrier', [elsewhere], '7.50'],
      ['local', 'CA', 'Simulated Telephone', [canada], '7.50'],
      ['toll-free', null, 'Simulated Telephone', [free], '7.50'],
    ],
  )
  assert.equal(
    (await client.listPortOrders({ query: { number: local } })).body.data.length,
    0,
    'a dry run writes nothing',
  )

  const { status, body: created } = await client.createPortOrder({ body })
  assert.equal(status, 201)
  assert.ok('included' in created)
  const orders = [created.data, ...created.included]
  assert.deepEqual(
    orders.map((o) => o.attributes.numbers),
    preview.orders.map((o) => o.numbers),
  )
  const orderOf = (number: string) => orders.find((o) => o.attributes.numbers.includes(number))?.id
  assert.deepEqual(
    created.meta.dispositions.map((d) => [d.given, d.number, d.portorder_id]),
    [free, canada, local, elsewhere, local].map((n) => [n, n, orderOf(n)]),
  )
  for (const d of created.meta.dispositions) assert.match(d.reason, /\.$/)
  const { group_id } = created.meta
  assert.ok(orders.every((o) => o.attributes.group_id === group_id))
  const group = (await client.getPortOrderGroup({ params: { group_id } })).body.data
  assert.equal(group.attributes.status, 'Requires Action')
  assert.deepEqual(
    group.attributes.orders.map((o) => o.id),
    orders.map((o) => o.id),
  )
  await refusal(server.other.client.getPortOrderGroup({ params: { group_id } }), 404)
})

test('a request is refused with all its errors', async () => {
  const fields = async (attributes: unknown) => {
    const response = await send('POST', '/v2/portorders', { data: { type: 'portorder', attributes } })
    assert.equal(response.status, 422)
    return ((await response.json()) as { errors: { detail: Record<string, string[]> }[] }).errors[0]?.detail ?? {}
  }
  assert.deepEqual(Object.keys(await fields({})).toSorted(), [
    'billing_name',
    'city',
    'country',
    'numbers',
    'provider',
    'state',
    'street',
    'usage_type',
    'zip',
  ])
  assert.deepEqual(
    await fields({
      ...details,
      billing_name: 'Anna',
      numbers: ['12065550100', '+12065550100'],
      usage_type: 'Business',
      state: 'wa',
      country: 'MX',
      pin: '****1',
      color: 'red',
      presets: { route: 1 },
    }),
    {
      'numbers.0': ['Must be a US or Canadian number in E.164 format, like +12065550100.'],
      billing_name: ['Must be a first and last name.'],
      state: ['Must be the two-letter code of a state or province.'],
      country: ['Must be one of: US, CA.'],
      pin: ['Is the masked value from a response. Leave the field out to keep the stored value.'],
      'presets.route': ['Is not a known field.'],
      color: ['Is not a known field.'],
      company: ['Is required when the usage type is Business.'],
    },
  )
  const taken = freshNumber()
  await newOrder(server.account, { numbers: [taken] })
  await server.operator.addNumbers({
    params: { account_id },
    body: { numbers: [{ value: '12065559876', number_type: 'longcode' }] },
  })
  const errors = await fieldErrors(
    client.createPortOrder({
      body: orderBody({
        numbers: [freshNumber(), taken, '+12065559876', '+15552340000'],
        desired_completion_date: '2020-01-01',
        status_url: 'http://10.0.0.1/hook',
        presets: { cnam_id: 77, primary_route_id: '88', failover_route_id: 99, e911_id: 66 },
      }),
    }),
  )
  assert.deepEqual(Object.keys(errors).toSorted(), [
    'desired_completion_date',
    'numbers.1',
    'numbers.2',
    'numbers.3',
    'presets.cnam_id',
    'presets.e911_id',
    'presets.failover_route_id',
    'presets.primary_route_id',
    'status_url',
  ])
  assert.deepEqual(errors['numbers.1'], ['The number is on another open port order of the account.'])
  assert.deepEqual(errors['numbers.2'], ['The number is already on the account.'])
  const weekend = await fieldErrors(
    client.createPortOrder({ body: orderBody({ desired_completion_date: saturday(server.clock.now()) }) }),
  )
  assert.match(weekend['desired_completion_date']?.[0] ?? '', /Saturday. Choose a business day/)
  assert.equal((await send('POST', '/v2/portorders', '{"data":')).status, 400)
  assert.equal((await send('POST', '/v2/portorders', { data: { type: 'order', attributes: {} } })).status, 422)
})

function saturday(now: Date): string {
  const day = new Date(now.getTime() + (7 + ((6 - now.getUTCDay() + 7) % 7)) * 86_400_000)
  return day.toISOString().slice(0, 10)
}

test('a number can be on only one open order of an account, and is free again when the order is final', async () => {
  const number = freshNumber()
  const both = await Promise.allSettled([1, 2].map(() => newOrder(server.account, { numbers: [number] })))
  assert.deepEqual(both.map((r) => r.status).toSorted(), ['fulfilled', 'rejected'])
  const canceled = await orderIn(server, 'Canceled')
  const again = await newOrder(server.other, { numbers: canceled.attributes.numbers })
  assert.deepEqual(again.attributes.numbers, canceled.attributes.numbers)
})

test('orders are listed newest first and can be filtered', async () => {
  const { client: fresh, ...account } = await server.newAccount('Lists')
  const own = { ...account, client: fresh }
  const first = await newOrder(own, { alias: 'North office' })
  const second = await newOrder(own, { alias: 'South 100% office' })
  const gone = await newOrder(own, { alias: 'Cellar' })
  await fresh.cancelPortOrder({
    params: { portorder_id: gone.id },
    body: { data: { attributes: { status: 'cancelled' } } } as never,
  })
  const ids = async (
    query: Parameters<typeof fresh.listPortOrders>[0] extends infer I
      ? NonNullable<I extends { query?: infer Q } ? Q : never>
      : never,
  ) => (await fresh.listPortOrders({ query })).body.data.map((o) => o.id)
  assert.deepEqual(await ids({}), [gone.id, second.id, first.id])
  assert.deepEqual(await ids({ alias: 'OFFICE' }), [second.id, first.id])
  assert.deepEqual(await ids({ alias: '0% o' }), [second.id])
  for (const status of ['cancelled', 'CANCELED', 'Canceled']) assert.deepEqual(await ids({ status }), [gone.id])
  assert.deepEqual(await ids({ group_id: second.attributes.group_id }), [second.id])
  assert.deepEqual(await ids({ group_id: 'none' }), [])
  const [number = ''] = first.attributes.numbers
  for (const spelling of [number, number.slice(1), number.slice(2)])
    assert.deepEqual(await ids({ number: spelling }), [first.id])
  assert.deepEqual(await ids({ created_from: '2000-01-01', created_before: '2001-01-01' }), [])
  assert.deepEqual(await ids({ modified_from: first.attributes.created_at }), [gone.id, second.id, first.id])
  const page = (await fresh.listPortOrders({ query: { limit: 2, offset: 0 } })).body
  assert.deepEqual(
    page.data.map((o) => o.id),
    [gone.id, second.id],
  )
  assert.match(page.links.next ?? '', /limit=2&offset=2/)
  assert.deepEqual(
    Object.keys(
      await fieldErrors(fresh.listPortOrders({ query: { status: 'lost', created_from: 'soon' } })),
    ).toSorted(),
    ['created_from', 'status'],
  )
  assert.deepEqual(Object.keys(await fieldErrors(fresh.listPortOrders({ query: { number: '12' } }))), ['number'])
})

test('portability is reported for each number, with the reason', async () => {
  const ordered = freshNumber()
  await newOrder(server.account, { numbers: [ordered] })
  const { data } = (
    await client.checkPortability({
      body: { numbers: ['(206) 555-0177', ordered, '+18005550177', '12', '+12065550190'] },
    })
  ).body
  assert.deepEqual(data.portable, ['+12065550177', '+18005550177'])
  assert.deepEqual(
    data.nonportable.map((n) => [n.number, n.code]),
    [
      [ordered, 'number_on_other_order'],
      ['12', 'number_malformed'],
      ['+12065550190', 'number_not_portable'],
    ],
  )
  for (const n of data.nonportable) assert.match(n.reason, /\.$/)
  assert.deepEqual(data.details[0], {
    number: '+12065550177',
    kind: 'local',
    country: 'US',
    regions: ['WA'],
    carrier: null,
  })
})

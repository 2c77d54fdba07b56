import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventsOf } from '../../test/support/events.ts'
import { factories } from '../../test/support/factories.ts'
import { loadNumbers, numbersFrom } from '../../test/support/inventory.ts'
import { fieldErrors, refusal, sentence } from '../../test/support/refusals.ts'
import { startTestServer, type TestAccount } from '../../test/support/server.ts'
import { loadTown } from '../../test/support/town.ts'

const server = await startTestServer({ worker: true })
await loadTown(server)
const { client } = server.account
const { newRoute, newCnam, newAddress } = factories(server)

let block = 0
/** New numbers in the inventory, each time of another exchange. */
async function newNumbers(count: number, over: object = {}): Promise<string[]> {
  const numbers = numbersFrom(`1206${556 + block++}0100`, count)
  await loadNumbers(
    server,
    numbers.map((number) => ({ number, ...over })),
  )
  return numbers
}

type Body = Parameters<typeof client.createNumberOrder>[0]['body']
const order = async (body: Body, account: TestAccount = server.account) =>
  (await account.client.createNumberOrder({ body })).body.data
const valuesOf = async (account: TestAccount) =>
  (await account.client.listNumbers({ query: { limit: 200 } })).body.data.map(({ attributes }) => attributes.value)
const reserve = async (numbers: string[]) =>
  (await server.account.client.createNumberReservation({ body: { numbers } })).body.data
const statusOf = async (number: string) =>
  (await server.operator.listInventory({ query: { starts_with: number } })).body.data[0]?.attributes.status

test('an order applies its presets to every number', async () => {
  const numbers = await newNumbers(3)
  const [cnam_id, e911_id, primary_route_id] = [await newCnam(), await newAddress(), await newRoute()]
  const presets = { cnam_id, e911_id, primary_route_id, alias: 'New line' }
  const { attributes, id } = await order({ numbers, presets })
  assert.deepEqual([attributes.status, attributes.ordered_count, attributes.missing_count], ['completed', 3, 0])
  assert.deepEqual([attributes.setup_cost, attributes.monthly_cost], ['3.0000', '3.7500'])
  for (const number of numbers) {
    const { data } = (await client.getNumber({ params: { number } })).body
    const { cnam_preset, e911_address, primary_route } = data.relationships
    assert.deepEqual(
      [cnam_preset.data?.id, e911_address.data?.id, primary_route.data?.id, data.attributes.alias],
      [Number(cnam_id), Number(e911_id), Number(primary_route_id), 'New line'],
    )
  }
  assert.deepEqual((await client.getNumberOrder({ params: { numberorder_id: id } })).body.data.attributes, attributes)
  assert.deepEqual((await client.listNumberOrders()).body.data[0]?.id, id)
  assert.equal((await eventsOf(server.db, 'numberorder.completed', id)).length, 1)
})

test('presets that toll-free numbers cannot have are reported', async () => {
  const number = '18885550110'
  await loadNumbers(server, [{ number, rate_center: '', state: '', resporg: 'DMC01' }])
  const { attributes } = await order({ numbers: [number], presets: { cnam_id: await newCnam() } })
  assert.deepEqual(attributes.numbers, [
    {
      value: number,
      outcome: 'ordered',
      reason: null,
      monthly_cost: '1.2500',
      setup_cost: '1.0000',
      warnings: ['Toll-free numbers cannot have a caller ID name.'],
    },
  ])
})

test('a partial order says which numbers were not ordered and why', async () => {
  const [free = '', taken = ''] = await newNumbers(2)
  await order({ numbers: [taken] }, server.other)
  const { attributes } = await order({ numbers: [taken, free, '12125550100'] })
  assert.deepEqual([attributes.status, attributes.ordered_count, attributes.missing_count], ['partial', 1, 2])
  assert.deepEqual(
    attributes.numbers.map(({ value, outcome, reason }) => [value, outcome, reason]),
    [
      [taken, 'refused', 'Is not available.'],
      [free, 'ordered', null],
      ['12125550100', 'refused', 'Is not available.'],
    ],
  )
})

test('an order of all or none names the numbers that prevent it', async () => {
  const [free = '', taken = ''] = await newNumbers(2)
  await order({ numbers: [taken] }, server.other)
  const body = { numbers: [free, taken], mode: 'all_or_none' as const }
  assert.deepEqual(await fieldErrors(client.createNumberOrder({ body })), { 'numbers.1': ['Is not available.'] })
  assert.equal(await statusOf(free), 'available')
  const many = { quantity: 9, filters: { starts_with: free.slice(0, 7) }, mode: 'all_or_none' as const }
  assert.match(await sentence(client.createNumberOrder({ body: many }), 409), /Available: 1 matching number\./)
})

test('a quantity is ordered from the numbers that match the filters', async () => {
  const numbers = await newNumbers(5, { rate_center: 'KENT' })
  const { attributes } = await order({ quantity: 3, filters: { rate_center: 'kent' } })
  assert.deepEqual(
    attributes.numbers.map(({ value }) => value),
    numbers.slice(0, 3),
  )
  const rest = await order({ quantity: 3, filters: { rate_center: 'KENT' } })
  assert.deepEqual([rest.attributes.status, rest.attributes.missing_count], ['partial', 1])
  const none = await order({ quantity: 1, filters: { rate_center: 'KENT' } })
  assert.deepEqual([none.attributes.status, none.attributes.numbers], ['failed', []])
})

test('an order at other costs is refused with the costs', async () => {
  const numbers = await newNumbers(2)
  const request = client.createNumberOrder({ body: { numbers, monthly_cost: '2.50', setup_cost: '1.99' } })
  assert.match(await sentence(request, 409), /\$2\.50 a month and \$2\.00 once/)
  assert.equal((await order({ numbers, monthly_cost: 2.5, setup_cost: '2' })).attributes.status, 'completed')
})

test('invalid orders name every failing field', async () => {
  const grid: [object, string[]][] = [
    [{}, ['numbers']],
    [{ quantity: 1, numbers: ['12065550100'] }, ['numbers']],
    [{ numbers: ['12065550100', '12065550100'] }, ['numbers.1']],
    [{ numbers: ['12065550100'], filters: { state: 'WA' } }, ['filters']],
    [{ numbers: ['2065550100'], quantity: 0, color: 'red' }, ['color', 'numbers.0', 'quantity']],
    [{ numbers: ['12065550100'], presets: { cnam_id: '99', e911_id: '99' } }, ['presets.cnam_id', 'presets.e911_id']],
    [{ reservation_id: '999' }, ['reservation_id']],
    [{ quantity: 1, callback_url: 'http://10.0.0.1/' }, ['callback_url']],
  ]
  for (const [body, fields] of grid)
    assert.deepEqual(
      Object.keys(await fieldErrors(client.createNumberOrder({ body }))).toSorted(),
      fields,
      JSON.stringify(body),
    )
})

test('the callback URL of an order receives the order and what becomes of its numbers', async () => {
  const [number = ''] = await newNumbers(1)
  const callback_url = 'http://127.0.0.1:9/numbers'
  await order({ numbers: [number], callback_url })
  await client.releaseNumber({ params: { number } })
  await client.restoreNumber({ params: { number } })
  await server.operator.moveClock({ body: { advance: '1 second' } })
  const { data } = (await client.listNotifications()).body
  assert.deepEqual(
    data.map(({ attributes }) => [attributes.event_type, attributes.url]).toSorted(),
    ['number.released', 'number.restored', 'numberorder.completed'].map((type) => [type, callback_url]),
  )
})

test('a reservation keeps numbers from others for 15 minutes', async () => {
  const numbers = await newNumbers(3)
  const [first = '', second = ''] = numbers
  const { id, attributes } = await reserve(numbers)
  assert.deepEqual([attributes.status, attributes.numbers, attributes.extended], ['active', numbers, false])
  assert.equal(Date.parse(attributes.expires_at) - Date.parse(attributes.created_at), 900_000)
  const found = await server.other.client.listAvailableNumbers({ query: { starts_with: first.slice(0, 7) } })
  assert.equal(found.body.meta.total_count, 0)
  await refusal(server.other.client.orderNumber({ params: { number: first }, body: {} }), 404)
  assert.deepEqual(
    await fieldErrors(server.other.client.createNumberReservation({ body: { numbers: ['12125550100', first] } })),
    { 'numbers.0': ['Is not available.'], 'numbers.1': ['Is not available.'] },
  )
  await client.orderNumber({ params: { number: second }, body: {} })
  await server.operator.moveClock({ body: { advance: '15 minutes' } })
  const params = { numberreservation_id: id }
  assert.equal((await client.getNumberReservation({ params })).body.data.attributes.status, 'expired')
  assert.deepEqual([await statusOf(first), await statusOf(second)], ['available', 'active'])
})

test('a reservation is extended once, ordered as a whole, or released', async () => {
  const numbers = await newNumbers(2)
  const { id, attributes } = await reserve(numbers)
  const params = { numberreservation_id: id }
  const { data } = (await client.extendNumberReservation({ params })).body
  assert.equal(Date.parse(data.attributes.expires_at) - Date.parse(attributes.expires_at), 900_000)
  assert.match(await sentence(client.extendNumberReservation({ params }), 409), /already extended/)
  await server.operator.moveClock({ body: { advance: '20 minutes' } })
  assert.equal((await order({ reservation_id: id })).attributes.status, 'completed')
  assert.equal((await client.getNumberReservation({ params })).body.data.attributes.status, 'ordered')
  await refusal(client.releaseNumberReservation({ params }), 409)
  await refusal(client.createNumberOrder({ body: { reservation_id: id } }), 409)

  const others = await newNumbers(1)
  const released = await reserve(others)
  await client.releaseNumberReservation({ params: { numberreservation_id: released.id } })
  assert.equal(await statusOf(others[0] ?? ''), 'available')
  assert.deepEqual(
    (await client.listNumberReservations({ query: { status: 'released' } })).body.data.map((each) => each.id),
    [released.id],
  )
})

test('an account cannot order or reserve more than the operator allows', async () => {
  const account = await server.newAccount('Limited')
  const params = { account_id: account.id }
  assert.deepEqual((await server.operator.getNumberPolicy({ params })).body.data.attributes, {
    numbers_max: null,
    reserved_max: null,
    approval: 'none',
    approval_quantity_max: null,
    approval_monthly_cost_max: null,
  })
  const body = { numbers_max: 2, reserved_max: 1, approval: 'none' } as const
  await server.operator.setNumberPolicy({ params, body })
  const numbers = await newNumbers(4)
  assert.match(
    await sentence(account.client.createNumberReservation({ body: { numbers: numbers.slice(0, 2) } }), 409),
    /may have 1 number reserved/,
  )
  assert.match(
    await sentence(account.client.createNumberOrder({ body: { numbers: numbers.slice(0, 3) } }), 409),
    /may have 2 numbers and has 0/,
  )
  const results = await Promise.allSettled(
    numbers.map((number) => account.client.orderNumber({ params: { number }, body: {} })),
  )
  assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 2)
  assert.equal((await valuesOf(account)).length, 2)
})

test('fifty accounts that order the same hundred numbers at once get a hundred in all', async () => {
  const numbers = await newNumbers(100)
  const accounts = await Promise.all(Array.from({ length: 50 }, (_, i) => server.newAccount(`Buyer ${i}`)))
  const filters = { starts_with: numbers[0]?.slice(0, 7) ?? '' }
  const orders = await Promise.all(
    accounts.map((account, i) => order(i % 2 === 0 ? { numbers } : { quantity: 10, filters }, account)),
  )
  const ordered = orders.flatMap(({ attributes }) =>
    attributes.numbers.flatMap(({ value, outcome }) => (outcome === 'ordered' ? [value] : [])),
  )
  assert.deepEqual(ordered.toSorted(), numbers)
  const owned = await Promise.all(accounts.map(valuesOf))
  assert.deepEqual(owned.flat().toSorted(), numbers)
  assert.equal((await client.listAvailableNumbers({ query: filters })).body.meta.total_count, 0)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventsOf } from '../../test/support/events.ts'
import { factories } from '../../test/support/factories.ts'
import { loadNumbers, numbersFrom } from '../../test/support/inventory.ts'
import { fieldErrors, refusal, sentence } from '../../test/support/refusals.ts'
import { startTestServer } from '../../test/support/server.ts'
import { loadTown } from '../../test/support/town.ts'

const server = await startTestServer({ worker: true })
await loadTown(server)
const { client } = server.account
const { newRoute, newCnam, newAddress, newNumber } = factories(server)
await loadNumbers(server, [
  ...numbersFrom('12065550100', 90).map((number) => ({ number })),
  { number: '18885550101', rate_center: '', state: '', monthly_cost: '2.00', resporg: 'DMC01' },
])
let next = 12_065_550_100
const newInventoryNumber = () => String(next++)

const order = (number: string, body: object = {}, account = server.account) =>
  account.client.orderNumber({ params: { number }, body })
const statusOf = async (number: string) =>
  (await server.operator.listInventory({ query: { starts_with: number } })).body.data[0]?.attributes.status

test('an ordered number is on the account with its price, and is not for sale', async () => {
  const number = newInventoryNumber()
  const { status, body } = await order(number, { cnam_lookups_enabled: true })
  assert.equal(status, 201)
  assert.ok(body.data.type === 'number')
  const { monthly_cost, rate_center, state, cnam_lookups_enabled, status: active } = body.data.attributes
  assert.deepEqual(
    [monthly_cost, rate_center, state, cnam_lookups_enabled, active],
    ['1.2500', 'SEATTLE', 'WA', true, 'active'],
  )
  assert.deepEqual(body, (await client.getNumber({ params: { number } })).body)
  assert.equal(await statusOf(number), 'active')
  assert.equal((await client.listAvailableNumbers({ query: { starts_with: number } })).body.meta.total_count, 0)
  const [event] = await eventsOf(server.db, 'number.ordered', number)
  assert.equal(event?.chain_id, server.account.id)
  assert.deepEqual(event?.data, { monthly_cost: '1.2500', setup_cost: '1.0000' })
})

test('a number that someone else has looks like one that is not in the inventory', async () => {
  const number = newInventoryNumber()
  await order(number, {}, server.other)
  const hidden = (text: string) => text.replace(/\d{11}/, '<number>')
  const unknown = hidden(await sentence(order('12125550199'), 404))
  assert.equal(hidden(await sentence(order(number), 404)), unknown)
  const aging = newInventoryNumber()
  await order(aging, {}, server.other)
  await server.other.client.releaseNumber({ params: { number: aging } })
  assert.equal(hidden(await sentence(order(aging), 404)), unknown)
  const [reserved, pending, held] = [newInventoryNumber(), newInventoryNumber(), newInventoryNumber()]
  await server.other.client.createNumberReservation({ body: { numbers: [reserved] } })
  const setApproval = (approval: 'all' | 'none') =>
    server.operator.setNumberPolicy({
      params: { account_id: server.other.id },
      body: { numbers_max: null, reserved_max: null, approval },
    })
  await setApproval('all')
  assert.equal((await order(pending, {}, server.other)).status, 202)
  await setApproval('none')
  await server.operator.changeInventory({ body: { numbers: [held], action: 'hold', reason: 'Test' } })
  for (const each of [reserved, pending, held]) assert.equal(hidden(await sentence(order(each), 404)), unknown)
  const hiddenLines = async (numbers: string[]) => {
    const { data } = (await client.createNumberOrder({ body: { numbers } })).body
    return data.attributes.numbers.map((line) => ({ ...line, value: '' }))
  }
  const [absent] = await hiddenLines(['12125550199'])
  const taken = [number, aging, reserved, pending, held]
  assert.deepEqual(
    await hiddenLines(taken),
    taken.map(() => absent),
  )
  assert.match(await sentence(order(number, {}, server.other), 409), /already on the account/)
})

test('a number outside the numbering plan is refused', async () => {
  for (const number of ['19115550100', '12069115555', '1206555010', '11065550100', '12965550100'])
    assert.deepEqual(Object.keys(await fieldErrors(order(number))), ['number'])
})

test('an order at another price is refused with the price, and orders nothing', async () => {
  const number = newInventoryNumber()
  await loadNumbers(server, [{ number, monthly_cost: '1.5', setup_cost: '2' }])
  assert.match(await sentence(order(number, { monthly_cost: '1.25' }), 409), /\$1\.50 a month and \$2\.00 once/)
  assert.equal(await statusOf(number), 'available')
  await order(number, { monthly_cost: 1.5, setup_cost: '2.00' })
})

test('a release detaches everything, after a dry run that says so', async () => {
  const number = newInventoryNumber()
  await order(number)
  const params = { number }
  await client.updateNumber({ params, body: { alias: 'Front desk' } })
  const e911_id = await newAddress()
  await client.assignE911({ params: { number, e911_id } })
  await client.assignCnam({ params: { number, cnam_id: await newCnam() } })
  const route = { type: 'route' as const, id: await newRoute() }
  await client.setPrimaryRoute({ params, body: { data: route } })
  const preview = await client.releaseNumber({ params, query: { dry_run: true } })
  assert.equal(preview.status, 200)
  const { can_release, warnings, returns_to } = preview.body?.data.attributes ?? assert.fail('no preview')
  assert.deepEqual([can_release, returns_to, warnings.length], [true, 'inventory', 4])
  assert.equal((await client.getNumber({ params })).status, 200)

  assert.equal((await client.releaseNumber({ params })).status, 204)
  await refusal(client.getNumber({ params }), 404)
  await refusal(client.releaseNumber({ params }), 404)
  assert.deepEqual((await client.listE911Numbers({ params: { e911_id } })).body.data, [])
  await client.deleteE911({ params: { e911_id } })
  assert.equal(await statusOf(number), 'aging')
  assert.equal((await client.listAvailableNumbers({ query: { starts_with: number } })).body.meta.total_count, 0)
  const [event] = await eventsOf(server.db, 'number.released', number)
  assert.partialDeepStrictEqual(event?.data, { returns_to: 'inventory', e911_id })
})

test('only the former customer can restore a number, and only while it ages', async () => {
  const number = newInventoryNumber()
  await order(number)
  const params = { number }
  await refusal(client.restoreNumber({ params }), 404)
  await client.releaseNumber({ params })
  await refusal(server.other.client.restoreNumber({ params }), 404)
  assert.equal((await client.restoreNumber({ params })).status, 201)
  assert.equal(await statusOf(number), 'active')
  await client.releaseNumber({ params })
  await server.operator.moveClock({ body: { advance: '44 days' } })
  assert.equal(await statusOf(number), 'aging')
  await server.operator.moveClock({ body: { advance: '1 day' } })
  assert.equal(await statusOf(number), 'available')
  assert.equal((await eventsOf(server.db, 'inventory_number.returned', number)).length, 1)
  await refusal(client.restoreNumber({ params }), 404)
  await order(number, {}, server.other)
})

test('a toll-free number ages for 120 days', async () => {
  const params = { number: '18885550101' }
  await order(params.number)
  const { data } = (await client.releaseNumber({ params, query: { dry_run: true } })).body ?? assert.fail('no preview')
  const aging_ms = Date.parse(data.attributes.aging_until ?? '') - server.clock.now().getTime()
  assert.equal(Math.round(aging_ms / 86_400_000), 120)
})

test('a number that is not from the inventory returns to the carrier of its block', async () => {
  const number = await newNumber({ value: '13605550100' })
  const { data } =
    (await client.releaseNumber({ params: { number }, query: { dry_run: true } })).body ?? assert.fail('no preview')
  assert.deepEqual([data.attributes.returns_to, data.attributes.aging_until], ['block_carrier', null])
  await client.releaseNumber({ params: { number } })
  await refusal(client.restoreNumber({ params: { number } }), 404)
  await refusal(order(number), 404)
})

test('a number that comes onto an account in another way is not for sale', async () => {
  const number = newInventoryNumber()
  await newNumber({ value: number }, server.other)
  assert.equal(await statusOf(number), 'active')
  assert.equal((await client.listAvailableNumbers({ query: { starts_with: number } })).body.meta.total_count, 0)
  await newNumber({ value: '13605550109' }, server.other)
  await loadNumbers(server, [{ number: '13605550109' }])
  assert.equal(await statusOf('13605550109'), 'active')
  await refusal(order('13605550109'), 404)
})

test('accounts that order the same numbers at once get each of them once', async () => {
  const numbers = Array.from({ length: 20 }, newInventoryNumber)
  const accounts = await Promise.all(Array.from({ length: 10 }, (_, i) => server.newAccount(`Buyer ${i}`)))
  const results = await Promise.allSettled(
    accounts.flatMap((account) => numbers.map((number) => order(number, {}, account))),
  )
  assert.equal(results.filter(({ status }) => status === 'fulfilled').length, numbers.length)
  const owned = await Promise.all(
    accounts.map(async ({ client: buyer }) => (await buyer.listNumbers({ query: { limit: 200 } })).body.data),
  )
  assert.deepEqual(
    owned
      .flat()
      .map(({ attributes }) => attributes.value)
      .toSorted(),
    numbers,
  )
})

test('an order with an idempotency key that is sent twice orders once', async () => {
  const number = newInventoryNumber()
  const once = () => client.orderNumber({ params: { number }, body: {} }, { idempotency_key: `order-${number}` })
  const [first, second] = [await once(), await once()]
  assert.deepEqual(first.body, second.body)
  assert.equal((await eventsOf(server.db, 'number.ordered', number)).length, 1)
})

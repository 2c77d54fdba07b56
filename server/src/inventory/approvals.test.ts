import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventsOf, lastEvent } from '../../test/support/events.ts'
import { factories } from '../../test/support/factories.ts'
import { loadNumbers, numbersFrom } from '../../test/support/inventory.ts'
import { untilBlocked } from '../../test/support/locks.ts'
import { fieldErrors, refusal, sentence } from '../../test/support/refusals.ts'
import { startTestServer, type TestAccount } from '../../test/support/server.ts'
import { loadTown } from '../../test/support/town.ts'
import { inTransaction } from '../platform/db.ts'
import { expireOrder } from './approvals.ts'
import { approvalErrors, needsApproval } from './rules.ts'

const server = await startTestServer({ worker: true })
await loadTown(server)
const { account, operator, other } = server
const { client } = account
const { newRoute, newCnam, newAddress, newNumber } = factories(server)

type Policy = Parameters<typeof operator.setNumberPolicy>[0]['body']
const setPolicy = (policy: Partial<Policy>, { id: account_id }: TestAccount = account) => {
  const body = { numbers_max: null, reserved_max: null, approval: 'all' as const, ...policy }
  return operator.setNumberPolicy({ params: { account_id }, body })
}

let block = 0
async function newNumbers(count: number, over: object = {}): Promise<string[]> {
  const numbers = numbersFrom(`1503${556 + block++}0100`, count)
  await loadNumbers(
    server,
    numbers.map((number) => ({ number, ...over })),
  )
  return numbers
}

type Body = Parameters<typeof client.createNumberOrder>[0]['body']
const order = async (body: Body) => {
  const response = await client.createNumberOrder({ body })
  const { id, attributes } = response.body.data
  return { status: response.status, id, params: { numberorder_id: id }, attributes }
}
/** An order of new numbers that waits for approval. */
async function pending(count: number, over: Body = {}) {
  const numbers = await newNumbers(count)
  const created = await order({ numbers, ...over })
  assert.deepEqual([created.status, created.attributes.status], [202, 'pending_approval'])
  return { ...created, numbers }
}
const attributesOf = async (id: string) =>
  (await client.getNumberOrder({ params: { numberorder_id: id } })).body.data.attributes
const inventoryOf = async (numbers: readonly string[]) => {
  const { data } = (await operator.listInventory({ query: { starts_with: numbers[0]?.slice(0, 7), limit: 200 } })).body
  return data.map(({ attributes }) => [attributes.status, attributes.account_id])
}
const owned = async () =>
  new Set(
    (await client.listNumbers({ query: { limit: 200, starts_with: '1503' } })).body.data.map(
      ({ attributes }) => attributes.value,
    ),
  )
const each = <T>(numbers: readonly string[], value: T) => numbers.map(() => value)

await setPolicy({})

test('orders need approval by quantity or monthly cost', () => {
  const above = { approval: 'above', approval_quantity_max: 5, approval_monthly_cost_max: '10' } as const
  const cases: [Parameters<typeof needsApproval>[0], number, string, boolean][] = [
    [above, 5, '10.0000', false],
    [above, 6, '1.0000', true],
    [above, 1, '10.0001', true],
    [{ ...above, approval_quantity_max: null }, 1000, '9.9999', false],
    [{ ...above, approval_monthly_cost_max: null }, 5, '5000', false],
    [{ ...above, approval: 'none' }, 6, '11', false],
    [{ ...above, approval: 'all' }, 1, '0', true],
  ]
  for (const [policy, quantity, monthly_cost, expected] of cases)
    assert.equal(
      needsApproval(policy, { quantity, monthly_cost }),
      expected,
      JSON.stringify([policy, quantity, monthly_cost]),
    )
  assert.deepEqual(approvalErrors(above), {})
  assert.deepEqual(Object.keys(approvalErrors({ ...above, approval: 'all' })), [
    'approval_quantity_max',
    'approval_monthly_cost_max',
  ])
})

test('an approved order completes with its presets at the price it was made at', async () => {
  const [cnam_id, e911_id, primary_route_id] = [await newCnam(), await newAddress(), await newRoute()]
  const presets = { cnam_id, e911_id, primary_route_id, alias: 'New line' }
  const callback_url = 'http://127.0.0.1:9/orders'
  const { id, params, numbers, attributes } = await pending(2, { presets, callback_url, cnam_lookups_enabled: true })
  assert.deepEqual(
    [attributes.ordered_count, attributes.missing_count, attributes.monthly_cost, attributes.setup_cost],
    [0, 0, '2.5000', '2.0000'],
  )
  assert.equal(Date.parse(attributes.expires_at ?? '') - Date.parse(attributes.created_at), 7 * 86_400_000)
  assert.deepEqual(
    attributes.numbers.map(({ outcome }) => outcome),
    ['pending', 'pending'],
  )
  assert.deepEqual(await inventoryOf(numbers), each(numbers, ['reserved', account.id]))
  assert.equal((await client.listAvailableNumbers({ query: { starts_with: numbers[0] } })).body.meta.total_count, 0)
  const [queued] = (await operator.listNumberOrdersAsOperator({ query: { status: 'pending_approval' } })).body.data
  assert.deepEqual([queued?.id, queued?.attributes.account_id], [id, account.id])

  await loadNumbers(
    server,
    numbers.map((number) => ({ number, monthly_cost: '9' })),
  )
  const approved = (await operator.approveNumberOrder({ params })).body.data
  assert.deepEqual([approved.attributes.status, approved.attributes.monthly_cost], ['completed', '2.5000'])
  for (const number of numbers) {
    const { data } = (await client.getNumber({ params: { number } })).body
    const { cnam_preset, e911_address, primary_route } = data.relationships
    assert.deepEqual(
      [cnam_preset.data?.id, e911_address.data?.id, primary_route.data?.id],
      [Number(cnam_id), Number(e911_id), Number(primary_route_id)],
    )
    const { alias, monthly_cost, cnam_lookups_enabled } = data.attributes
    assert.deepEqual([alias, monthly_cost, cnam_lookups_enabled], ['New line', '1.2500', true])
  }
  const event = await lastEvent(server.db, 'numberorder.approved')
  assert.deepEqual([event?.subject_id, event?.chain_id], [id, account.id])
  assert.match(event?.actor ?? '', /^operator:/)
  assert.equal((await eventsOf(server.db, 'number.ordered', numbers[0] ?? '')).length, 1)
  await operator.moveClock({ body: { advance: '1 second' } })
  assert.deepEqual(
    (await client.listNotifications()).body.data.map(({ attributes: { event_type } }) => event_type).toSorted(),
    ['numberorder.approved', 'numberorder.submitted'],
  )
})

test('rejected, canceled, and expired orders return their numbers', async () => {
  const [rejected, canceled, expired] = [await pending(2), await pending(1), await pending(1)]
  const reason = 'Call us about your credit limit.'
  await operator.rejectNumberOrder({ params: rejected.params, body: { reason } })
  await client.cancelNumberOrder({ params: canceled.params })
  await operator.moveClock({ body: { advance: '6 days' } })
  assert.equal((await attributesOf(expired.id)).status, 'pending_approval')
  await operator.moveClock({ body: { advance: '1 day' } })
  const outcomes = [
    { ...rejected, status: 'rejected', rejection_reason: reason },
    { ...canceled, status: 'canceled', rejection_reason: null },
    { ...expired, status: 'expired', rejection_reason: null },
  ]
  for (const { id, params, numbers, status, rejection_reason } of outcomes) {
    const attributes = await attributesOf(id)
    assert.deepEqual([attributes.status, attributes.rejection_reason], [status, rejection_reason])
    assert.deepEqual([attributes.ordered_count, attributes.missing_count], [0, numbers.length])
    assert.deepEqual(
      [...new Set(attributes.numbers.map((line) => line.reason))],
      [`The order ${status === 'expired' ? status : `was ${status}`}.`],
    )
    assert.deepEqual(await inventoryOf(numbers), each(numbers, ['available', null]))
    assert.equal((await eventsOf(server.db, `numberorder.${status}`, id)).length, 1)
    await refusal(operator.approveNumberOrder({ params }), 409)
    await refusal(operator.rejectNumberOrder({ params, body: { reason } }), 409)
    await refusal(client.cancelNumberOrder({ params }), 409)
  }
  await expireOrder(server.runtime.deps, expired.id)
  assert.equal((await eventsOf(server.db, 'numberorder.expired', expired.id)).length, 1)
})

test('a single number is ordered with 202 and the pending order', async () => {
  const [number = ''] = await newNumbers(1)
  const once = () =>
    client.orderNumber({ params: { number }, body: { monthly_cost: '1.25' } }, { idempotency_key: number })
  const { status, body } = await once()
  assert.ok(body.data.type === 'numberorder')
  assert.deepEqual([status, body.data.attributes.status], [202, 'pending_approval'])
  assert.deepEqual((await once()).body, body)
  await refusal(client.orderNumber({ params: { number }, body: {} }), 404)
  await refusal(other.client.orderNumber({ params: { number }, body: {} }), 404)
  assert.deepEqual((await order({ numbers: [number] })).attributes.status, 'failed')
  const params = { numberorder_id: body.data.id }
  await refusal(other.client.cancelNumberOrder({ params }), 404)
  await operator.approveNumberOrder({ params })
  assert.ok((await owned()).has(number))
})

test('an order above a limit needs approval, and a reserved number moves into the order', async () => {
  await setPolicy({ approval: 'above', approval_quantity_max: 1, approval_monthly_cost_max: '2.50' })
  const numbers = await newNumbers(3)
  assert.equal((await order({ numbers: numbers.slice(0, 1) })).status, 201)
  const reservation = (await client.createNumberReservation({ body: { numbers: numbers.slice(1) } })).body.data
  const { status, params } = await order({ reservation_id: reservation.id })
  assert.equal(status, 202)
  const params_of_reservation = { numberreservation_id: reservation.id }
  assert.equal(
    (await client.getNumberReservation({ params: params_of_reservation })).body.data.attributes.status,
    'ordered',
  )
  await operator.moveClock({ body: { advance: '16 minutes' } })
  assert.deepEqual((await operator.approveNumberOrder({ params })).body.data.attributes.ordered_count, 2)
  const [dear = ''] = await newNumbers(1, { monthly_cost: '2.51' })
  assert.equal((await client.orderNumber({ params: { number: dear }, body: {} })).status, 202)
  await setPolicy({})
})

test('numbers that wait for approval count for the limit of the account', async () => {
  const limited = await server.newAccount('Limited')
  await setPolicy({ numbers_max: 2 }, limited)
  const numbers = await newNumbers(3)
  const ordering = (wanted: string[]) => limited.client.createNumberOrder({ body: { numbers: wanted } })
  const { id } = (await ordering(numbers.slice(0, 2))).body.data
  assert.match(
    await sentence(ordering(numbers.slice(2)), 409),
    /may have 2 numbers and has 0, and 2 more wait for approval/,
  )
  await setPolicy({ numbers_max: 1 }, limited)
  assert.match(
    await sentence(operator.approveNumberOrder({ params: { numberorder_id: id } }), 409),
    /may have 1 number and/,
  )
  await setPolicy({ numbers_max: 2 }, limited)
  assert.equal(
    (await operator.approveNumberOrder({ params: { numberorder_id: id } })).body.data.attributes.ordered_count,
    2,
  )
})

test('numbers and presets that are gone since the order', async () => {
  const partial = await pending(2)
  const whole = await pending(2, { mode: 'all_or_none' })
  for (const { numbers } of [partial, whole]) await newNumber({ value: numbers[0] ?? '' }, other)
  const { attributes } = (await operator.approveNumberOrder({ params: partial.params })).body.data
  assert.deepEqual([attributes.status, attributes.ordered_count, attributes.missing_count], ['partial', 1, 1])
  assert.match(
    await sentence(operator.approveNumberOrder({ params: whole.params }), 409),
    /1 number of the order can no longer be ordered/,
  )
  await operator.rejectNumberOrder({ params: whole.params, body: { reason: 'Gone.' } })
  assert.deepEqual(await inventoryOf(whole.numbers), [
    ['active', other.id],
    ['available', null],
  ])

  const route_id = await newRoute()
  const preset = await pending(1, { presets: { primary_route_id: route_id } })
  await client.deleteRoute({ params: { route_id } })
  assert.match(
    await sentence(operator.approveNumberOrder({ params: preset.params }), 409),
    /presets of the order cannot be used/,
  )
})

test('of approving, rejecting, canceling, and expiring at once, exactly one happens', async () => {
  const ends: Record<string, number> = {}
  for (let round = 0; round < 8; round++) {
    const { id, params, numbers } = await pending(3)
    await server.db.updateTable('number_order').set({ expires_at: server.clock.now() }).where('id', '=', id).execute()
    const acts = [
      () => operator.approveNumberOrder({ params }),
      () => operator.approveNumberOrder({ params }),
      () => operator.rejectNumberOrder({ params, body: { reason: 'No.' } }),
      () => client.cancelNumberOrder({ params }),
      () => expireOrder(server.runtime.deps, id),
    ]
    // all wait for the order's numbers, and then go on together
    const results = await inTransaction(server.db, async (tx) => {
      await tx.selectFrom('inventory_number').select('number').where('order_id', '=', id).forUpdate().execute()
      const started = [...acts.slice(round % acts.length), ...acts.slice(0, round % acts.length)].map((act) => act())
      const all = Promise.allSettled(started)
      await untilBlocked(server, acts.length)
      return { all }
    })
    const settled = await results.all
    for (const each of settled)
      if (each.status === 'rejected') assert.equal((each.reason as { status: number }).status, 409)
    const { status, ordered_count } = await attributesOf(id)
    ends[status] = (ends[status] ?? 0) + 1
    const is_bought = status === 'completed'
    assert.equal(ordered_count, is_bought ? 3 : 0)
    assert.deepEqual(
      await inventoryOf(numbers),
      each(numbers, is_bought ? ['active', account.id] : ['available', null]),
    )
    const have = await owned()
    assert.deepEqual(
      numbers.map((number) => have.has(number)),
      each(numbers, is_bought),
    )
    const ended = await Promise.all(
      ['approved', 'rejected', 'canceled', 'expired'].map((type) => eventsOf(server.db, `numberorder.${type}`, id)),
    )
    assert.equal(ended.flat().length, 1)
  }
  assert.ok(!('pending_approval' in ends))
})

test('invalid policies and decisions are refused', async () => {
  assert.deepEqual(Object.keys(await fieldErrors(setPolicy({ approval: 'above' }))), ['approval'])
  assert.deepEqual(Object.keys(await fieldErrors(setPolicy({ approval_monthly_cost_max: '5' }))), [
    'approval_monthly_cost_max',
  ])
  const params = { numberorder_id: '999999' }
  await refusal(operator.approveNumberOrder({ params }), 404)
  await refusal(client.cancelNumberOrder({ params }), 404)
  assert.deepEqual(Object.keys(await fieldErrors(operator.rejectNumberOrder({ params, body: { reason: '' } }))), [
    'reason',
  ])
})

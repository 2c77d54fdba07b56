import assert from 'node:assert/strict'
import { test } from 'node:test'
import { portouts as api } from '@demarc/client'
import { eventsOf } from '../../../test/support/events.ts'
import { factories } from '../../../test/support/factories.ts'
import { loadNumbers, numbersFrom } from '../../../test/support/inventory.ts'
import { newPortout } from '../../../test/support/portouts.ts'
import { fieldErrors, refusal, sentence } from '../../../test/support/refusals.ts'
import { startTestServer } from '../../../test/support/server.ts'
import { loadTown } from '../../../test/support/town.ts'
import { changeErrors, completeBy, transitionTo, type PortoutChange } from './rules.ts'

const server = await startTestServer({ worker: true })
await loadTown(server)
const { operator, other, account } = server
const { client } = account
const { newAddress, newCnam, newNumber } = factories(server)
const free = numbersFrom('12065550100', 80)
await loadNumbers(
  server,
  free.map((number) => ({ number })),
)

async function ordered(count = 1, callback_url?: string): Promise<[string, ...string[]]> {
  const numbers = free.splice(0, count)
  await client.createNumberOrder({ body: { numbers, ...(callback_url === undefined ? {} : { callback_url }) } })
  return [numbers[0] ?? assert.fail('no number left'), ...numbers.slice(1)]
}
const change = (portout_id: string, body: PortoutChange) => operator.changePortout({ params: { portout_id }, body })
const statusOf = async (number: string) =>
  (await operator.listInventory({ query: { starts_with: number } })).body.data[0]?.attributes
const foc_date = '2030-01-02'

test('the statuses change by the table, and by nothing else', () => {
  const expected = {
    open: ['confirmed', 'rejected', 'completed', 'canceled'],
    confirmed: ['confirmed', 'completed', 'canceled'],
    rejected: [],
    completed: [],
    canceled: [],
  }
  for (const status of api.portoutStatuses)
    for (const to of api.portoutStatuses) {
      if (to === 'open') continue
      const found = transitionTo({ id: '7', status }, to)
      assert.equal(typeof found === 'object', (expected[status] as string[]).includes(to), `${status} to ${to}`)
      if (typeof found === 'string') assert.match(found, /^Port-out 7 is \w+ and cannot be \w+\. .+\.$/)
    }
})

test('a passcode counts only if the customer asked for it, and silence is no objection', () => {
  const errorsOf = (
    to: PortoutChange['status'],
    input: Omit<PortoutChange, 'status'>,
    row: Parameters<typeof changeErrors>[0] = { passcode_result: 'not_set', customer_response: null },
  ) => {
    const transition = transitionTo({ id: '7', status: 'open' }, to)
    assert.ok(typeof transition === 'object')
    return Object.keys(changeErrors(row, transition, { status: to, ...input }, '2026-11-25'))
  }
  const mismatched = { passcode_result: 'mismatched', customer_response: null } as const
  const disputed = { passcode_result: 'not_set', customer_response: 'disputed' } as const
  assert.deepEqual(errorsOf('rejected', { reason_code: 'passcode' }), ['reason_code'])
  assert.deepEqual(errorsOf('rejected', { reason_code: 'passcode' }, mismatched), [])
  assert.deepEqual(errorsOf('rejected', { reason_code: 'passcode', passcode_result: 'mismatched' }), [])
  assert.deepEqual(errorsOf('rejected', { reason_code: 'passcode', passcode_result: 'matched' }, mismatched), [
    'reason_code',
  ])
  assert.deepEqual(errorsOf('rejected', { reason_code: 'disputed' }), ['reason_code'])
  assert.deepEqual(errorsOf('rejected', { reason_code: 'disputed' }, disputed), [])
  assert.deepEqual(errorsOf('rejected', { foc_date }), ['foc_date', 'reason_code'])
  assert.deepEqual(errorsOf('confirmed', {}), ['foc_date'])
  assert.deepEqual(errorsOf('confirmed', { foc_date: '2026-11-24' }), ['foc_date'])
  assert.deepEqual(errorsOf('confirmed', { foc_date: '2026-11-25', reason: 'x' }), ['reason'])
  assert.deepEqual(errorsOf('completed', {}), [])
})

test('a port is due by the intervals of 47 CFR 52.35', () => {
  const zone = 'America/Los_Angeles'
  // received (Pacific), simple, requested date, due
  const grid = [
    ['2026-11-23T10:00-08:00', true, '2026-11-23', '2026-11-24'],
    ['2026-11-23T12:59-08:00', true, '2026-11-23', '2026-11-24'],
    ['2026-11-23T13:00-08:00', true, '2026-11-23', '2026-11-25'],
    ['2026-11-25T14:00-08:00', true, '2026-11-25', '2026-11-30'],
    ['2026-11-26T10:00-08:00', true, '2026-11-26', '2026-11-30'],
    ['2026-11-28T15:00-08:00', true, '2026-11-28', '2026-12-01'],
    ['2026-11-16T10:00-08:00', false, '2026-11-16', '2026-11-20'],
    ['2026-11-23T10:00-08:00', false, '2026-11-23', '2026-11-30'],
    ['2026-11-23T10:00-08:00', true, '2026-12-04', '2026-12-04'],
  ] as const
  for (const [received, is_simple, requested_due_date, due] of grid)
    assert.equal(completeBy({ is_simple, requested_due_date }, new Date(received), zone), due, received)
})

test('a number on an open port-out cannot be released, and a canceled one can', async () => {
  const [number] = await ordered()
  const { id, attributes } = await newPortout(server, [number])
  assert.partialDeepStrictEqual(attributes, { status: 'open', account_id: account.id, is_simple: true, foc_date: null })
  const params = { number }
  const why = `Number ${number} is on port-out ${id} to Lakeview Telephone and cannot be released until the port-out is final.`
  assert.equal(await sentence(client.releaseNumber({ params }), 409), why)
  const preview = (await client.releaseNumber({ params, query: { dry_run: true } })).body?.data.attributes
  assert.deepEqual([preview?.can_release, preview?.errors], [false, [why]])
  assert.deepEqual(
    (await client.listPortouts({ query: { number } })).body.data.map((each) => each.id),
    [id],
  )
  assert.deepEqual((await other.client.listPortouts({ query: { account_id: account.id } })).body.data, [])
  await change(id, { status: 'canceled' })
  assert.match(await sentence(change(id, { status: 'completed' }), 409), /is canceled .* That is final/)
  await client.releaseNumber({ params })
})

test('every number of a request is checked', async () => {
  const [first, second, busy] = await ordered(3)
  const { id } = await newPortout(server, [busy ?? ''])
  const foreign = await newNumber({ value: '13605550100' }, other)
  const [aging] = await ordered()
  await client.releaseNumber({ params: { number: aging } })
  const numbers = [first, second ?? '', first, busy ?? '', foreign, aging, '12125550100']
  const errors = await fieldErrors(newPortout(server, numbers))
  assert.deepEqual(errors, {
    'numbers.2': ['Is the same number as numbers.0.'],
    'numbers.3': [
      `Number ${busy} is on port-out ${id} to Lakeview Telephone and cannot be released until the port-out is final.`,
    ],
    'numbers.4': [`Is on a different account than ${first}.`],
    'numbers.5': ['Is not on an account.'],
    'numbers.6': ['Is not on an account.'],
  })
  const bad = newPortout(server, [first], { gaining_spid: 'x', requested_due_date: 'soon', reference: '' })
  assert.deepEqual(Object.keys(await fieldErrors(bad)).toSorted(), ['gaining_spid', 'reference', 'requested_due_date'])
})

test('completing takes the numbers off the account with their settings, and off sale until they are returned', async () => {
  const url = 'https://receiver.example/numbers'
  const [number, second] = await ordered(2, url)
  const imported = await newNumber({ value: '13605550101' })
  const e911_id = await newAddress()
  await client.assignE911({ params: { number, e911_id } })
  await client.assignCnam({ params: { number, cnam_id: await newCnam() } })
  const { id, attributes } = await newPortout(server, [imported, second ?? '', number])
  assert.deepEqual(attributes.numbers, [number, second, imported])
  assert.equal(attributes.is_simple, false)
  await change(id, { status: 'confirmed', foc_date })
  await change(id, { status: 'confirmed', foc_date: '2030-01-03' })
  const { body } = await change(id, { status: 'completed' })
  assert.deepEqual([body.data.attributes.status, body.data.attributes.foc_date], ['completed', '2030-01-03'])
  for (const each of attributes.numbers) await refusal(client.getNumber({ params: { number: each } }), 404)
  await client.deleteE911({ params: { e911_id } })
  const { status, account_id, status_reason } = (await statusOf(number)) ?? assert.fail('not in the inventory')
  assert.deepEqual([status, account_id, status_reason], ['ported_out', null, 'Ported to Lakeview Telephone (599X).'])
  assert.equal(await statusOf(imported), undefined)
  await refusal(client.orderNumber({ params: { number }, body: {} }), 404)
  await refusal(client.restoreNumber({ params: { number } }), 404)
  const [released] = await eventsOf(server.db, 'number.released', number)
  assert.partialDeepStrictEqual(released?.data, { returns_to: 'gaining_carrier', e911_id })
  const events = await server.db
    .selectFrom('event')
    .select(['chain_id', 'type', 'notification'])
    .where('subject_type', '=', 'portout')
    .where('subject_id', '=', id)
    .orderBy('id')
    .execute()
  assert.deepEqual(
    events.map(({ chain_id, type, notification }) => [chain_id, type, notification?.url]),
    ['requested', 'confirmed', 'rescheduled', 'completed'].map((event) => [account.id, `portout.${event}`, url]),
  )
  const returned = { action: 'make_available' as const, numbers: [number] }
  assert.equal((await operator.changeInventory({ body: returned })).body.meta.changed_count, 1)
  await client.orderNumber({ params: { number }, body: {} })
  // a customer who comes back ports the number in
  await newNumber({ value: second ?? '' })
  assert.equal((await statusOf(second ?? ''))?.status, 'active')
})

test('a customer disputes a request, and only then it can be rejected for that', async () => {
  const [number] = await ordered()
  const { id } = await newPortout(server, [number])
  const reject = () => change(id, { status: 'rejected', reason_code: 'disputed', reason: 'Not our request.' })
  assert.deepEqual(Object.keys(await fieldErrors(reject())), ['reason_code'])
  const respond = (response: 'authorized' | 'disputed') =>
    client.respondToPortout({ params: { portout_id: id }, body: { response, comment: 'We did not ask.' } })
  await respond('authorized')
  const { attributes } = (await respond('disputed')).body.data
  assert.deepEqual([attributes.customer_response, attributes.status], ['disputed', 'open'])
  assert.equal((await reject()).body.data.attributes.status, 'rejected')
  assert.match(await sentence(respond('authorized'), 409), /is rejected/)
  await client.releaseNumber({ params: { number } })
})

test('a release and a port-out at the same time: one of them wins', async () => {
  for (let round = 0; round < 5; round++) {
    const [number] = await ordered()
    const [released, requested] = await Promise.allSettled([
      client.releaseNumber({ params: { number } }),
      newPortout(server, [number]),
    ])
    assert.notEqual(released.status, requested.status, `round ${round}`)
    assert.equal((await statusOf(number))?.status, released.status === 'fulfilled' ? 'aging' : 'active')
    if (requested.status === 'rejected') continue
    const { id } = requested.value
    const [completed] = await Promise.allSettled([
      change(id, { status: 'completed' }),
      client.releaseNumber({ params: { number } }),
      change(id, { status: 'completed' }),
    ])
    assert.equal((await statusOf(number))?.status, 'ported_out')
    assert.ok(completed)
    assert.equal((await eventsOf(server.db, 'number.released', number)).length, 1)
  }
})

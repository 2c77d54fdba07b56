import assert from 'node:assert/strict'
import { test } from 'node:test'
import { orderIn } from '../../test/support/port-orders.ts'
import { startTestServer } from '../../test/support/server.ts'
import { loadTown, DEMO_EXAMPLES } from '../../test/support/town.ts'
import { activationTime } from './calendar/porting-interval.ts'

const server = await startTestServer({ worker: true })
const { client } = server.account
await loadTown(server)

const cnam = (await client.createCnam({ body: { value: 'EARLY BIRD' } })).body.data
await server.operator.decideCnam({ params: { cnam_id: cnam.id }, body: { is_approved: true } })
const address = { data: { type: 'e911', attributes: { ...DEMO_EXAMPLES.accepted } } }
const e911 = (await client.createE911({ body: address })).body.data

const zone = server.runtime.deps.time_zone
const day = '2099-06-16'
/** Moves the clock to this long after a day's activation time. */
const at = (date: string, minutes: number) =>
  server.clock.advanceTo(new Date(activationTime(date, zone).getTime() + minutes * 60_000))
const complete = async (id: string) =>
  (await server.operator.transitionPortOrder({ params: { portorder_id: id }, body: { to: 'Completed' } })).body.data
const presetsWaiting = async (id: string) =>
  (await client.getPortOrder({ params: { portorder_id: id } })).body.data.attributes.presets_waiting
const recordsOf = async (number: string) => {
  const { cnam_preset, e911_address } = (await client.getNumber({ params: { number } })).body.data.relationships
  return [cnam_preset.data?.id ?? null, e911_address.data?.id ?? null]
}

test('caller ID name and emergency address are applied in the morning of the completion date; until that time the order lists them as waiting', async () => {
  const order = await orderIn(server, 'Accepted', { presets: { cnam_id: cnam.id, e911_id: e911.id } })
  assert.equal(await presetsWaiting(order.id), null)
  await at(day, -60)
  const { attributes } = await complete(order.id)
  const [number = ''] = attributes.numbers
  const until = activationTime(day, zone).toISOString().replace('.000', '')
  assert.deepEqual(attributes.presets_waiting, { presets: ['cnam_id', 'e911_id'], until })
  assert.deepEqual(await recordsOf(number), [null, null])
  const { data: listed } = (await client.listPortOrders({ query: { number } })).body
  assert.deepEqual(listed[0]?.attributes.presets_waiting, attributes.presets_waiting)
  await server.operator.moveClock({ body: { advance: '1 hour' } })
  assert.deepEqual(await recordsOf(number), [Number(cnam.id), Number(e911.id)])
  assert.equal(await presetsWaiting(order.id), null)
})

test('only presets that are set wait, and none wait if the order completes after 08:00', async () => {
  await at('2099-06-17', -60)
  const early = await orderIn(server, 'Completed', { presets: { e911_id: e911.id, alias: 'Sales' } })
  assert.deepEqual(early.attributes.presets_waiting?.presets, ['e911_id'])
  const without = await orderIn(server, 'Completed', { presets: { alias: 'Sales' } })
  assert.equal(without.attributes.presets_waiting, null)
  await server.operator.moveClock({ body: { advance: '2 hours' } })
  const late = await orderIn(server, 'Completed', { presets: { cnam_id: cnam.id, e911_id: e911.id } })
  assert.equal(late.attributes.presets_waiting, null)
  assert.deepEqual(await recordsOf(late.attributes.numbers[0] ?? ''), [Number(cnam.id), Number(e911.id)])
})

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { eventually } from '../../test/support/eventually.ts'
import { startReceiver } from '../../test/support/receiver.ts'
import { startTestServer, type TestAccount } from '../../test/support/server.ts'
import { systemActor } from '../platform/actor.ts'
import { inTransaction } from '../platform/db.ts'
import { recordEvent } from '../platform/events.ts'
import { deliveryLimits } from './rules.ts'
import { createDeliverySlots } from './delivery-slots.ts'

describe('delivery slots', () => {
  const limits = { ...deliveryLimits, per_account: 2, per_host: 3, wait_ms: 500, wait_gap_ms: 20 }
  const acquired = (slot: ReturnType<ReturnType<typeof createDeliverySlots>['acquire']>) =>
    'release' in slot ? slot : assert.fail(`must wait ${slot.wait_ms} ms`)

  test('are limited per account, and free again once released', () => {
    const slots = createDeliverySlots(limits)
    const first = acquired(slots.acquire('1', 'http://a.example/', 0))
    acquired(slots.acquire('1', 'http://b.example/', 0))
    assert.deepEqual(slots.acquire('1', 'http://c.example/', 0), { wait_ms: 500 })
    acquired(slots.acquire('2', 'http://c.example/', 0))
    first.release()
    first.release()
    acquired(slots.acquire('1', 'http://c.example/', 0))
    assert.ok('wait_ms' in slots.acquire('1', 'http://c.example/', 0), 'releasing twice frees one slot')
  })

  test('are limited per host, across accounts', () => {
    const slots = createDeliverySlots(limits)
    for (const account of ['1', '2', '3']) acquired(slots.acquire(account, `https://shared.example/${account}`, 0))
    assert.ok('wait_ms' in slots.acquire('4', 'https://shared.example/4', 0))
    acquired(slots.acquire('4', 'https://shared.example:8443/4', 0))
  })

  test('that are not free give staggered waits', () => {
    const slots = createDeliverySlots(limits)
    for (const host of ['a', 'b']) acquired(slots.acquire('1', `http://${host}.example/`, 0))
    const waits = [0, 1, 2].map(() => slots.acquire('1', 'http://c.example/', 1000))
    assert.deepEqual(waits, [{ wait_ms: 500 }, { wait_ms: 520 }, { wait_ms: 540 }])
    assert.deepEqual(slots.acquire('1', 'http://c.example/', 90_000), { wait_ms: 500 })
  })
})

describe('a receiver that hangs', () => {
  test('delays its own account only; its notifications are delivered once it responds', async () => {
    const receiver = await startReceiver()
    // `at_once` is so small that without the other limits the hanging deliveries would take all slots
    const server = await startTestServer({
      worker: true,
      overrides: { delivery: { at_once: 12, per_account: 4, per_host: 8, timeout_ms: 60_000, wait_ms: 50 } },
    })
    const hanging: (() => void)[] = []
    let hangs = true
    receiver.respond = ({ path }) =>
      hangs && path.startsWith('/hang') ? (response) => void hanging.push(() => response.writeHead(204).end()) : 204
    const notify = (of: TestAccount, path: string, host: string) =>
      inTransaction(server.db, (tx) =>
        recordEvent({ tx, actor: systemActor('test', of.id), clock: server.clock }, of.id, {
          type: 'thing.changed',
          subject_type: 'thing',
          subject_id: '7',
          notification: { url: receiver.url(path, host), document: {} },
        }),
      )
    for (let i = 0; i < 40; i++) await notify(server.account, `/hang-${i}`, '127.0.0.5')
    const started = () => receiver.requests.filter((a) => a.path.startsWith('/hang')).length
    await eventually(async () => started() === 4)

    for (let i = 0; i < 30; i++) await notify(server.other, `/other-${i}`, '127.0.0.6')
    for (let i = 0; i < 30; i++) await receiver.waitFor(1, `/other-${i}`)
    assert.equal(started(), 4, 'its account’s share of the slots and no more')

    hangs = false
    for (const respond of hanging) respond()
    for (let i = 0; i < 40; i++) assert.equal((await receiver.waitFor(1, `/hang-${i}`)).length, 1)
  })
})

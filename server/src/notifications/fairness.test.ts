import assert from 'node:assert/strict'
import { beforeEach, describe, test } from 'node:test'
import { sql } from 'kysely'
import { testDatabase } from '../../test/support/database.ts'
import { eventually } from '../../test/support/eventually.ts'
import { startReceiver } from '../../test/support/receiver.ts'
import { startSecondWorker } from '../../test/support/second-app.ts'
import { startTestServer, type TestAccount } from '../../test/support/server.ts'
import { systemActor } from '../platform/actor.ts'
import { inTransaction, openDatabase } from '../platform/db.ts'
import { recordEvent } from '../platform/events.ts'
import { silentLog } from '../platform/postgres/log.ts'
import { deliveryLimits } from './rules.ts'
import { createDeliverySlots, type Slot } from './delivery-slots.ts'

describe('delivery slots', async () => {
  const { db, url } = await testDatabase()
  const limits = { ...deliveryLimits, per_account: 2, per_host: 3, wait_ms: 500, wait_gap_ms: 20 }
  const slots = createDeliverySlots({ db, log: silentLog }, limits)
  beforeEach(() => sql`truncate permit`.execute(db))
  const acquired = async (slot: Promise<Slot>) => {
    const result = await slot
    return 'release' in result ? result : assert.fail(`must wait ${result.wait_ms} ms`)
  }
  const isFull = async (slot: Promise<Slot>) => 'wait_ms' in (await slot)

  test('are limited per account, and free again once released', async () => {
    const first = await acquired(slots.acquire('1', 'http://a.example/', 0))
    await acquired(slots.acquire('1', 'http://b.example/', 0))
    assert.deepEqual(await slots.acquire('1', 'http://c.example/', 0), { wait_ms: 500 })
    await acquired(slots.acquire('2', 'http://c.example/', 0))
    await first.release()
    await first.release()
    await acquired(slots.acquire('1', 'http://c.example/', 0))
    assert.ok(await isFull(slots.acquire('1', 'http://c.example/', 0)), 'releasing twice frees one slot')
  })

  test('are limited per host, across accounts', async () => {
    for (const account of ['1', '2', '3'])
      await acquired(slots.acquire(account, `https://shared.example/${account}`, 0))
    assert.ok(await isFull(slots.acquire('4', 'https://shared.example/4', 0)))
    await acquired(slots.acquire('4', 'https://shared.example:8443/4', 0))
  })

  test('that are not free give staggered waits', async () => {
    for (const host of ['a', 'b']) await acquired(slots.acquire('1', `http://${host}.example/`, 0))
    const waits = []
    for (let i = 0; i < 3; i++) waits.push(await slots.acquire('1', 'http://c.example/', 1000))
    assert.deepEqual(waits, [{ wait_ms: 500 }, { wait_ms: 520 }, { wait_ms: 540 }])
    assert.deepEqual(await slots.acquire('1', 'http://c.example/', 90_000), { wait_ms: 500 })
  })

  test('are limited in two workers together, and those of a killed worker are free after their lease', async (t) => {
    const other = openDatabase({ connection: url, log: silentLog })
    t.after(() => other.close())
    const both = [slots, createDeliverySlots({ db: other.db, log: silentLog }, limits)]
    const acquire = () =>
      Promise.all(
        ['1', '2', '3', '4'].flatMap((account) =>
          both.map((each) => each.acquire(account, 'https://shared.example/', 0)),
        ),
      )
    const count = (all: readonly Slot[]) => all.filter((slot) => 'release' in slot).length
    assert.equal(count(await acquire()), limits.per_host)
    await sql`update permit set expires_at = now()`.execute(db)
    assert.equal(count(await acquire()), limits.per_host)
  })

  test('that cannot be released are logged, and the delivery goes on', async (t) => {
    const other = openDatabase({ connection: url, log: silentLog })
    t.after(() => other.close())
    const warnings: object[] = []
    const log = { ...silentLog, warn: (fields: object) => void warnings.push(fields) }
    const slot = await acquired(createDeliverySlots({ db: other.db, log }, limits).acquire('1', 'http://a.example/', 0))
    await other.close()
    await slot.release()
    assert.deepEqual(
      warnings.map((fields) => 'permits' in fields && fields.permits),
      [['delivery account 1', 'delivery host a.example']],
    )
  })
})

describe('a receiver that hangs', () => {
  test('delays its own account only, with two workers too; its notifications are delivered once it responds', async () => {
    const receiver = await startReceiver()
    // `at_once` is so small that without the other limits the hanging deliveries would take all slots
    const server = await startTestServer({
      worker: true,
      overrides: { delivery: { at_once: 12, per_account: 4, per_host: 8, timeout_ms: 60_000, wait_ms: 50 } },
    })
    await startSecondWorker(server)
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

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { startReceiver, verified, type ReceivedRequest } from '../../test/support/receiver.ts'
import { refusal } from '../../test/support/refusals.ts'
import { startTestServer, type TestAccount } from '../../test/support/server.ts'
import { systemActor } from '../platform/actor.ts'
import { inTransaction } from '../platform/db.ts'
import { listEvents, recordEvent } from '../platform/events.ts'

const receiver = await startReceiver()
const server = await startTestServer({ worker: true })
const { account } = server
const broken = new Set<string>()
/** Paths of an endpoint that responds later, with what its first request waits for. */
const slow = new Map<string, (respond: () => void) => void>()
receiver.respond = ({ path }, nth) => {
  const arrived = slow.get(path)
  if (nth === 1 && arrived) return (response) => arrived(() => response.writeHead(204).end())
  return broken.has(path) ? 500 : 204
}

const advance = (interval: string) => server.operator.moveClock({ body: { advance: interval } })
const secretOf = async (of: TestAccount) => (await of.client.getSigningSecret()).body.data.attributes.secret

let notified = 0
async function notify(
  of: TestAccount,
  options: { broken?: boolean } = {},
): Promise<{ path: string; id: string; event_id: string }> {
  const path = `/${notified++}`
  if (options.broken) broken.add(path)
  const { id: event_id } = await inTransaction(server.db, (tx) =>
    recordEvent({ tx, actor: systemActor('test', of.id), clock: server.clock }, of.id, {
      type: 'thing.changed',
      subject_type: 'thing',
      subject_id: '7',
      notification: { url: receiver.url(path), document: { data: { type: 'thing', id: '7' } } },
    }),
  )
  await receiver.waitFor(1, path)
  await advance('0 seconds')
  const { data } = (await of.client.listNotifications({ query: { limit: 200 } })).body
  return { path, event_id, id: data.find((n) => n.attributes.event_id === event_id)?.id ?? assert.fail() }
}
const read = async (of: TestAccount, id: string) =>
  (await of.client.listNotifications({ query: { limit: 200 } })).body.data.find((n) => n.id === id)?.attributes ??
  assert.fail()

describe('a replay', () => {
  test('sends a delivered one again, with the same id, the same body and a fresh signature', async () => {
    const { path, id } = await notify(account)
    const { status, body } = await account.client.replayNotification({ params: { notification_id: id } })
    assert.equal(status, 202)
    assert.equal(body.data.attributes.status, 'pending')
    const [first, second] = await receiver.waitFor(2, path)
    assert.ok(first && second)
    assert.equal(second.headers['webhook-id'], first.headers['webhook-id'])
    assert.equal(second.body, first.body)
    verified(second, await secretOf(account))
    await advance('0 seconds')
    const { status: now, attempts } = await read(account, id)
    assert.equal(now, 'delivered')
    assert.equal(attempts.length, 2, 'both attempts are recorded')
  })

  test('by the operator restarts the schedule of a failed one', async () => {
    const { path, id } = await notify(account, { broken: true })
    await advance('4 days')
    assert.equal((await read(account, id)).status, 'failed')
    const params = { notification_id: id }
    await server.operator.replayNotificationAsOperator({ params })
    await receiver.waitFor(11, path)
    await advance('0 seconds')
    assert.equal((await read(account, id)).status, 'pending')
    broken.delete(path)
    await advance('1 minute')
    const { status, attempts } = await read(account, id)
    assert.equal(status, 'delivered')
    assert.deepEqual(
      attempts.map((a) => a.response_status),
      [...Array.from({ length: 11 }, () => 500), 204],
    )
    const [event] = await listEvents(server.db, { type: 'notification.replayed', limit: 1, offset: 0 })
    assert.equal(event?.actor, `operator:${server.operator_credentials.access_key}`)
    assert.equal(event?.chain_id, account.id)
  })

  test('of one with a pending attempt makes that attempt now', async () => {
    const { path, id } = await notify(account, { broken: true })
    broken.delete(path)
    await account.client.replayNotification({ params: { notification_id: id } })
    await receiver.waitFor(2, path)
    await advance('0 seconds')
    assert.equal((await read(account, id)).status, 'delivered')
    await advance('4 days')
    assert.equal((await receiver.waitFor(2, path)).length, 2, 'and the old round is over')
  })

  test('during an attempt makes another, whatever the first one’s outcome is', async () => {
    const path = `/slow-${notified++}`
    const { promise: arrived, resolve } = Promise.withResolvers<() => void>()
    slow.set(path, resolve)
    await account.client.sendTestNotification({ body: { url: receiver.url(path) } })
    const respond = await arrived
    const { data } = (await account.client.listNotifications({ query: { limit: 200 } })).body
    const { id } = data.find(({ attributes }) => attributes.url === receiver.url(path)) ?? assert.fail()
    await account.client.replayNotification({ params: { notification_id: id } })
    respond()
    await receiver.waitFor(2, path)
    await advance('0 seconds')
    const { status, attempts } = await read(account, id)
    assert.deepEqual([status, attempts.length], ['delivered', 2])
  })

  test('of an unknown one, and with a read-only key, is refused', async () => {
    const { id } = await notify(account)
    for (const notification_id of ['999999999', 'x'])
      await refusal(account.client.replayNotification({ params: { notification_id } }), 404)
    await refusal(server.other.client.replayNotification({ params: { notification_id: id } }), 404)
    const reader = await server.newAccount('Reader', ['read'])
    await refusal(reader.client.replayNotification({ params: { notification_id: id } }), 403)
    await refusal(account.client.replayNotificationAsOperator({ params: { notification_id: id } }), 403)
  })
})

test('the operator sees which receivers fail, with what was not delivered and the last response', async () => {
  const ofOthers = await notify(server.other, { broken: true })
  const mine = async () =>
    (await server.operator.listFailingReceivers()).body.data.find(
      (each) => each.attributes.account_id === server.other.id,
    )?.attributes
  const origin = receiver.url('')
  const { last_attempt, next_attempt_at, ...counts } = (await mine()) ?? assert.fail('not listed')
  assert.deepEqual(counts, { account_id: server.other.id, origin, retrying: 1, failed: 0 })
  assert.deepEqual([last_attempt?.failure, next_attempt_at === null], ['status_500', false])
  await advance('4 days')
  const { retrying, failed, next_attempt_at: next } = (await mine()) ?? assert.fail('not listed')
  assert.deepEqual([retrying, failed, next], [0, 1, null])
  const listed = async (query: { account_id?: string; origin?: string }) =>
    (await server.operator.listNotificationsAsOperator({ query: { status: 'failed', ...query } })).body.data
  const ids = (await listed({ account_id: server.other.id, origin: origin.toUpperCase() })).map(({ id }) => id)
  assert.deepEqual(ids, [ofOthers.id])
  assert.deepEqual(await listed({ account_id: server.other.id, origin: `${origin}0` }), [])
  await advance('30 days')
  assert.equal(await mine(), undefined)
})

describe('the signing secret', () => {
  const signatures = (request: ReceivedRequest) => String(request.headers['webhook-signature']).split(' ')
  const requestOf = async (of: TestAccount) => {
    const { path } = await notify(of)
    return receiver.requests.find((a) => a.path === path) ?? assert.fail()
  }

  test('is replaced without losing a notification: for a day both sign, then the new one alone', async () => {
    const holder = await server.newAccount('Rotating')
    const old = await secretOf(holder)
    assert.match(old, /^whsec_/)
    assert.equal(signatures(await requestOf(holder)).length, 1)

    const { secret: fresh, previous_valid_until } = (await holder.client.rotateSigningSecret()).body.data.attributes
    assert.notEqual(fresh, old)
    assert.equal(await secretOf(holder), fresh)
    assert.equal(Date.parse(previous_valid_until ?? '') - server.clock.now().getTime() > 23.9 * 3_600_000, true)
    const during = await requestOf(holder)
    assert.equal(signatures(during).length, 2)
    for (const secret of [old, fresh]) verified(during, secret)

    await advance('23 hours 59 minutes')
    verified(await requestOf(holder), old)
    await advance('2 minutes')
    const after = await requestOf(holder)
    assert.equal(signatures(after).length, 1)
    verified(after, fresh)
    assert.throws(() => verified(after, old), /No matching signature/)
    assert.equal((await holder.client.getSigningSecret()).body.data.attributes.previous_valid_until, null)
  })

  test('replaced twice in a day drops the first one', async () => {
    const holder = await server.newAccount('Rotating twice')
    const oldest = await secretOf(holder)
    const middle = (await holder.client.rotateSigningSecret()).body.data.attributes.secret
    const newest = (await holder.client.rotateSigningSecret()).body.data.attributes.secret
    const request = await requestOf(holder)
    for (const secret of [middle, newest]) verified(request, secret)
    assert.throws(() => verified(request, oldest), /No matching signature/)
  })

  test('needs a write key to read and to replace, and differs between accounts', async () => {
    const reader = await server.newAccount('Secret reader', ['read'])
    await refusal(reader.client.getSigningSecret(), 403)
    await refusal(reader.client.rotateSigningSecret(), 403)
    assert.notEqual(await secretOf(account), await secretOf(server.other))
  })
})

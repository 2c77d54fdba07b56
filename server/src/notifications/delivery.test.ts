import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ResponseBody, notifications } from '@demarc/client'
import { startReceiver, verified, type ReceivedRequest } from '../../test/support/receiver.ts'
import { refusal } from '../../test/support/refusals.ts'
import { startTestServer, type TestAccount } from '../../test/support/server.ts'
import { systemActor } from '../platform/actor.ts'
import { inTransaction } from '../platform/db.ts'
import { listEvents, recordEvent } from '../platform/events.ts'
import { createOutbound } from '../platform/outbound/index.ts'
import { schedule_ms } from './rules.ts'

/** Far longer than a receiver on this machine takes, however busy it is; one test waits that long. */
const timeout_ms = 2_500

const receiver = await startReceiver()
const server = await startTestServer({
  worker: true,
  overrides: {
    // as in production, with one address allowed by the operator
    outbound: createOutbound({ allow_cidrs: ['127.0.0.1/32'], user_agent: 'Demarc/test' }),
    delivery: { timeout_ms },
  },
})
const { account } = server

type Notification = ResponseBody<typeof notifications.replayNotification>['data']

let notified = 0
/** Records an event with a notification to a path of the receiver that no other test uses. */
async function notify(of: TestAccount = account, host?: string): Promise<{ path: string; event_id: string }> {
  const path = `/${notified++}`
  const { id: event_id } = await inTransaction(server.db, (tx) =>
    recordEvent({ tx, actor: systemActor('test', of.id), clock: server.clock }, of.id, {
      type: 'thing.changed',
      subject_type: 'thing',
      subject_id: '7',
      notification: { url: receiver.url(path, host), document: { data: { type: 'thing', id: '7' } } },
    }),
  )
  return { path, event_id }
}

async function notificationOf(event_id: string): Promise<Notification> {
  const { data } = (await account.client.listNotifications({ query: { limit: 200 } })).body
  return data.find((n) => n.attributes.event_id === event_id) ?? assert.fail(`no notification of event ${event_id}`)
}

const advance = (interval: string) => server.operator.moveClock({ body: { advance: interval } })
const secretOf = async (of: TestAccount) => (await of.client.getSigningSecret()).body.data.attributes.secret
const idOf = (request: ReceivedRequest) => request.headers['webhook-id']

/** The responses of the receiver by path; any other is 204. */
const responses = new Map<string, (nth: number) => ReturnType<typeof receiver.respond>>()
receiver.respond = ({ path }, nth) => responses.get(path)?.(nth) ?? 204

/** The same, with this response of the receiver; waits for the first attempt. */
async function notifyWith(respond: (nth: number) => ReturnType<typeof receiver.respond>, of: TestAccount = account) {
  responses.set(`/${notified}`, respond)
  const sent = await notify(of)
  await receiver.waitFor(1, sent.path)
  await advance('0 seconds')
  return sent
}

describe('a notification', () => {
  test('is a signed POST of the document with the metadata of its event', async () => {
    const { path, event_id } = await notify()
    const [request] = await receiver.waitFor(1, path)
    assert.ok(request)
    const payload = verified(request, await secretOf(account)) as { data: unknown; meta: Record<string, unknown> }
    assert.deepEqual(payload.data, { type: 'thing', id: '7' })
    const { occurred_at, sequence, ...meta } = payload.meta
    assert.deepEqual(meta, { event_id, type: 'thing.changed' })
    assert.match(String(occurred_at), /^\d{4}-.*Z$/)
    assert.ok(Number.isInteger(sequence))
    assert.equal(idOf(request), `evt_${event_id}`)
    assert.equal(request.headers['content-type'], 'application/json')
    assert.match(String(request.headers['user-agent']), /^Demarc\//)
    assert.ok(Math.abs(Number(request.headers['webhook-timestamp']) - Date.now() / 1000) < 60, 'the real time')
  })

  test('does not verify with another account’s secret, nor with a changed body', async () => {
    const [request] = await receiver.waitFor(1, (await notify()).path)
    assert.ok(request)
    assert.throws(() => verified({ ...request, body: `${request.body} ` }, ''), /secret/i)
    const other = await secretOf(server.other)
    assert.throws(() => verified(request, other), /No matching signature/)
    const own = await secretOf(account)
    assert.throws(() => verified({ ...request, body: `${request.body} ` }, own), /No matching signature/)
  })

  test('is delivered once by any 2xx, with its attempt recorded', async () => {
    const { path, event_id } = await notifyWith(() => 202)
    const { status, attempts, next_attempt_at, url } = (await notificationOf(event_id)).attributes
    assert.deepEqual([status, next_attempt_at, url], ['delivered', null, receiver.url(path)])
    assert.deepEqual(
      attempts.map((a) => [a.response_status, a.failure]),
      [[202, null]],
    )
    await advance('4 days')
    assert.equal((await receiver.waitFor(1, path)).length, 1)
  })

  test('is visible to its own account and the operator', async () => {
    const { event_id } = await notifyWith(() => 204)
    const { id } = await notificationOf(event_id)
    assert.deepEqual((await server.other.client.listNotifications()).body.data, [])
    const seen = (await server.operator.listNotificationsAsOperator({ query: { limit: 200 } })).body.data
    assert.equal(seen.find((n) => n.id === id)?.attributes.account_id, account.id)
    await refusal(server.other.client.replayNotification({ params: { notification_id: id } }), 404)
    assert.deepEqual((await account.client.listNotifications({ query: { status: 'failed' } })).body.data, [])
  })
})

describe('a receiver that fails', () => {
  test('is retried until it recovers, with the same id on every attempt', async () => {
    const { path, event_id } = await notifyWith((nth) => (nth < 4 ? 500 : 200))
    const [, s5, s300, s1800] = schedule_ms
    for (const [n, wait_ms] of [s5, s300, s1800].entries()) {
      const { attempts, next_attempt_at, status } = (await notificationOf(event_id)).attributes
      assert.equal(status, 'pending')
      assert.equal(attempts.length, n + 1)
      const wait = Date.parse(next_attempt_at ?? '') - Date.parse(attempts.at(-1)?.attempted_at ?? '')
      assert.ok(wait >= wait_ms && wait <= wait_ms * 1.1 + 1, `${wait} of ${wait_ms}`)
      await advance(`${Math.ceil(wait_ms * 1.1 + 1)} milliseconds`)
    }
    const { status, attempts } = (await notificationOf(event_id)).attributes
    assert.equal(status, 'delivered')
    assert.deepEqual(
      attempts.map((a) => [a.response_status, a.failure]),
      [
        [500, 'status_500'],
        [500, 'status_500'],
        [500, 'status_500'],
        [200, null],
      ],
    )
    const requests = await receiver.waitFor(4, path)
    assert.deepEqual(new Set(requests.map(idOf)), new Set([`evt_${event_id}`]))
    assert.equal(new Set(requests.map((a) => a.body)).size, 1, 'the same bytes')
    const secret = await secretOf(account)
    for (const request of requests) verified(request, secret)
  })

  test('is tried ten times over three days, then the notification is failed', async () => {
    const { path, event_id } = await notifyWith((nth) => (nth % 2 === 0 ? 503 : 404))
    await advance('4 days')
    const { status, attempts, next_attempt_at } = (await notificationOf(event_id)).attributes
    assert.deepEqual([status, next_attempt_at], ['failed', null])
    assert.equal(attempts.length, 10)
    assert.equal((await receiver.waitFor(10, path)).length, 10)
    const [first, last] = [attempts[0]?.attempted_at ?? '', attempts.at(-1)?.attempted_at ?? '']
    const days = (Date.parse(last) - Date.parse(first)) / 86_400_000
    assert.ok(days > 3.1 && days < 3.5, `${days} days`)
    await advance('30 days')
    assert.equal((await receiver.waitFor(10, path)).length, 10)
  })

  test('by hanging times out, and is retried', async () => {
    const { event_id } = await notifyWith((nth) => (nth === 1 ? () => undefined : 204))
    const { attempts, status } = (await notificationOf(event_id)).attributes
    assert.equal(status, 'pending')
    assert.deepEqual(
      attempts.map((a) => [a.response_status, a.failure]),
      [[null, 'timeout']],
    )
    assert.ok(Number(attempts[0]?.duration_ms) >= timeout_ms - 10)
    await advance('10 seconds')
    assert.equal((await notificationOf(event_id)).attributes.status, 'delivered')
  })

  test('by closing the connection or an invalid response is retried', async () => {
    const hangsUp = await notifyWith((nth) => (nth === 1 ? (response) => response.destroy() : 204))
    const nonsense = await notifyWith((nth) => (nth === 1 ? (response) => response.socket?.end('nonsense') : 204))
    for (const { event_id } of [hangsUp, nonsense]) {
      const { status, attempts } = (await notificationOf(event_id)).attributes
      assert.equal(status, 'pending')
      assert.equal(attempts[0]?.response_status, null)
    }
    await advance('10 seconds')
    for (const { event_id } of [hangsUp, nonsense])
      assert.equal((await notificationOf(event_id)).attributes.status, 'delivered')
  })

  test('with 410 is not retried', async () => {
    const { path, event_id } = await notifyWith(() => 410)
    const { status, attempts } = (await notificationOf(event_id)).attributes
    assert.equal(status, 'stopped')
    assert.deepEqual(
      attempts.map((a) => [a.response_status, a.failure]),
      [[410, 'gone']],
    )
    await advance('4 days')
    assert.equal((await receiver.waitFor(1, path)).length, 1)
  })

  test('with 429 or 503 is not retried before its Retry-After', async () => {
    const { path, event_id } = await notifyWith((nth) =>
      nth === 1 ? { status: 429, headers: { 'retry-after': '7200' } } : 204,
    )
    await advance('119 minutes')
    assert.equal((await receiver.waitFor(1, path)).length, 1)
    await advance('2 minutes')
    assert.equal((await receiver.waitFor(2, path)).length, 2)
    assert.equal((await notificationOf(event_id)).attributes.status, 'delivered')
  })
})

describe('a URL that keeps failing', () => {
  test('is recorded after the fifth attempt, once a day for all notifications to its origin, and without its path', async () => {
    const of = await server.newAccount('Failing')
    const failing = async () =>
      await listEvents(server.db, { chain_id: of.id, type: 'notification.failing', limit: 10, offset: 0 })
    const { path } = await notifyWith(() => ({ status: 503 }), of)
    await notifyWith(() => ({ status: 503 }), of)
    await advance('1 hour')
    assert.equal((await failing()).length, 0)
    await advance('2 hours')
    const [event, ...more] = await failing()
    assert.deepEqual(more, [])
    assert.equal(event?.subject_id, new URL(receiver.url(path)).origin)
    assert.ok(!JSON.stringify(event).includes(path))
    await advance('1 day')
    await notifyWith(() => ({ status: 503 }), of)
    await advance('3 hours')
    assert.equal((await failing()).length, 2)
  })
})

describe('a redirect', () => {
  test('with 307 or 308 is followed with body and signature', async () => {
    for (const status of [307, 308]) {
      const { event_id } = await notifyWith(() => ({ status, headers: { location: `/moved-${status}` } }))
      const [request] = await receiver.waitFor(1, `/moved-${status}`)
      assert.ok(request)
      verified(request, await secretOf(account))
      assert.equal((await notificationOf(event_id)).attributes.status, 'delivered')
    }
  })

  test('with 301, 302 or 303 would turn the POST into a GET, so it is a failure', async () => {
    for (const status of [301, 302, 303]) {
      const { event_id } = await notifyWith(() => ({ status, headers: { location: '/not-followed' } }))
      const { attempts, status: state } = (await notificationOf(event_id)).attributes
      assert.deepEqual([state, attempts[0]?.failure], ['pending', 'redirect_not_followed'])
    }
    assert.deepEqual(
      receiver.requests.filter((a) => a.path === '/not-followed'),
      [],
    )
  })

  test('to a private address is not followed', async () => {
    for (const host of ['127.0.0.2', '10.0.0.1', '[::1]', '192.168.7.7']) {
      const location = receiver.url('/private', '127.0.0.1').replace('127.0.0.1', host)
      const { event_id } = await notifyWith(() => ({ status: 307, headers: { location } }))
      const { attempts } = (await notificationOf(event_id)).attributes
      assert.equal(attempts[0]?.failure, 'address_refused', host)
    }
    assert.deepEqual(
      receiver.requests.filter((a) => a.path === '/private'),
      [],
    )
  })

  test('a URL that resolves to a private address is never called', async () => {
    const { path, event_id } = await notify(account, '127.0.0.2')
    await advance('4 days')
    const { status, attempts } = (await notificationOf(event_id)).attributes
    assert.equal(status, 'failed')
    assert.equal(attempts.length, 10)
    assert.ok(attempts.every((a) => a.failure === 'address_refused'))
    assert.deepEqual(
      receiver.requests.filter((a) => a.path === path),
      [],
    )
  })
})

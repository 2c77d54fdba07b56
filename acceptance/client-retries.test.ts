import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inspect } from 'node:util'
import {
  ConnectionError,
  ConflictError,
  DemarcError,
  NotReadyError,
  RateLimitedError,
  ResponseTimeoutError,
  createDemarcClient,
  requestPath,
  type RetryEvent,
} from '@demarc/client'
import { startFailingServer, type Planned } from './support/failing-server.ts'

/** How the client handles failing requests, tested against a server that fails on demand. */

const server = await startFailingServer()
const { base_url } = server
const quick = { base_ms: 2, max_ms: 4 }
const events: RetryEvent[] = []
const client = createDemarcClient({ base_url, retry: quick, on_retry: (event) => events.push(event) })
const ok = { status: 200, body: { data: [], links: { self: 'x' } } }
const cnam = { body: { value: 'Harbor Dental' } }

function plan(...responses: Planned[]): void {
  events.length = 0
  server.plan(...responses)
}

const keysOf = () => server.arrived.map(({ headers }) => headers['idempotency-key'])

/** The error that a failing request throws. */
const failure = <E extends Error>(request: Promise<unknown>, kind: new (...args: never[]) => E): Promise<E> =>
  request.then(
    () => assert.fail('the request succeeded'),
    (error: unknown) => (error instanceof kind ? error : assert.fail(String(error))),
  )

for (const [name, response] of [
  ['429', { status: 429 }],
  ['503', { status: 503 }],
  ['408', { status: 408 }],
  ['502 of a proxy', { status: 502, body: '<html>' }],
  ['a lost connection', 'reset'],
] as const)
  test(`after ${name} a read is retried, and so is a change, with the same key`, async () => {
    plan(response, response, ok)
    assert.equal((await client.listNumbers()).status, 200)
    assert.deepEqual(keysOf(), [undefined, undefined, undefined])
    assert.deepEqual(
      events.map(({ operation, attempt }) => [operation, attempt]),
      [
        ['listNumbers', 1],
        ['listNumbers', 2],
      ],
    )
    plan(response, response, { status: 201, body: {} })
    await client.createCnam(cnam)
    const [key, ...others] = keysOf()
    assert.match(String(key), /^[0-9a-f]{32}$/)
    assert.deepEqual(others, [key, key])
    assert.equal(new Set(server.arrived.map(({ body }) => body)).size, 1)
    plan(ok)
    await client.createCnam(cnam)
    assert.notEqual(keysOf()[0], key, 'another request has another key')
  })

test('a key passed by the caller is sent unchanged', async () => {
  plan('reset', { status: 201, body: {} })
  await client.createCnam(cnam, { idempotency_key: 'order-4711-cnam' })
  assert.deepEqual(keysOf(), ['order-4711-cnam', 'order-4711-cnam'])
})

test('a check by POST changes nothing, so it is retried without a key', async () => {
  plan('reset', { status: 200, body: {} })
  await client.checkPortOrder({ params: { portorder_id: '1' } })
  assert.deepEqual(keysOf(), [undefined, undefined])
})

for (const status of [400, 401, 403, 404, 409, 410, 413, 415, 422, 500, 507])
  test(`${status} is thrown without a retry`, async () => {
    plan({ status })
    const error = await failure(client.createCnam(cnam), DemarcError)
    assert.deepEqual([error.status, error.attempts, server.arrived.length], [status, 1, 1])
  })

test('a 409 with Retry-After means the first attempt is still in progress, and the client waits for it', async () => {
  plan({ status: 409, headers: { 'retry-after': '0' } }, { status: 201, body: {} })
  assert.equal((await client.createCnam(cnam)).status, 201)
  // without a key there is no other request to wait for
  plan({ status: 409, headers: { 'retry-after': '0' } })
  await failure(client.deleteCnam({ params: { cnam_id: '1' } }), ConflictError)
  assert.equal(server.arrived.length, 1)
})

test('an operation that manages its own transactions is retried after a refusal, never after an unknown outcome', async () => {
  const move = { body: { advance: '1 hour' } } as const
  plan({ status: 503 }, { status: 200, body: {} })
  await client.moveClock(move)
  assert.equal(server.arrived.length, 2)
  plan('reset')
  await failure(client.moveClock(move), ConnectionError)
  assert.equal(server.arrived.length, 1)
})

test('a stream cannot be sent twice, but a string can', async () => {
  const upload = { content_type: 'application/x-ndjson', query: { mapping: 'x' } }
  plan({ status: 503 }, { status: 200, body: {} })
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(new TextEncoder().encode('{}\n'))
      controller.close()
    },
  })
  await failure(client.ingestCdrs({ ...upload, body }), NotReadyError)
  assert.equal(server.arrived.length, 1)
  assert.deepEqual(keysOf(), [undefined], 'a key is of no use to a request that is sent once')
  plan({ status: 503 }, 'reset', { status: 200, body: {} })
  await client.ingestCdrs({ ...upload, body: '{}\n' })
  assert.deepEqual(
    server.arrived.map(({ body }) => body),
    ['{}\n', '{}\n', '{}\n'],
  )
})

test('a health check returns any response, including a 503', async () => {
  plan({ status: 503 })
  await failure(client.ready(), NotReadyError)
  assert.equal(server.arrived.length, 1)
})

test('attempts are limited, and the error has their number and their key', async () => {
  plan({ status: 503, headers: { 'x-request-id': 'r-1' } })
  const refused = await failure(client.createCnam(cnam), NotReadyError)
  assert.deepEqual([refused.attempts, server.arrived.length, refused.request_id], [4, 4, 'r-1'])
  assert.equal(refused.idempotency_key, keysOf()[0])
  plan('reset')
  const lost = await failure(client.listNumbers({}, { retry: { ...quick, attempts: 2 } }), ConnectionError)
  assert.deepEqual([lost.attempts, server.arrived.length], [2, 2])
  assert.match(lost.message, /^listNumbers: no response from http:\/\/127\.0\.0\.1:\d+\/v2\/numbers, tried 2 times: /)
})

test('Retry-After overrides the client’s own delay, but not beyond the total time', async () => {
  plan({ status: 429, headers: { 'retry-after': '1' } }, ok)
  const began = performance.now()
  await client.listNumbers()
  // a timer can fire a fraction of a millisecond early
  assert.ok(performance.now() - began >= 999)
  plan({ status: 429, headers: { 'retry-after': '3600' } })
  const error = await failure(client.listNumbers(), RateLimitedError)
  assert.deepEqual([error.attempts, error.retry_after_s], [1, 3600])
  assert.equal(error.remedy, 'Send the request again in 3600 s.')
})

test('delays double up to the maximum and have jitter', async () => {
  plan({ status: 503 })
  await failure(client.listNumbers({}, { retry: { attempts: 8, base_ms: 2, max_ms: 16 } }), NotReadyError)
  assert.equal(events.length, 7)
  events.forEach(({ wait_ms }, index) => {
    const longest = Math.min(16, 2 * 2 ** index)
    assert.ok(wait_ms >= longest / 2 - 0.5 && wait_ms <= longest, `${wait_ms} of ${longest}`)
  })
})

test('retries can be switched off, and then no key is generated', async () => {
  const single = createDemarcClient({ base_url, retry: false })
  plan({ status: 503 })
  await failure(single.createCnam(cnam), NotReadyError)
  assert.deepEqual(keysOf(), [undefined])
  await failure(client.createCnam(cnam, { retry: false }), NotReadyError)
  assert.deepEqual(keysOf(), [undefined, undefined])
})

test('a request times out with an error that states the timeout', async () => {
  plan('hang')
  const error = await failure(client.listNumbers({}, { timeout_ms: 300, retry: false }), ResponseTimeoutError)
  assert.equal(error.timeout_ms, 300)
  assert.match(error.message, /it took longer than 0\.3 s$/)
  // the timeout applies to each attempt
  plan('hang', ok)
  assert.equal((await client.listNumbers({}, { timeout_ms: 300 })).status, 200)
  // a response that stalls halfway counts as well
  plan((_, response) => response.writeHead(200).write('{"data":'))
  await failure(client.listNumbers({}, { timeout_ms: 300, retry: false }), ResponseTimeoutError)
})

test('an abort ends a request, a wait, and everything after it, with its reason', async () => {
  const reason = new Error('the page was left')
  const atRequest = new AbortController()
  plan(() => atRequest.abort(reason))
  await assert.rejects(client.listNumbers({}, { signal: atRequest.signal }), reason)
  const atWait = new AbortController()
  const waiting = createDemarcClient({ base_url, on_retry: () => atWait.abort(reason) })
  plan({ status: 429, headers: { 'retry-after': '30' } })
  await assert.rejects(waiting.listNumbers({}, { signal: atWait.signal }), reason)
  assert.equal(server.arrived.length, 1)
  const before = AbortSignal.abort(reason)
  await assert.rejects(client.listNumbers({}, { signal: before }), reason)
  assert.equal(server.arrived.length, 1)
})

test('if nothing is listening, the error has the URL, the reason, and the remedy', async () => {
  const gone = await startFailingServer()
  await gone.close()
  const error = await failure(
    createDemarcClient({ base_url: gone.base_url, retry: quick }).getSigningSecret(),
    ConnectionError,
  )
  assert.equal(error.url, `${gone.base_url}/v2/notifications/signing_secret`)
  assert.match(error.message, /ECONNREFUSED/)
  assert.equal(error.remedy, `Check that the service runs and can be reached at ${gone.base_url}.`)
})

test('a path or an id that would change the target is refused before anything is sent', async () => {
  plan(ok)
  for (const path of ['.evil.example/', 'v2/numbers', 'http://evil.example/'])
    await assert.rejects(requestPath({ base_url }, 'GET', path), /TypeError: The path must begin with a slash/)
  for (const cnam_id of ['.', '..'])
    await assert.rejects(
      client.deleteCnam({ params: { cnam_id } }),
      /TypeError: deleteCnam: params\.cnam_id is \.+, and must/,
    )
  const none = {} as { cnam_id: string } // as a program without types calls it
  await assert.rejects(client.deleteCnam({ params: none }), /params\.cnam_id is undefined/)
  assert.equal(server.arrived.length, 0)
})

test('no error contains the secret key', async () => {
  const credentials = { access_key: 'ak', secret_key: 'canary' }
  const signed = createDemarcClient({ base_url, credentials, retry: false })
  for (const response of [{ status: 401 }, 'reset'] as const) {
    plan(response)
    const error = await failure(signed.listNumbers(), Error)
    const shown = inspect(error, { depth: 9, showHidden: true })
    assert.doesNotMatch(shown, /canary/)
    assert.ok(!shown.includes(btoa('ak:canary')))
  }
})

test('the error for a page that is not this service says so, and no message contains a link’s signature', async () => {
  plan({ status: 200, headers: { 'content-type': 'text/html' }, body: '<html>' })
  const error = await failure(client.listNumbers({}, { retry: false }), ConnectionError)
  assert.match(error.message, /the response is not from the service/)
  plan({ status: 410 })
  const link = { params: { export_id: '2' }, query: { signature: 'c0ffee' } }
  const expired = await failure(client.getCdrExportFile(link), DemarcError)
  assert.equal(expired.url, `${base_url}/v2/cdrs/exports/2/file`)
})

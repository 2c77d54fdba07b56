import assert from 'node:assert/strict'
import { once } from 'node:events'
import net from 'node:net'
import { test } from 'node:test'
import { accounts, health, operation } from '@demarc/client'
import { z } from 'zod'
import { bind } from '../../src/platform/http/binding.ts'
import { startBareServer } from '../support/bare-server.ts'
import { startTestServer } from '../support/server.ts'
import { exchange, requestBytes, type RawResponse } from '../support/socket.ts'
import { eventually } from '../support/eventually.ts'
import { basic, checkedResponse, reason, refused } from '../support/wire.ts'

const server = await startTestServer()
const { access_key, secret_key } = server.account.credentials
const authorization = basic(access_key, secret_key)
const whoami = requestBytes('GET /v2/whoami', { authorization })
const last = requestBytes('GET /v2/whoami', { authorization, connection: 'close' })

/** The only response to these bytes, after which the server closes the connection. */
async function only(base_url: string, ...pieces: (string | Buffer)[]): Promise<RawResponse> {
  const responses = await exchange(base_url, ...pieces)
  assert.equal(responses.length, 1, `${String(pieces[0]).slice(0, 60)} has one response`)
  return responses[0] as RawResponse // just counted
}

test('bytes that are not HTTP get a 400 in the common error format, and the connection is closed', async () => {
  const grid = [
    'hello\r\n\r\n',
    '\0\0\0\0\r\n\r\n',
    '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    'GET /v2/whoami HTTP/9.9\r\nHost: a\r\n\r\n',
    'FOO /v2/whoami HTTP/1.1\r\nHost: a\r\n\r\n',
    'get /v2/whoami HTTP/1.1\r\nHost: a\r\n\r\n',
    'GET /v2/who ami HTTP/1.1\r\nHost: a\r\n\r\n',
    'GET /v2/\u00e9 HTTP/1.1\r\nHost: a\r\n\r\n',
    'GET /v2/whoami HTTP/1.1\r\nHost : a\r\n\r\n',
    'GET /v2/whoami HTTP/1.1\r\nHost: a\r\nX: a\0b\r\n\r\n',
    'POST /v2/cnams HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n',
    'POST /v2/cnams HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}',
    'POST /v2/cnams HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    `POST /v2/cnams HTTP/1.1\r\nHost: a\r\nAuthorization: ${authorization}\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`,
  ]
  for (const bytes of grid) {
    const response = checkedResponse(await only(server.base_url, Buffer.from(bytes, 'latin1')))
    refused(response, 400)
    assert.equal(response.headers['connection'], 'close')
    assert.equal(response.headers['content-type'], 'application/json')
  }
})

test('a request without Host is a 400 in HTTP/1.1, and fine in 1.0', async () => {
  const lines = `Authorization: ${authorization}\r\nConnection: close\r\n\r\n`
  refused(checkedResponse(await only(server.base_url, `GET /v2/whoami HTTP/1.1\r\n${lines}`)), 400)
  assert.equal((await only(server.base_url, `GET /v2/whoami HTTP/1.0\r\n${lines}`)).status, 200)
})

test('framing that a proxy may read differently is a 400, and the connection is closed', async () => {
  const grid: [string, RegExp][] = [
    ['GET /v2/whoami HTTP/1.1\r\nHost: a\r\nHost: b', /more than one Host/],
    ['GET /v2/whoami HTTP/1.1\r\nHost: a\r\nhost: a', /more than one Host/],
    ['GET /v2/whoami HTTP/2.0\r\nHost: a', /HTTP\/2\.0 is not supported/],
    ['GET /v2/whoami HTTP/0.9\r\nHost: a', /HTTP\/0\.9 is not supported/],
    ['POST /v2/cnams HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked', /only supported Transfer-Encoding/],
    ['POST /v2/cnams HTTP/1.0\r\nTransfer-Encoding: chunked', /HTTP\/1\.0 does not support Transfer-Encoding/],
  ]
  for (const [head, expected] of grid) {
    // the second request must get no response: the end of the first is ambiguous
    const bytes = `${head}\r\nAuthorization: ${authorization}\r\n\r\n0\r\n\r\n`
    const response = checkedResponse(await only(server.base_url, bytes, whoami))
    assert.match(reason(response, 400), expected, head)
    assert.equal(response.headers['connection'], 'close')
  }
})

test('headers or a request line that are too large get a 431', async () => {
  const much = 'a'.repeat(17_000)
  const many = Object.fromEntries(Array.from({ length: 400 }, (_, i) => [`x-${i}`, 'a'.repeat(40)]))
  for (const request of [
    requestBytes('GET /v2/cnams', { authorization, 'x-much': much }),
    requestBytes('GET /v2/cnams', { authorization, ...many }),
    requestBytes(`GET /v2/cnams?value=${much}`, { authorization }),
  ])
    refused(checkedResponse(await only(server.base_url, request)), 431)
})

test('CONNECT is a 405, an unknown expectation is ignored, an unsupported upgrade is a plain request', async () => {
  refused(checkedResponse(await only(server.base_url, requestBytes('CONNECT example.com:443'))), 405)
  for (const headers of [
    { expect: 'magic' },
    { expect: '100-continue' },
    { upgrade: 'websocket', connection: 'upgrade, close' },
  ])
    assert.equal(
      (await only(server.base_url, requestBytes('GET /v2/whoami', { connection: 'close', authorization, ...headers })))
        .status,
      200,
    )
})

test('pipelined requests get their responses in order', async () => {
  const paths = ['/v2/whoami', '/nope', '/v2/cnams', '/health/live', '/v2/cnams/999', '/v2/numbers']
  const requests = [...paths.map((path) => requestBytes(`GET ${path}`, { authorization })), last]
  const statuses = (await exchange(server.base_url, Buffer.concat(requests))).map((a) => checkedResponse(a).status)
  assert.deepEqual(statuses, [200, 404, 200, 200, 404, 200, 200])
})

test('invalid bytes after pipelined requests do not prevent their responses', async () => {
  const bytes = Buffer.concat([
    whoami,
    requestBytes('GET /v2/cnams', { authorization }),
    Buffer.from('garbage\r\n\r\n'),
  ])
  const statuses = (await exchange(server.base_url, bytes)).map((a) => checkedResponse(a).status)
  assert.deepEqual(statuses, [200, 200, 400])
})

test('a request may arrive byte by byte', async () => {
  const bytes = [...last].map((byte) => Buffer.from([byte]))
  assert.equal((await only(server.base_url, ...bytes)).status, 200)
})

test('headers that do not arrive in time get a 408', async () => {
  const base_url = await startBareServer(
    server.runtime,
    [bind(health.live, async () => ({ body: { status: 'live' as const, version: '', commit: null } }))],
    {
      limits: { headers_timeout_ms: 150, check_ms: 50 },
    },
  )
  const response = checkedResponse(await only(base_url, 'GET /health/live HTTP/1.1\r\nHost: a\r\nX-Slow'))
  assert.equal(refused(response, 408).title, 'Request timeout')
  assert.equal(response.headers['connection'], 'close')
})

test('a request that arrives after its timeout response is not executed', async () => {
  let done = 0
  const live = bind(health.live, async () => {
    done += 1
    return { body: { status: 'live' as const, version: '', commit: null } }
  })
  const base_url = await startBareServer(server.runtime, [live], { limits: { headers_timeout_ms: 150, check_ms: 50 } })
  // like a kept-alive connection whose client learns of its end only after sending a request
  const socket = net.connect({ port: Number(new URL(base_url).port), host: '127.0.0.1', allowHalfOpen: true })
  const [refusal] = (await once(socket, 'data')) as [Buffer]
  assert.match(refusal.toString(), /^HTTP\/1.1 408 /)
  socket.on('error', () => undefined).resume()
  socket.end('GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n')
  await once(socket, 'close')
  // earlier bytes have been read by now; on a busy machine this may come late too
  await eventually(async () => (await fetch(`${base_url}/health/live`)).ok)
  assert.equal(done, 1)
})

const createAccount = bind(accounts.createAccount, async () => assert.fail('the body never arrives'))
const operator = { authorization: 'operator', 'content-length': '100' }

test('a body that does not arrive in time gets a 408, and the connection is closed when it still does not arrive', async () => {
  const limits = { body_timeout_ms: 100, linger_ms: 100 }
  const base_url = await startBareServer(server.runtime, [createAccount], { limits })
  for (const body of ['', '{"name":']) {
    const response = checkedResponse(await only(base_url, requestBytes('POST /operator/accounts', operator, body)))
    assert.equal(refused(response, 408).title, 'Request timeout')
  }
})

test('a refused request whose body never arrives does not keep its connection open', async () => {
  const base_url = await startBareServer(server.runtime, [createAccount], { limits: { linger_ms: 100 } })
  for (const [line, headers, status] of [
    ['POST /operator/accounts', { 'content-length': '100' }, 401],
    ['POST /operator/accounts', { ...operator, 'content-length': '20001' }, 413],
    ['POST /nope', operator, 404],
    ['PUT /operator/accounts', operator, 405],
  ] as const)
    refused(checkedResponse(await only(base_url, requestBytes(line, headers, ''))), status)
})

test('a client whose connection is closed can send its whole body after an early refusal', async () => {
  const base_url = await startBareServer(server.runtime, [createAccount])
  // far more than sockets buffer, so the server must read it
  const piece = Buffer.alloc(1_048_576)
  const close = { connection: 'close' }
  const length = { 'content-length': String(32 * piece.length) }
  for (const [line, headers, status, version] of [
    ['POST /operator/accounts', close, 401, '1.1'],
    ['POST /operator/accounts', { ...operator, ...close }, 413, '1.1'],
    ['POST /nope', close, 404, '1.1'],
    ['POST /nope', {}, 404, '1.0'],
  ] as const) {
    const { hostname, port } = new URL(base_url)
    const socket = net.connect(Number(port), hostname)
    const ended = once(socket, 'close')
    socket.write(
      requestBytes(line, { ...headers, ...length })
        .toString()
        .replace('HTTP/1.1', `HTTP/${version}`),
    )
    const [response] = (await once(socket, 'data')) as [Buffer]
    assert.match(response.toString(), new RegExp(`^HTTP/1.1 ${status} .*\r\nconnection: close\r\n.*]}$`, 'is'))
    for (let sent = 0; sent < 32; sent += 1)
      await new Promise<void>((resolve, reject) => socket.write(piece, (error) => (error ? reject(error) : resolve())))
    await ended
  }
})

test('a client that disconnects in the middle of its body leaves nothing behind', async () => {
  const upload = operation({
    ...accounts.createAccount,
    body: { bytes: ['text/plain'] },
    responses: { 201: { description: 'Read.', body: z.object({}) } },
    effect: 'own',
  })
  const seen: unknown[] = []
  let begun = 0
  const base_url = await startBareServer(server.runtime, [
    bind(upload, async ({ stream }) => {
      try {
        for await (const _ of stream) begun += 1
      } catch (error) {
        seen.push(error)
        throw error
      }
      return { body: {} }
    }),
  ])
  const { hostname, port } = new URL(base_url)
  const headers = { ...operator, 'content-type': 'text/plain' }
  for (const key of [{}, { 'idempotency-key': 'hang-up' }]) {
    const socket = net.connect(Number(port), hostname)
    await once(socket, 'connect')
    const before = { begun, seen: seen.length }
    socket.on('error', () => undefined)
    socket.write(requestBytes('POST /operator/accounts', { ...headers, ...key }, 'begun'))
    await eventually(async () => begun > before.begun)
    socket.destroy()
    await eventually(async () => seen.length > before.seen)
  }
  const claims = server.db.selectFrom('idempotency_key').select('key').where('key', '=', 'hang-up')
  await eventually(async () => (await claims.execute()).length === 0)
})

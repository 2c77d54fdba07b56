import assert from 'node:assert/strict'
import { test } from 'node:test'
import { failureLimits } from '../../src/accounts/authenticate.ts'
import { networkOf } from '../../src/platform/rate-limit.ts'
import { startTestServer } from '../support/server.ts'
import { exchange } from '../support/socket.ts'
import { basic, reason, refused, wire, type WireResponse } from '../support/wire.ts'

const proxied = { DEMARC_TRUST_PROXY: '127.0.0.1' }

test('a response has the remaining requests, and requests beyond the limit are a 429 with Retry-After', async () => {
  const server = await startTestServer({ env: { DEMARC_REQUESTS_PER_MINUTE: '5' } })
  const send = wire(server.base_url, server.account.credentials)
  const seen = []
  for (const path of ['/v2/whoami', '/v2/cnams', '/v2/cnams/999', '/v2/cnams?limit=x', '/v2/whoami'])
    seen.push((await send(`GET ${path}`)).headers)
  assert.deepEqual(new Set(seen.map((h) => h['ratelimit-policy'])), new Set(['"requests";q=5;w=60']))
  assert.deepEqual(
    seen.map((h) => /^"requests";r=(\d+);t=\d+$/.exec(h['ratelimit'] ?? '')?.[1]),
    ['4', '3', '2', '1', '0'],
  )
  const refusal = await send('GET /v2/whoami')
  assert.equal(refused(refusal, 429).title, 'Too many requests')
  const wait_s = Number(refusal.headers['retry-after'])
  assert.ok(wait_s >= 1 && wait_s <= 60)
  assert.equal(refusal.headers['ratelimit'], `"requests";r=0;t=${wait_s}`)
})

test('the limit is per key, or per address without a key', async () => {
  const server = await startTestServer({ env: { DEMARC_REQUESTS_PER_MINUTE: '2', ...proxied } })
  const statuses = async (send: () => Promise<WireResponse>, times: number) => {
    const found = []
    for (let i = 0; i < times; i++) found.push((await send()).status)
    return found
  }
  for (const { credentials } of [server.account, server.other, { credentials: server.operator_credentials }])
    assert.deepEqual(await statuses(() => wire(server.base_url, credentials)('GET /v2/whoami'), 3), [200, 200, 429])
  const from = (address: string) => () =>
    wire(server.base_url)('GET /health/live', { headers: { 'x-forwarded-for': address } })
  assert.deepEqual(await statuses(from('198.51.100.7'), 3), [200, 200, 429])
  assert.deepEqual(await statuses(from('198.51.100.8'), 1), [200])
  // the addresses of one /64 count together
  const fresh = ['2001:db8::1', '2001:db8:0:0:1::', '2001:db8::ffff:0:0:1'].map((address) => from(address)())
  assert.deepEqual(
    (await Promise.all(fresh)).map((response) => response.status).toSorted((a, b) => a - b),
    [200, 200, 429],
  )
})

test('every path counts, existing or not, by address if there is no key', async () => {
  const lines = [
    'GET /nope',
    'POST /v2/whoami',
    'GET /v2/e911s/validate',
    'OPTIONS /v2/cnams',
    'GET /v2/cnams/%zz',
    'GET /',
    'GET /metrics',
    'GET /openapi.json',
    'GET /docs',
    'GET /docs/static/index.css',
    'GET /docs/static/nope.css',
    'GET /docs/static/%2e%2e',
  ]
  const server = await startTestServer({ env: { DEMARC_REQUESTS_PER_MINUTE: '1', ...proxied } })
  for (const [i, line] of lines.entries()) {
    const headers = { 'x-forwarded-for': `198.51.100.${i}` }
    const first = await wire(server.base_url)(line, { headers })
    assert.ok(first.status < 500 && first.status !== 429, `${line} is a ${first.status}`)
    const second = await wire(server.base_url)(line, { headers })
    assert.equal(refused(second, 429).title, 'Too many requests', line)
    assert.ok(Number(second.headers['retry-after']) >= 1)
  }
})

test('bytes that are not a request count too', async () => {
  const server = await startTestServer({ env: { DEMARC_REQUESTS_PER_MINUTE: '2' } })
  const statuses = []
  for (const bytes of ['hello\r\n\r\n', 'GET /nope HTTP/1.1\r\n\r\n', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'])
    statuses.push(...(await exchange(server.base_url, bytes)).map(({ status }) => status))
  assert.deepEqual(statuses, [400, 400, 429])
})

test('health checks have a separate limit, so that a throttled address does not see a failing service', async () => {
  const server = await startTestServer({ env: { DEMARC_REQUESTS_PER_MINUTE: '2' } })
  const send = wire(server.base_url)
  for (let i = 0; i < 2; i++) refused(await send('GET /nope'), 404)
  refused(await send('GET /nope'), 429)
  for (let i = 0; i < 2; i++) assert.equal((await send('GET /health/live')).status, 200)
  assert.equal((await send('GET /health/live')).headers['ratelimit-policy'], '"health";q=2;w=60')
})

test('documentation pages, which are far larger than requests for them, have a lower limit', async () => {
  const server = await startTestServer()
  const first = await wire(server.base_url)('GET /openapi.json')
  assert.equal(first.headers['ratelimit-policy'], '"pages";q=600;w=60')
})

test('failed sign-ins are limited per key, and a correct secret still passes', async () => {
  const server = await startTestServer()
  const { access_key, secret_key } = server.account.credentials
  const guess = (key: string, secret: string) =>
    wire(server.base_url)('GET /v2/whoami', { headers: { authorization: basic(key, secret) } })
  for (let i = 0; i < failureLimits.by_key.points; i++) refused(await guess(access_key, `guess ${i}`), 401)
  const refusal = await guess(access_key, 'one more')
  assert.match(reason(refusal, 429), /failed sign-ins/)
  assert.ok(Number(refusal.headers['retry-after']) >= 1 && Number(refusal.headers['retry-after']) <= 60)
  assert.equal((await guess(access_key, secret_key)).status, 200, 'a stranger who guesses locks nobody out')
  refused(await guess('akAnotherAnother00', 'x'), 401)
})

test('failed sign-ins are limited per address, regardless of the keys', async () => {
  const server = await startTestServer({ env: proxied })
  const { credentials } = server.account
  const guess = (address: string, key: string, secret = 'x') =>
    wire(server.base_url)('GET /v2/whoami', {
      headers: { authorization: basic(key, secret), 'x-forwarded-for': address },
    })
  for (let i = 0; i < failureLimits.by_address.points; i++) refused(await guess('198.51.100.9', `akGuess${i}`), 401)
  refused(await guess('198.51.100.9', 'akOneMore'), 429)
  assert.equal((await guess('198.51.100.9', credentials.access_key, credentials.secret_key)).status, 200)
  refused(await guess('198.51.100.10', 'akOneMore'), 401)
})

test('an X-Forwarded-For header is ignored unless it comes from a trusted proxy', async () => {
  const server = await startTestServer({ env: { DEMARC_REQUESTS_PER_MINUTE: '2' } })
  const from = (address: string) =>
    wire(server.base_url)('GET /health/live', { headers: { 'x-forwarded-for': address } })
  await from('198.51.100.1')
  await from('198.51.100.2')
  refused(await from('198.51.100.3'), 429)
})

test('an IPv6 address counts by its /64, and an IPv4-mapped one as IPv4', () => {
  const grid = [
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::1', '0:0:0:0::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::', '2001:db8:1:2::/64'],
    ['2001::3:4:5:6:7', '2001:0:0:3::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['unknown', 'unknown'],
  ] as const
  for (const [address, network] of grid) assert.equal(networkOf(address), network)
})

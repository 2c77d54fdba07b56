import assert from 'node:assert/strict'
import { test } from 'node:test'
import { failureLimits } from '../../src/accounts/authenticate.ts'
import { networkOf } from '../../src/platform/rate-limit.ts'
import { startTestServer } from '../support/server.ts'
import { basic, reason, refused, wire, type WireResponse } from '../support/wire.ts'

const proxied = { DEMARC_TRUST_PROXY: '127.0.0.1' }

test('a response has the remaining requests of the limit, and beyond it is a 429 with Retry-After', async () => {
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

test('the limit is per key, and per address where there is no key', async () => {
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

test('failed sign-ins are limited for a key, and a correct secret still passes', async () => {
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

test('failed sign-ins are limited for an address, whatever keys it tries', async () => {
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

test('an X-Forwarded-For that comes from no trusted proxy is ignored', async () => {
  const server = await startTestServer({ env: { DEMARC_REQUESTS_PER_MINUTE: '2' } })
  const from = (address: string) =>
    wire(server.base_url)('GET /health/live', { headers: { 'x-forwarded-for': address } })
  await from('198.51.100.1')
  await from('198.51.100.2')
  refused(await from('198.51.100.3'), 429)
})

test('an IPv6 address counts with its /64, a mapped one as IPv4', () => {
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

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { failureLimits } from '../../src/accounts/authenticate.ts'
import { attemptLimits } from '../../src/people/sign-in/throttle.ts'
import { joined } from '../support/people.ts'
import { startSecondApp } from '../support/second-app.ts'
import { startTestServer } from '../support/server.ts'
import { basic, wire, type WireResponse } from '../support/wire.ts'

/** Limits hold for two API processes together, also for concurrent requests. */

const server = await startTestServer({ env: { DEMARC_REQUESTS_PER_MINUTE: '90', DEMARC_TRUST_PROXY: '127.0.0.1' } })
const second = await startSecondApp(server)
const urls = [server.base_url, second.base_url]

/** The number of responses with each status, of requests that alternate between the processes. */
async function statuses(count: number, send: (base_url: string, n: number) => Promise<WireResponse>) {
  const responses = await Promise.all(Array.from({ length: count }, (_, n) => send(urls[n % 2] ?? assert.fail(), n)))
  const found: Record<number, number> = {}
  for (const { status } of responses) found[status] = (found[status] ?? 0) + 1
  return found
}

test('requests of a key', async () => {
  const whoami = (base_url: string) => wire(base_url, server.account.credentials)('GET /v2/whoami')
  const first = await whoami(server.base_url)
  assert.match(first.headers['ratelimit'] ?? '', /r=89;/)
  assert.match((await whoami(second.base_url)).headers['ratelimit'] ?? '', /r=88;/)
  assert.match((await whoami(server.base_url)).headers['ratelimit'] ?? '', /r=87;/)
  assert.deepEqual(await statuses(180, whoami), { 200: 87, 429: 93 })
})

test('wrong passwords', async () => {
  await joined(server, 'guessed@people.example', { account_id: server.account.id, role: 'manager' })
  const { points } = attemptLimits.account_at_address
  const guess = (base_url: string) =>
    wire(base_url)('POST /v2/sign_in', {
      body: JSON.stringify({ email: 'guessed@people.example', password: 'a wrong password' }),
      headers: { 'x-forwarded-for': '203.0.113.7' },
    })
  assert.deepEqual(await statuses(2 * points, guess), { 401: points, 429: points })
})

test('wrong secrets, per key and per address', async () => {
  const guess = (access_key: string, address: string) => (base_url: string) =>
    wire(base_url)('GET /v2/whoami', {
      headers: { authorization: basic(access_key, 'x'), 'x-forwarded-for': address },
    })
  const { by_key, by_address } = failureLimits
  const { access_key } = server.operator_credentials
  assert.deepEqual(await statuses(2 * by_key.points, guess(access_key, '198.51.100.1')), {
    401: by_key.points,
    429: by_key.points,
  })
  const many = (base_url: string, n: number) => guess(`akGuess${n}`, '198.51.100.2')(base_url)
  assert.deepEqual(await statuses(2 * by_address.points, many), { 401: by_address.points, 429: by_address.points })
})

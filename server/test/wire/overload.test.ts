import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accounts, health } from '@demarc/client'
import { bind } from '../../src/platform/http/binding.ts'
import { startBareServer } from '../support/bare-server.ts'
import { reason, wire } from '../support/wire.ts'
import { startTestServer } from '../support/server.ts'

const { runtime } = await startTestServer()

test('an overloaded service refuses requests before doing any work, except health checks', async () => {
  let overloaded = true
  let refusals = 0
  let authentications = 0
  const base_url = await startBareServer(
    runtime,
    [
      bind(health.live, async () => ({ body: { status: 'live' as const, version: '', commit: null } })),
      bind(accounts.listAccounts, async () => ({ body: { data: [], links: { self: '' } } })),
    ],
    {
      isOverloaded: () => overloaded,
      observeRefusal: () => (refusals += 1),
      async authenticate() {
        authentications += 1
        return { kind: 'operator', account_id: null, key_id: '1', access_key: 'oktest', scopes: ['write'] }
      },
    },
  )
  const send = wire(base_url)
  const refused = await send('GET /operator/accounts')
  assert.match(reason(refused, 503), /more requests than it can work on/)
  assert.equal(refused.headers['retry-after'], '2')
  assert.ok(refused.headers['x-request-id'])
  assert.deepEqual([refusals, authentications], [1, 0])
  assert.equal((await send('GET /health/live')).status, 200)
  overloaded = false
  assert.equal((await send('GET /operator/accounts')).status, 200)
  assert.deepEqual([refusals, authentications], [1, 1])
})

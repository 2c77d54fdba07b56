import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAuthentication } from '../../src/accounts/index.ts'
import { Problem } from '../../src/platform/problem.ts'
import { boundedKey } from '../../src/platform/window-counts.ts'
import { startTestServer, type TestAccount } from '../support/server.ts'
import { startSecondApp } from '../support/second-app.ts'
import { basic, reason, refused, wire, withoutIds } from '../support/wire.ts'

const server = await startTestServer()
const { base_url: second_url } = await startSecondApp(server)
const { access_key, secret_key } = server.account.credentials
const anonymous = wire(server.base_url)
const whoami = (authorization: string) => anonymous('GET /v2/whoami', { headers: { authorization } })
const encoded = (text: string) => Buffer.from(text).toString('base64')

/** Another key of the account. */
async function newKey(account: TestAccount, input: { expires_at?: string } = {}) {
  const params = { account_id: account.id }
  const { data } = (await server.operator.createKey({ params, body: { name: 'further', ...input } })).body
  return { id: data.id, send: (url: string) => wire(url, data.attributes)('GET /v2/whoami') }
}

test('Basic credentials are read in every form that RFC 7617 allows', async () => {
  const token = encoded(`${access_key}:${secret_key}`)
  for (const value of [`Basic ${token}`, `basic ${token}`, `BASIC   ${token}`, `Basic ${token.replace(/=+$/, '')}`])
    assert.equal((await whoami(value)).status, 200, value)
})

test('invalid credentials are a 401 that explains what to send', async () => {
  const token = encoded(`${access_key}:${secret_key}`)
  const missing = [
    token,
    `Bearer ${token}`,
    'Basic',
    'Basic ',
    'Basic !!',
    `Basic ${token} x`,
    `Basic ${encoded(access_key)}`,
    `Basic ${encoded(`:${secret_key}`)}`,
    'x',
  ]
  for (const value of [undefined, ...missing]) {
    const response = await anonymous('GET /v2/whoami', value === undefined ? {} : { headers: { authorization: value } })
    assert.equal(refused(response, 401).title, 'Unauthorized')
    assert.equal(response.headers['www-authenticate'], 'Basic realm="Demarc", charset="UTF-8"')
    assert.match(reason(response, 401), /^Authentication failed\. Send HTTP Basic credentials/)
  }
})

test('an unknown key, a wrong, an empty and a truncated secret, and special characters are refused alike', async () => {
  const expected = withoutIds(await whoami(basic('akUnknownUnknown00', secret_key)))
  assert.equal(expected.status, 401)
  const grid = [
    basic(access_key, `${secret_key}x`),
    basic(access_key, ''),
    basic(access_key, secret_key.slice(0, -1)),
    basic(access_key, ` ${secret_key}`),
    basic(access_key.toLowerCase(), secret_key),
    basic(`${access_key} `, secret_key),
    basic('ключ', 'секрет'),
    basic('a\0b', secret_key),
    basic("' or 1=1 --", secret_key),
    basic(access_key, '\0'),
    `Basic ${Buffer.from([0xff, 0x3a, 0xfe]).toString('base64')}`,
    basic('a'.repeat(500), 'b'),
  ]
  for (const value of grid) assert.deepEqual(withoutIds(await whoami(value)), expected, value)
})

/** Sign-in over the server's database, counting queries and comparisons. */
function countedSignIn() {
  const { deps } = server.runtime
  const work = { queries: 0, comparisons: 0 }
  const counting = {
    ...deps,
    db: deps.db.withPlugin({
      transformQuery({ node }) {
        work.queries += 1
        return node
      },
      transformResult: async ({ result }) => result,
    }),
    vault: {
      ...deps.vault,
      verifySecret(secret: string, hash: Uint8Array | null) {
        work.comparisons += 1
        return deps.vault.verifySecret(secret, hash)
      },
    },
  }
  const authentication = createAuthentication(counting)
  authentication.setSubscribed(true)
  const attempt = (key: string, secret: string, remote_ip = '192.0.2.1') =>
    authentication.authenticate(basic(key, secret), remote_ip, undefined)
  return { work, attempt, close: () => authentication.close() }
}

test('a refusal does the same work for a frequently used key, a rarely used one, a revoked one, and an unknown one', async () => {
  const { work, attempt, close } = countedSignIn()
  const seldom = (await server.newAccount('Seldom')).credentials
  const revoked = (await server.newAccount('Revoked')).credentials
  await server.db
    .updateTable('access_key')
    .set({ revoked_at: new Date() })
    .where('access_key', '=', revoked.access_key)
    .execute()
  await attempt(access_key, secret_key)
  await attempt(access_key, secret_key)
  assert.equal(work.queries, 1, 'a key in use is not looked up again')
  for (const key of [access_key, seldom.access_key, revoked.access_key, 'akUnknownUnknown00'])
    for (let i = 0; i < 3; i++) {
      Object.assign(work, { queries: 0, comparisons: 0 })
      await assert.rejects(attempt(key, 'wrong'), /Authentication failed/)
      assert.deepEqual(work, { queries: 2, comparisons: 2 }, key)
    }
  await close()
})

/** Starts a window of a limit that lasts this long, so that the test does not depend on the time. */
async function startWindow(limit: string, remote_ip: string, hours: number): Promise<void> {
  const { db, vault } = server.runtime.deps
  const window = { used: 0, resets_at: new Date(Date.now() + hours * 3_600_000) }
  await db
    .insertInto('window_count')
    .values({ key: boundedKey(vault, `failed_keys:${limit}`, remote_ip), ...window })
    .onConflict((conflict) => conflict.column('key').doUpdateSet(window))
    .execute()
}

test('guesses of an address cost five look-ups a second at most, and a client that was there before still signs in', async (t) => {
  const { work, attempt, close } = countedSignIn()
  const address = '192.0.2.3'
  const guess = async (i: number) => {
    const error: unknown = await attempt(`akUnknown${i}`, 'guess', address).catch((refusal: unknown) => refusal)
    return error instanceof Problem ? error.type : error
  }
  await attempt(access_key, secret_key, address)
  await startWindow('by_address', address, 2)
  await startWindow('lookups', address, 1)
  work.queries = 0
  const refusals = []
  for (let i = 0; i < 300; i++) refusals.push(await guess(i))
  assert.deepEqual(refusals, [
    ...Array.from({ length: 100 }, () => 'unauthorized'),
    ...Array.from({ length: 200 }, () => 'rate-limited'),
  ])
  // each look-up is also counted
  assert.equal(work.queries, 2 * 105)
  assert.equal((await attempt(access_key, secret_key, address)).kind, 'account', 'from the cache')
  // the window of look-ups ends, and so does the cache
  const later = performance.now() + 1.5 * 3_600_000
  t.mock.method(performance, 'now', () => later)
  await startWindow('lookups', address, 1)
  for (let i = 0; i < 50; i++) await guess(i)
  assert.equal(work.queries, 2 * 110)
  assert.equal((await attempt(access_key, secret_key, address)).kind, 'account')
  assert.equal(work.queries, 2 * 110 + 1)
  // a new client waits only at that address
  const { credentials } = server.other
  await assert.rejects(attempt(credentials.access_key, credentials.secret_key, address), /Too many failed sign-ins/)
  assert.ok(await attempt(credentials.access_key, credentials.secret_key, '192.0.2.2'))
  await close()
})

/** A cached key is valid for 30 s. The database's notification usually arrives much sooner, except on a busy machine. */
const before_expiry_ms = 25_000

test('a revoked key is refused immediately by the process that revoked it, and by others once the notification arrives', async () => {
  const key = await newKey(server.account)
  for (const url of [server.base_url, second_url]) assert.equal((await key.send(url)).status, 200)
  await server.operator.revokeKey({ params: { account_id: server.account.id, key_id: key.id } })
  refused(await key.send(server.base_url), 401)
  const end = performance.now() + before_expiry_ms
  while ((await key.send(second_url)).status === 200)
    assert.ok(performance.now() < end, 'the notification did not arrive')
  refused(await key.send(server.base_url), 401)
  refused(await key.send(second_url), 401)
})

test('a key revoked during many requests is refused from then on', async () => {
  const key = await newKey(server.account)
  const revoked = new AbortController()
  const sendRepeatedly = async (url: string) => {
    while (!revoked.signal.aborted) await key.send(url)
  }
  const sending = [server.base_url, second_url, server.base_url, second_url].map(sendRepeatedly)
  await key.send(second_url)
  await server.operator.revokeKey({ params: { account_id: server.account.id, key_id: key.id } })
  revoked.abort()
  await Promise.all(sending)
  const end = performance.now() + before_expiry_ms
  while ((await key.send(second_url)).status === 200) assert.ok(performance.now() < end, 'the cached key stays')
  for (const url of [server.base_url, second_url, server.base_url, second_url]) refused(await key.send(url), 401)
})

test('a key is refused exactly from its expiry', async () => {
  const expires_at = new Date(server.clock.now().getTime() + 3_600_000)
  const key = await newKey(server.account, { expires_at: expires_at.toISOString() })
  assert.equal((await key.send(server.base_url)).status, 200)
  await server.clock.advanceTo(expires_at)
  refused(await key.send(server.base_url), 401)
})

test('an expiry must be in the future, and a key cannot be revoked twice or by another account’s id', async () => {
  const { id } = server.account
  const create = (expires_at: string) =>
    wire(server.base_url, server.operator_credentials)(`POST /operator/accounts/${id}/keys`, {
      body: JSON.stringify({ name: 'x', expires_at }),
    })
  assert.deepEqual(refused(await create('2020-01-01T00:00:00Z'), 422).detail, {
    expires_at: ['Must be in the future.'],
  })
  for (const nonsense of ['tomorrow', '2099-01-01', '2099-01-01T00:00:00', ''])
    assert.match(JSON.stringify(refused(await create(nonsense), 422).detail), /ISO 8601/)
  const key = await newKey(server.account)
  const operator = wire(server.base_url, server.operator_credentials)
  refused(await operator(`DELETE /operator/accounts/${server.other.id}/keys/${key.id}`), 404)
  assert.equal((await operator(`DELETE /operator/accounts/${id}/keys/${key.id}`)).status, 204)
  refused(await operator(`DELETE /operator/accounts/${id}/keys/${key.id}`), 404)
})

test('an operator acts for the account named in Demarc-Account, and for none that does not exist', async () => {
  const operator = wire(server.base_url, server.operator_credentials)
  const acting = (account: string | string[]) => operator('GET /v2/whoami', { headers: { 'demarc-account': account } })
  const own = await acting(server.account.id)
  assert.equal((own.json as { data: { account_id: string } }).data.account_id, server.account.id)
  for (const account of ['999999', 'abc', '', '-1', '0x3e9', '9'.repeat(30), [server.account.id, server.other.id]])
    assert.deepEqual(
      refused(await acting(account), 422).detail,
      { 'Demarc-Account': ['Must be the ID of an account.'] },
      String(account),
    )
  const foreign = await wire(server.base_url, server.account.credentials)('GET /v2/whoami', {
    headers: { 'demarc-account': server.other.id },
  })
  assert.equal((foreign.json as { data: { account_id: string } }).data.account_id, server.account.id)
})

test('the last use of a key is recorded, by the service’s clock', async () => {
  const account = await server.newAccount('Seldom Used')
  const keys = async () => (await server.operator.listKeys({ params: { account_id: account.id } })).body.data
  const app = await startSecondApp(server)
  const before = server.clock.now()
  await wire(app.base_url, account.credentials)('GET /v2/whoami')
  assert.deepEqual(
    (await keys()).map((key) => key.attributes.last_used_at),
    [null],
  )
  // written once a minute, and when a process ends
  await app.close()
  const [key] = await keys()
  assert.ok(key?.attributes.last_used_at && new Date(key.attributes.last_used_at) >= before)
})

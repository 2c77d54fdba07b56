import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { createDemarcClient } from '@demarc/client'
import { sql } from 'kysely'
import { silentLog } from '../src/platform/postgres/log.ts'
import { resealSecrets } from '../src/platform/reseal-job.ts'
import { usesOf } from '../src/platform/secret-columns.ts'
import { checkSecretKeys, countKeyUses, describeKeys } from '../src/platform/secret-keys.ts'
import { createVault } from '../src/platform/secrets.ts'
import { StartRefused } from '../src/platform/start-refused.ts'
import { openRuntime, secretColumns, type Runtime } from '../src/runtime.ts'
import { testDatabase, type TestDatabase } from './support/database.ts'
import { eventually } from './support/eventually.ts'
import { joined, password } from './support/people.ts'
import { startSecondApp } from './support/second-app.ts'
import { startTestServer, type TestServer } from './support/server.ts'

/** Peppers and seal keys: a process with the wrong ones doesn't start, and both can be replaced while the service runs. */

const next_pepper = 'another pepper for tests, of no value outside them'
const next_key = { id: 'k2', key: 'another sealing key for tests, of no value' }
const secretsOf = (server: TestServer) => server.runtime.installation.secrets

async function runtimeWith(t: TestContext, server: TestServer, secrets: Runtime['installation']['secrets']) {
  const { config, installation } = server.runtime
  const runtime = await openRuntime(config, { ...installation, secrets }, 'second', silentLog)
  t.after(() => runtime.close())
  return runtime
}

const refuses = async (opening: Promise<unknown>, message: RegExp) =>
  await assert.rejects(opening, (error: Error) => {
    assert.ok(error instanceof StartRefused)
    assert.match(error.message, message)
    return true
  })

const statusOf = async (base_url: string, credentials: TestServer['operator_credentials']) => {
  const basic = Buffer.from(`${credentials.access_key}:${credentials.secret_key}`).toString('base64')
  return (await fetch(`${base_url}/v2/numbers`, { headers: { authorization: `Basic ${basic}` } })).status
}

test('a start with another pepper, or without a seal key that values need, is refused and names the setting', async (t) => {
  const server = await startTestServer()
  const { pepper, seal_keys } = secretsOf(server)
  const start = (secrets: Runtime['installation']['secrets']) => runtimeWith(t, server, secrets)
  await refuses(start({ pepper: next_pepper, seal_keys }), /^DEMARC_PEPPER is not the pepper that this database/)
  await refuses(start({ pepper, seal_keys: [next_key] }), /^DEMARC_SEAL_KEYS lacks the key test,/)
  await refuses(
    start({ pepper, seal_keys: [{ ...next_key, id: 'test' }] }),
    /^DEMARC_SEAL_KEYS has another key under the id test/,
  )
  // a new key first: the values of the old one still need it
  await start({ pepper, seal_keys: [next_key, ...seal_keys] })
  await refuses(
    start({ pepper, seal_keys: [next_key] }),
    /^DEMARC_SEAL_KEYS lacks the key test, which 2 stored values need/,
  )
})

test('a running process whose keys were replaced by others is not ready, and says which setting lacks them', async (t) => {
  const server = await startTestServer()
  const { pepper, seal_keys } = secretsOf(server)
  const readiness = async () => {
    const response = await fetch(`${server.base_url}/health/ready`)
    return { status: response.status, text: await response.text() }
  }
  assert.doesNotMatch((await readiness()).text, /"secrets":\{"status":"failing/)
  await runtimeWith(t, server, { pepper, seal_keys: [next_key, ...seal_keys] })
  const lacking = await readiness()
  assert.equal(lacking.status, 503)
  assert.match(lacking.text, /DEMARC_SEAL_KEYS lacks the key k2/)
  const { runtime } = server
  await runtimeWith(t, server, { pepper: next_pepper, accepted_pepper: pepper, seal_keys: [next_key, ...seal_keys] })
  assert.match((await readiness()).text, /DEMARC_PEPPER is not the pepper/)
  assert.equal(runtime.deps.vault.keys.length, 2)
})

test('with two peppers, keys, sessions, and passwords of both work; what is used no longer needs the old one', async (t) => {
  const server = await startTestServer()
  const { pepper, seal_keys } = secretsOf(server)
  const email = 'owner@people.example'
  const owner = await joined(server, email, { account_id: server.account.id, role: 'owner' })
  const { base_url: public_url } = server
  const both = await startSecondApp(server, {
    public_url,
    secrets: { pepper: next_pepper, accepted_pepper: pepper, seal_keys },
  })
  assert.equal(await statusOf(both.base_url, server.account.credentials), 200)
  const there = createDemarcClient({ retry: false, base_url: both.base_url })
  assert.equal((await there.signIn({ body: { email, password } })).body.data.status, 'signed_in')
  const session = await fetch(`${both.base_url}/v2/session`, {
    method: 'DELETE',
    headers: owner.headers(),
  })
  assert.equal(session.status, 204, 'its session and CSRF token work in either process')
  const oldUses = async () => {
    const uses = await usesOf(server.db, secretColumns)
    const { keys } = createVault({ pepper, seal_keys })
    return uses.find(({ id }) => id === keys[0]?.id)?.uses ?? {}
  }
  // the hash is stored after the response
  await eventually(async () => (await oldUses())['access_key.secret_hash'] === 1)
  const left = await oldUses()
  assert.equal(left['person.password_hash'], undefined, 'the sign-in hashed the password again')
  assert.equal(left['operator_key.secret_hash'], 1)
  await both.close()
  const next = await startSecondApp(server, { public_url, secrets: { pepper: next_pepper, seal_keys } })
  assert.equal(await statusOf(next.base_url, server.account.credentials), 200)
  assert.equal(await statusOf(next.base_url, server.other.credentials), 401, 'not used in between')
  t.diagnostic(JSON.stringify(left))
})

test('resealing is safe to kill and to run twice at once, and then the old key may be removed', async (t) => {
  const database = await testDatabase(t)
  const old = { id: 'k1', key: 'the older sealing key for tests, of no value' }
  const count = 6_000
  await storeResponses(database, createVault({ pepper: next_pepper, seal_keys: [old] }), count)
  const vault = createVault({ pepper: next_pepper, seal_keys: [next_key, old] })
  const deps = { db: database.db, vault, log: silentLog }
  await checkSecretKeys(deps, secretColumns)
  const sealedWith = async (id: string) => {
    const uses = await usesOf(database.db, secretColumns)
    return uses.find((each) => each.kind === 'seal' && each.id === id)?.uses['idempotency_key.response'] ?? 0
  }
  const start = () =>
    fork(path.join(import.meta.dirname, 'support/reseal.ts'), [
      JSON.stringify({ url: database.url, pepper: next_pepper, seal_keys: [next_key, old] }),
    ])
  const killed = start()
  await eventually(async () => killed.exitCode !== null || (await sealedWith('k2')) > 0)
  killed.kill('SIGKILL')
  await once(killed, 'exit')
  const [before, left] = [await sealedWith('k2'), await sealedWith('k1')]
  assert.ok(left > 0, 'it was killed in the middle')
  assert.equal(before + left, count)
  await refuses(checkSecretKeys({ ...deps, vault: onlyNext }, secretColumns), /DEMARC_SEAL_KEYS lacks the key k1/)
  const both = [start(), start()]
  const codes = await Promise.all(both.map(async (child) => (await once(child, 'exit'))[0] as number | null))
  assert.deepEqual(codes, [0, 0])
  assert.deepEqual([await sealedWith('k2'), await sealedWith('k1')], [count, 0])
  const rows = await database.db.selectFrom('idempotency_key').select(['actor', 'key', 'response']).execute()
  for (const { actor, key, response } of rows)
    assert.equal(vault.open(response ?? '', `idempotency:${actor}:${key}`), `response ${key}`)
  const described = describeKeys(await countKeyUses(database.db, secretColumns), vault)
  assert.ok(described.includes('seal k1 (accepted): unused: remove it from DEMARC_SEAL_KEYS'), described.join('\n'))
  await checkSecretKeys({ ...deps, vault: onlyNext }, secretColumns)
  t.diagnostic(`killed with ${before} of ${count} sealed again`)
})

test('a process with older settings does not seal with the older key again', async (t) => {
  const { db } = await testDatabase(t)
  const old = { id: 'k1', key: 'the older sealing key for tests, of no value' }
  const vaultOf = (seal_keys: (typeof old)[]) => createVault({ pepper: next_pepper, seal_keys })
  const older = { db, vault: vaultOf([old, next_key]), log: silentLog }
  const newer = { db, vault: vaultOf([next_key, old]), log: silentLog }
  await checkSecretKeys(older, secretColumns)
  await checkSecretKeys(newer, secretColumns)
  // both became current in the same millisecond, the newer one a microsecond later
  await sql`update secret_key set current_since = date_trunc('second', now()) + case id when 'k2' then interval '1 microsecond' else interval '0' end`.execute(
    db,
  )
  const { id } = await db
    .insertInto('account')
    .values({ name: 'a', created_at: new Date(), signing_secret: '' })
    .returning('id')
    .executeTakeFirstOrThrow()
  const context = `account:${id}:signing_secret`
  await db
    .updateTable('account')
    .set({ signing_secret: newer.vault.seal('s', context) })
    .execute()
  const { signal } = new AbortController()
  const sealedBy = async () =>
    (await db.selectFrom('account').select('signing_secret').executeTakeFirstOrThrow()).signing_secret
  await resealSecrets(older, secretColumns, signal)
  assert.match(await sealedBy(), /^v1\.k2\./)
  await db
    .updateTable('account')
    .set({ signing_secret: older.vault.seal('s', context) })
    .execute()
  assert.equal(await resealSecrets(newer, secretColumns, signal), false, 'again in an hour, while there are two keys')
  assert.equal(newer.vault.open(await sealedBy(), context), 's')
  assert.match(await sealedBy(), /^v1\.k2\./)
})

const onlyNext = createVault({ pepper: next_pepper, seal_keys: [next_key] })

async function storeResponses({ db }: TestDatabase, vault: ReturnType<typeof createVault>, count: number) {
  await checkSecretKeys({ db, vault, log: silentLog }, secretColumns)
  for (let from = 0; from < count; from += 2_000)
    await db
      .insertInto('idempotency_key')
      .values(
        Array.from({ length: 2_000 }, (_, n) => ({
          actor: 'test',
          key: `key-${from + n}`,
          fingerprint: Buffer.alloc(36),
          status: 200,
          response: vault.seal(`response key-${from + n}`, `idempotency:test:key-${from + n}`),
          held_until: null,
          created_at: new Date(),
        })),
      )
      .execute()
}

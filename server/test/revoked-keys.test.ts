import assert from 'node:assert/strict'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { createDemarcClient } from '@demarc/client'
import { keepsPrepared, pgbouncerVersion, startPgBouncer } from '../../acceptance/servers/pgbouncer.ts'
import { loadFactor } from '../src/platform/patience.ts'
import { closeBeforeDatabase } from './support/database.ts'
import { eventually } from './support/eventually.ts'
import { freePort } from '../../acceptance/support/free-port.ts'
import { startSecondApp } from './support/second-app.ts'
import { startTestServer } from './support/server.ts'

const version = pgbouncerVersion()
const skip = version === null && 'PgBouncer is missing: install the package pgbouncer'
const can_prepare = version !== null && keepsPrepared(version)

const revocations = 50
/** A cached key is valid for 30 s, so a notification that does not arrive takes longer. */
const limit_ms = 1_000

test('a revoked key is refused by every process within a second, also behind a pooler', { skip }, async (t) => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'demarc-test-'))
  await chmod(folder, 0o711)
  const prepared_statements = can_prepare ? 'on' : 'off'
  const env = { DEMARC_PREPARED_STATEMENTS: prepared_statements, DEMARC_TRUST_PROXY: '127.0.0.1/32' }
  const server = await startTestServer({ env })
  const { database_url } = server.runtime.installation
  const own = await startPgBouncer(path.join(folder, 'pooler'), await freePort(), {
    server_url: database_url,
    user: new URL(database_url).username,
    settings: can_prepare ? { max_prepared_statements: 10 } : {},
  })
  closeBeforeDatabase(async () => {
    await own.stop()
    await rm(folder, { recursive: true })
  })
  const behind = { database_url: own.url, database_direct_url: database_url }
  const processes = [await startSecondApp(server, behind), await startSecondApp(server, behind)]
  for (const { isListening } of processes) await eventually(isListening)
  const [base_url = ''] = processes.map((each) => each.base_url)
  const operator = createDemarcClient({ retry: false, base_url, credentials: server.operator_credentials })
  const { id: account_id } = server.account
  const measured: number[] = []
  for (let n = 0; n < revocations; n++) {
    const body = { data: { type: 'access_key' as const, attributes: { name: `${n}` } } }
    const { id, attributes: key } = (await operator.createKey({ params: { account_id }, body })).body.data
    const authorization = `Basic ${Buffer.from(`${key.access_key}:${key.secret_key}`).toString('base64')}`
    // its own address, because refusals are counted
    const headers = { authorization, 'x-forwarded-for': `10.${n}.0.1` }
    const statuses = () =>
      Promise.all(processes.map(async (each) => (await fetch(`${each.base_url}/v2/whoami`, { headers })).status))
    assert.deepEqual(await statuses(), [200, 200])
    assert.ok(
      processes.every(({ isListening }) => isListening()),
      'the keys are cached',
    )
    await operator.revokeKey({ params: { account_id, key_id: id } })
    const revoked_at = performance.now()
    while ((await statuses()).includes(200))
      assert.ok(performance.now() - revoked_at < limit_ms * loadFactor(), `key ${n} still works`)
    measured.push(performance.now() - revoked_at)
  }
  t.diagnostic(`refused after ${Math.ceil(Math.max(...measured))} ms at most, PgBouncer ${version}`)
})

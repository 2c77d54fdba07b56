import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testDatabase } from '../../test/support/database.ts'
import { eventually } from '../../test/support/eventually.ts'
import { freePort } from '../../test/support/free-port.ts'
import { hasEnded, newFolder, removeFolder, spawnService } from '../../test/support/service.ts'
import { atEnd } from '../../test/support/starters.ts'

test('--doctor checks an installation whose service cannot start, and changes nothing', async (t) => {
  const folder = await newFolder()
  atEnd(t, () => removeFolder(folder))
  const database = await testDatabase(undefined, { migrated: false })
  const secrets = { DEMARC_PEPPER: 'change-me-'.repeat(4), DEMARC_SEAL_KEYS: 'k1:pX3vT9zqLw0RrN5sUuYg7HkMdB2cJ8fE' }
  const { child, output } = spawnService(folder, {
    args: ['--doctor'],
    env: {
      ...secrets,
      DATABASE_URL: database.url,
      CLICKHOUSE_URL: `http://u:hunter2@127.0.0.1:${await freePort()}`,
      DEMARC_PUBLIC_URL: 'http://api.carrier.example',
      DEMARC_LOG_LEVEL: 'silent',
    },
  })
  await eventually(() => hasEnded(child))
  const text = output()
  assert.equal(child.exitCode, 1, text)
  assert.match(text, /^failed {3}public_url: .* has no TLS/m)
  assert.match(text, /^failed {3}migrations: The database lacks 0001_platform\.sql/m)
  assert.match(text, /^failed {3}jobs: The database lacks a table or column\.\n {9}Fix: See the check migrations\./m)
  assert.match(text, /^failed {3}call_records: /m)
  assert.match(text, /^warning {2}log: .*\n {9}Fix: Unset DEMARC_LOG_LEVEL, .*\n {9}See docs\/operate\/settings\.md$/m)
  assert.match(text, /^ok {7}database: /m)
  for (const secret of ['hunter2', ...Object.values(secrets)]) assert.ok(!text.includes(secret), text)
  const { rows } = await database.pool.query(`select to_regclass('schema_migration') as name`)
  assert.deepEqual(rows, [{ name: null }])
})

test('--doctor prints every invalid setting as a start does', async (t) => {
  const folder = await newFolder()
  atEnd(t, () => removeFolder(folder))
  const { child, output } = spawnService(folder, { args: ['--doctor'], env: { DEMARC_PORT: 'x' } })
  await eventually(() => hasEnded(child))
  assert.equal(child.exitCode, 1)
  assert.match(output(), /DEMARC_PORT must be a whole number[\s\S]*DEMARC_PEPPER is required/)
})

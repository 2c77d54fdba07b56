import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import pg from 'pg'
import { testDatabase } from '../../test/support/database.ts'
import { migrate } from './migrate.ts'
import { silentLog } from './postgres/log.ts'

const CRATES = { '0001_crates.sql': 'create table crate (id int);\ncreate table seen (id int);' }

test('files are applied in order of their numbers, once', async (t) => {
  const { pool, folder } = await setUp(t, { '0002_sizes.sql': 'alter table crate add size text', ...CRATES })
  assert.deepEqual(await migrate(pool, folder, silentLog), ['0001_crates.sql', '0002_sizes.sql'])
  assert.deepEqual(await migrate(pool, folder, silentLog), [])
  await put(folder, { '0003_colors.sql': 'alter table crate add color text' })
  assert.deepEqual(await migrate(pool, folder, silentLog), ['0003_colors.sql'])
})

test('three concurrent migrations apply each file once', async (t) => {
  // The second file fails if it is applied twice, and is slow enough for the other processes to catch up.
  const { url, folder } = await setUp(t, {
    ...CRATES,
    '0002_one.sql': 'select pg_sleep(0.2); insert into seen values (1)',
  })
  const applied = await Promise.all(
    [1, 2, 3].map(async () => {
      const client = new pg.Client({ connectionString: url })
      await client.connect()
      try {
        return await migrate(client, folder, silentLog)
      } finally {
        await client.end()
      }
    }),
  )
  assert.deepEqual(applied.flat().sort(), ['0001_crates.sql', '0002_one.sql'])
})

test('an applied file that was changed is refused by name', async (t) => {
  const { pool, folder } = await setUp(t, CRATES)
  await migrate(pool, folder, silentLog)
  await put(folder, { '0001_crates.sql': 'create table crate (id bigint);', '0002_more.sql': 'create table more ()' })
  await assert.rejects(migrate(pool, folder, silentLog), /Migration 0001_crates\.sql was changed after it was applied/)
  assert.equal((await pool.query(`select to_regclass('more') as made`)).rows[0].made, null)
})

test('a migration of a table in use lets other requests pass, and is applied once the table is free', async (t) => {
  const { pool, folder } = await setUp(t, CRATES)
  await migrate(pool, folder, silentLog)
  await put(folder, { '0002_sizes.sql': 'alter table crate add size text' })
  const reader = await pool.connect()
  await reader.query('begin; select from crate')
  const stepped_back = Promise.withResolvers<void>()
  const migrating = migrate(pool, folder, { ...silentLog, warn: () => stepped_back.resolve() })
  await stepped_back.promise
  await pool.query('select from crate')
  await reader.query('commit')
  reader.release()
  assert.deepEqual(await migrating, ['0002_sizes.sql'])
})

test('different line endings do not count as a change', async (t) => {
  const { pool, folder } = await setUp(t, CRATES)
  await migrate(pool, folder, silentLog)
  await put(folder, { '0001_crates.sql': CRATES['0001_crates.sql'].replaceAll('\n', '\r\n') })
  assert.deepEqual(await migrate(pool, folder, silentLog), [])
})

test('an applied file that is missing is refused, unless a newer release applied it', async (t) => {
  const { pool, folder } = await setUp(t, { ...CRATES, '0002_more.sql': 'create table more ()' })
  await migrate(pool, folder, silentLog)
  await rm(path.join(folder, '0002_more.sql'))
  assert.deepEqual(await migrate(pool, folder, silentLog), [])
  await put(folder, { '0003_last.sql': 'create table last ()' })
  await assert.rejects(
    migrate(pool, folder, silentLog),
    /Migration 0002_more\.sql was applied to this database, but its file is gone/,
  )
})

test('a file that fails leaves no trace, reports its line, and is retried', async (t) => {
  const { pool, folder } = await setUp(t, { ...CRATES, '0002_bad.sql': 'create table half ();\nselect nonsense;' })
  await assert.rejects(migrate(pool, folder, silentLog), /0002_bad\.sql failed.*"nonsense" does not exist.*line 2/)
  assert.equal((await pool.query(`select to_regclass('half') as made`)).rows[0].made, null)
  await put(folder, { '0002_bad.sql': 'create table half ()' })
  assert.deepEqual(await migrate(pool, folder, silentLog), ['0002_bad.sql'])
})

test('a file that ends the transaction itself is refused', async (t) => {
  const { pool, folder } = await setUp(t, { '0001_own.sql': 'create table own (); commit; begin' })
  await assert.rejects(migrate(pool, folder, silentLog), /0001_own\.sql ends its transaction itself/)
})

test('an invalid name and a number used twice are refused', async (t) => {
  const { pool, folder } = await setUp(t, { '1_crates.sql': '' })
  await assert.rejects(migrate(pool, folder, silentLog), /1_crates\.sql is not named NNNN_name\.sql/)
  const twice = await setUp(t, { '0001_a.sql': '', '0001_b.sql': '' })
  await assert.rejects(migrate(twice.pool, twice.folder, silentLog), /0001_a\.sql and 0001_b\.sql have the same number/)
})

async function setUp(t: TestContext, files: Record<string, string>) {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'demarc-migrations-'))
  t.after(() => rm(folder, { recursive: true }))
  await put(folder, files)
  const { pool, url } = await testDatabase(t, { migrated: false })
  return { folder, pool, url }
}

async function put(folder: string, files: Record<string, string>): Promise<void> {
  for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder, name), text)
}

import assert from 'node:assert/strict'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { keepsPrepared, pgbouncerVersion, startPgBouncer, type PgBouncer } from '../../acceptance/servers/pgbouncer.ts'
import {
  inTransaction,
  listen,
  openConnection,
  openDatabase,
  OutcomeUnknown,
  readRows,
  type Log,
} from '../src/platform/db.ts'
import { silentLog } from '../src/platform/postgres/log.ts'
import { retryableProblem } from '../src/platform/unavailable.ts'
import { refusal } from '../src/operator/diagnosis/data/rules.ts'
import { checkConnections, prepareDatabase } from '../src/start/database.ts'
import { closeBeforeDatabase, testDatabase } from './support/database.ts'
import { freePort } from '../../acceptance/support/free-port.ts'
import { sql } from 'kysely'

/** The service with an ordinary role behind a real PgBouncer in transaction mode that refuses start-up parameters. */

const version = pgbouncerVersion()
const skip = version === null && 'PgBouncer is missing: install the package pgbouncer'
const can_prepare = version !== null && keepsPrepared(version)
const skip_prepared = !can_prepare && 'PgBouncer 1.21 or newer is missing: set DEMARC_TEST_PGBOUNCER to its program'
const without_prepared = can_prepare ? { max_prepared_statements: 0 } : {}
/** Fewer than the statements of a test, so that PgBouncer must replace some. */
const with_prepared = { max_prepared_statements: 10 }
const role = `pooled_${process.pid}`
let folder = ''
let direct_url = ''
let pooler: PgBouncer
/** The same with prepared statements. */
let keeping: PgBouncer
let admin: pg.Pool

before(async () => {
  if (skip !== false) return
  const database = await testDatabase(undefined, { migrated: false })
  admin = database.pool
  await admin.query(`create role ${role} login`)
  await admin.query(`alter database ${new URL(database.url).pathname.slice(1)} owner to ${role}`)
  const direct = new URL(database.url)
  direct.username = role
  direct_url = direct.href
  folder = await mkdtemp(path.join(os.tmpdir(), 'demarc-test-'))
  await chmod(folder, 0o711)
  const server = { server_url: direct_url, user: role }
  pooler = await startPgBouncer(path.join(folder, 'pooler'), await freePort(), {
    ...server,
    settings: without_prepared,
  })
  closeBeforeDatabase(() => pooler.stop())
  if (!can_prepare) return
  keeping = await startPgBouncer(path.join(folder, 'keeping'), await freePort(), { ...server, settings: with_prepared })
  closeBeforeDatabase(() => keeping.stop())
})
after(async () => {
  if (folder !== '') await rm(folder, { recursive: true, force: true })
})

const warned = (): { log: Log; fields: object[] } => {
  const fields: object[] = []
  return { log: { ...silentLog, warn: (each) => void fields.push(each) }, fields }
}
const both = () => ({ database_url: pooler.url, database_direct_url: direct_url })
const off = { database_url: 'its own', prepared_statements: false }

test('a pooler without a direct URL refuses the start, and the message names the setting', { skip }, async () => {
  const alone = { database_url: pooler.url, database_direct_url: null }
  await assert.rejects(prepareDatabase(off, alone, silentLog), {
    name: 'StartRefused',
    message: /DATABASE_URL cannot be used\. It leads to a pooler, .*startup parameter.* Set DATABASE_DIRECT_URL to/,
  })
})

test('the check of the installation finds both errors of a pooler, each with its remedy', { skip }, async () => {
  const alone = { database_url: pooler.url, database_direct_url: null }
  for (const [config, urls, remedy] of [
    [off, alone, /^Set DATABASE_DIRECT_URL to the PostgreSQL server itself\.$/],
    [{ ...off, prepared_statements: true }, both(), /^Set max_prepared_statements to 1000/],
  ] as const)
    await assert.rejects(checkConnections(config, urls, silentLog), (error: Error) => {
      assert.match(refusal(error.message, 'otherwise').remedy ?? '', remedy)
      return error.name === 'StartRefused'
    })
})

test('a pooler at the direct URL refuses the start, even if it ignores start-up parameters', { skip }, async () => {
  const settings = {
    ignore_startup_parameters: 'options,statement_timeout,lock_timeout,idle_in_transaction_session_timeout',
  }
  const lax = await startPgBouncer(path.join(folder, 'lax'), await freePort(), {
    server_url: direct_url,
    user: role,
    settings,
  })
  try {
    const swapped = { database_url: lax.url, database_direct_url: lax.url }
    await assert.rejects(prepareDatabase(off, swapped, silentLog), {
      name: 'StartRefused',
      message: /^DATABASE_DIRECT_URL leads to a pooler in transaction mode\./,
    })
  } finally {
    await lax.stop()
  }
})

test(
  'settings with which data would be wrong refuse the start, with the statements that fix them',
  { skip },
  async () => {
    await admin.query(`alter role ${role} set TimeZone = 'America/New_York'`)
    await pooler.restart()
    await assert.rejects(prepareDatabase(off, both(), silentLog), {
      name: 'StartRefused',
      message:
        /run: ALTER ROLE CURRENT_USER SET TimeZone = 'UTC'; .*statement_timeout = '15s'; .*then RECONNECT in PgBouncer/,
    })
  },
)

test('the statements of the message fix the settings, and an ordinary role may run them', { skip }, async () => {
  await admin.query(`alter role ${role} set TimeZone = 'UTC'`)
  await pooler.restart()
  const first = warned()
  await prepareDatabase(off, both(), first.log)
  const found = first.fields.find((each): each is { statements: string[] } => 'statements' in each)
  assert.equal(found?.statements.length, 3)
  const client = new pg.Client({ connectionString: direct_url })
  await client.connect()
  for (const statement of found?.statements ?? []) await client.query(statement)
  await client.end()
  await pooler.restart()
  const second = warned()
  await prepareDatabase(off, both(), second.log)
  assert.deepEqual(second.fields, [])
})

test('a pooler that does not keep prepared statements refuses the start', { skip }, async () => {
  await assert.rejects(prepareDatabase({ ...off, prepared_statements: true }, both(), silentLog), {
    name: 'StartRefused',
    message: /Set max_prepared_statements .* or set DEMARC_PREPARED_STATEMENTS=off/,
  })
})

test('a pooler that keeps prepared statements is used with them', { skip: skip_prepared }, async () => {
  const kept = { ...both(), database_url: keeping.url }
  const { log, fields } = warned()
  await prepareDatabase({ ...off, prepared_statements: true }, kept, log)
  assert.deepEqual(fields, [])
})

function open(prepared = false) {
  const through = prepared ? keeping : pooler
  const database = openDatabase({ connection: through.url, direct: direct_url, prepared, log: silentLog })
  closeBeforeDatabase(() => database.close())
  return database
}

test('pipelined reads through the pooler return the rows of their own statement', { skip }, async () => {
  const { db } = open()
  for (let round = 0; round < 20; round++) {
    const values = Array.from({ length: 100 }, (_, i) => String(round * 100 + i))
    const read = await Promise.all(
      values.map((value) => readRows<{ value: string }>(db, 'select $1::text as value, pg_sleep(0.0001)', [value])),
    )
    assert.deepEqual(
      read.map(([row]) => row?.value),
      values,
    )
  }
})

test('more prepared statements than the pooler keeps return their own rows', { skip: skip_prepared }, async () => {
  const { db } = open(true)
  const texts = Array.from({ length: 40 }, (_, n) => `select $1::int + ${n} as sum, pg_sleep(0.0001)`)
  for (let round = 0; round < 10; round++) {
    const read = await Promise.all(texts.map((text) => readRows<{ sum: number }>(db, text, [String(round)])))
    assert.deepEqual(
      read.map(([row]) => row?.sum),
      texts.map((_, n) => round + n),
    )
  }
})

test('after a migration, a prepared statement is prepared again', { skip: skip_prepared }, async () => {
  const { db } = open(true)
  await sql`create table crate (id int, size int)`.execute(db)
  await sql`insert into crate values (1, 2)`.execute(db)
  const sizes = () => Promise.all([1, 2, 3, 4].map(() => readRows<{ size: unknown }>(db, 'select size from crate', [])))
  await sizes()
  await sql`alter table crate alter column size type text`.execute(db)
  for (let round = 0; round < 3; round++)
    assert.deepEqual(new Set((await sizes()).flat().map(({ size }) => size)), new Set(['2']))
})

test('a connection for COPY and locks of a session goes past the pooler', { skip }, async () => {
  const { pool } = open()
  const client = await openConnection(pool)
  try {
    const { rows } = await client.query('select current_setting($1) as timeout, inet_server_port() as port', [
      'statement_timeout',
    ])
    assert.deepEqual(rows, [{ timeout: '15s', port: null }])
    await client.query('select pg_advisory_lock(7)')
    assert.equal((await pool.query('select pg_try_advisory_lock(7) as got')).rows[0]?.got, false)
  } finally {
    await client.end()
  }
})

for (const [how, skipped] of [
  ['', skip],
  [' with prepared statements', skip_prepared],
] as const)
  test(`a restart of the pooler under load${how} loses and doubles no reported change`, { skip: skipped }, () =>
    restartUnderLoad(how !== ''),
  )

async function restartUnderLoad(prepared: boolean): Promise<void> {
  const { db } = open(prepared)
  const through = prepared ? keeping : pooler
  await sql`create table if not exists tick (id text primary key)`.execute(db)
  await sql`truncate tick`.execute(db)
  const reported: string[] = []
  const stop = new AbortController()
  const unknown = new Set<string>()
  const writers = Array.from({ length: 6 }, async (_, writer) => {
    for (let i = 0; !stop.signal.aborted; i++) {
      const id = `${writer}-${i}`
      try {
        await inTransaction(db, (tx) => sql`insert into tick values (${id})`.execute(tx))
        reported.push(id)
      } catch (error) {
        if (error instanceof OutcomeUnknown) unknown.add(id)
        else assert.ok(retryableProblem(error), String(error))
      }
    }
  })
  const until = async (count: number) => {
    while (reported.length < count) await new Promise((resolve) => setTimeout(resolve, 20))
  }
  await until(100)
  await through.restart()
  await until(reported.length + 100)
  await through.restart()
  await until(reported.length + 100)
  stop.abort()
  await Promise.all(writers)
  const { rows } = await admin.query<{ id: string }>('select id from tick')
  const stored = new Set(rows.map(({ id }) => id))
  assert.deepEqual(
    reported.filter((id) => !stored.has(id)),
    [],
  )
  const known = new Set([...reported, ...unknown])
  assert.deepEqual(
    [...stored].filter((id) => !known.has(id)),
    [],
    'a change that failed was not stored',
  )
}

test('a listener behind a pooler never counts as up, and its log says why', { skip }, async () => {
  const { db } = open()
  const settings = { ignore_startup_parameters: 'options' }
  const lax = await startPgBouncer(path.join(folder, 'deaf'), await freePort(), {
    server_url: direct_url,
    user: role,
    settings,
  })
  const said = Promise.withResolvers<unknown>()
  const listener = listen(lax.url, ['keys'], () => assert.fail('nothing arrives'), {
    notify: (channel, payload) => sql`select pg_notify(${channel}, ${payload})`.execute(db),
    echo_timeout_ms: 300,
    onUp: () => assert.fail('it hears nothing'),
    log: { ...silentLog, warn: (fields) => said.resolve('err' in fields ? fields.err : fields) },
  })
  try {
    assert.match(String(await said.promise), /Notifications do not arrive/)
    assert.equal(listener.isUp(), false)
  } finally {
    await listener.close()
    await lax.stop()
  }
})

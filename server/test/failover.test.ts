import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { sql, type Kysely } from 'kysely'
import pg from 'pg'
import { inTransaction, NoMatchingServer, openDatabase, OutcomeUnknown, sqlState, type Db } from '../src/platform/db.ts'
import { readMigrations } from '../src/platform/migrate.ts'
import { commitOutcome, incarnation } from '../src/platform/postgres/commit-outcome.ts'
import { silentLog } from '../src/platform/postgres/log.ts'
import { retryableProblem } from '../src/platform/unavailable.ts'
import { prepareDatabase } from '../src/start/database.ts'
import { MIGRATIONS } from './support/database.ts'
import { eventually } from './support/eventually.ts'
import { startReplicated, type Replicated } from './support/replica.ts'
import { hasEnded, newFolder, removeFolder, spawnService } from './support/service.ts'
import { startTcpProxy } from './support/tcp-proxy.ts'

/** A primary that fails while a COMMIT is in progress or a process starts, and its standby, which is then promoted. */

const closing: (() => Promise<unknown>)[] = []
after(async () => {
  for (const close of closing.toReversed()) await close()
})

/** A primary behind a proxy, its standby, and a URL with both. */
async function startPair() {
  const pair = await startReplicated()
  closing.push(pair.close)
  const proxy = await startTcpProxy(pair.primary.url)
  const servers = [new URL(proxy.url), new URL(pair.replica.url)].map(({ hostname, port, searchParams }) => ({
    host: decodeURIComponent(hostname) || searchParams.get('host'),
    port: port || searchParams.get('port'),
  }))
  const both = (part: 'host' | 'port') => servers.map((each) => each[part]).join(',')
  const url = `postgresql://postgres@/demarc?host=${both('host')}&port=${both('port')}&target_session_attrs=read-write`
  return { ...pair, proxy, url }
}

function open(url: string): Db {
  const { db, close } = openDatabase({ connection: url, pool_size: 2, log: silentLog })
  closing.push(close)
  return db
}

async function rows<Row>(url: string, text: string): Promise<Row[]> {
  const client = new pg.Client(url)
  await client.connect()
  const { rows: found } = await client.query(text)
  await client.end()
  return found
}

/** Waits until the standby has replayed everything that the primary has written. */
async function replicated({ primary, replica }: Replicated): Promise<void> {
  const [written] = await rows<{ at: string }>(primary.url, 'select pg_current_wal_flush_lsn() as at')
  const replayed = `select pg_last_wal_replay_lsn() >= '${written?.at}' as done`
  await eventually(async () => (await rows<{ done: boolean }>(replica.url, replayed))[0]?.done === true)
}

const promote = ({ replica }: Pick<Replicated, 'replica'>) => rows(replica.url, 'select pg_promote()')

async function transactionId<DB>(of: Kysely<DB>) {
  const { rows: found } = await sql<{ xid: string; incarnation: string }>`
    select pg_current_xact_id()::text as xid, ${sql.raw(incarnation)} as incarnation`.execute(of)
  return found[0] ?? assert.fail()
}

const insert = (of: Db, id: number) => sql`insert into parcel values (${id})`.execute(of)

test('after a failover, a transaction that did not reach the new primary was not committed, and another one is unknown', async () => {
  const pair = await startPair()
  const [old, next] = [open(pair.primary.url), open(pair.replica.url)]
  await sql`create table parcel (id int)`.execute(old)
  const committed = await inTransaction(old, async (tx) => {
    await insert(tx, 1)
    return await transactionId(tx)
  })
  // open on the old primary until the end of the test
  const begun = Promise.withResolvers<Awaited<ReturnType<typeof transactionId>>>()
  const ending = Promise.withResolvers<void>()
  const open_transaction = inTransaction(old, async (tx) => {
    await insert(tx, 2)
    begun.resolve(await transactionId(tx))
    await ending.promise
  })
  const open_id = await begun.promise
  await insert(old, 3)
  await replicated(pair)

  const asked = commitOutcome(next, open_id)
  await promote(pair)
  const first = await asked
  // on a busy machine the promotion can take longer than the question
  const found = 'unknown' in first ? await commitOutcome(next, open_id) : first
  assert.deepEqual(found, { committed: false }, 'asked while the standby was not yet the primary')
  const outcome = await commitOutcome(next, committed)
  assert.match('unknown' in outcome ? String(outcome.unknown) : 'known', /has restarted since/)
  // ids that the new primary has not assigned yet
  for (let n = 0; n < 100; n++) await insert(old, 4)
  assert.deepEqual(await commitOutcome(next, await transactionId(old)), { committed: false })
  ending.resolve()
  await open_transaction
})

test('a change whose COMMIT was lost with the primary is unknown, and is on the new primary if it had reached it', async () => {
  const pair = await startPair()
  const db = open(pair.url)
  await sql`create table parcel (id int)`.execute(db)
  pair.proxy.loseCommit('down')
  const changing = inTransaction(db, (tx) => insert(tx, 1))
  const rejected = assert.rejects(changing, OutcomeUnknown)
  const stored = 'select from parcel where id = 1'
  await eventually(async () => (await rows(pair.primary.url, stored)).length === 1)
  await replicated(pair)
  await promote(pair)
  await rejected
  assert.equal((await rows(pair.replica.url, stored)).length, 1)
  // the same pool goes on with the new primary
  await inTransaction(db, (tx) => insert(tx, 2))
})

test('migrations that the primary interrupts continue on the new primary', async () => {
  const pair = await startPair()
  let migrated = 0
  const log = {
    ...silentLog,
    // each migration says that it is done
    info: () => {
      migrated += 1
      if (migrated === 3) void pair.proxy.disconnect()
    },
    warn: (fields: object) => 'code' in fields && waiting.resolve(),
  }
  const waiting = Promise.withResolvers<void>()
  const config = { database_url: pair.url, prepared_statements: true }
  const preparing = prepareDatabase(config, { database_url: pair.url, database_direct_url: null }, log)
  await waiting.promise
  await promote(pair)
  await preparing
  const applied = await rows<{ name: string }>(pair.replica.url, 'select name from schema_migration')
  assert.equal(applied.length, (await readMigrations(MIGRATIONS)).length)
})

test('a standby whose recovery cancels the start of a session is not the primary', async () => {
  const pair = await startPair()
  await rows(
    pair.primary.url,
    `create function cancel_on_standby() returns event_trigger language plpgsql as $$ begin
       if pg_is_in_recovery() then
         raise 'canceling statement due to conflict with recovery' using errcode = '40001';
       end if;
     end $$;
     create event trigger on_login on login execute function cancel_on_standby()`,
  )
  const canceled = (error: unknown) => sqlState(error) === '40001'
  await eventually(() => rows(pair.replica.url, 'select').then(() => false, canceled))
  const db = open(pair.url)
  await pair.proxy.disconnect()
  await assert.rejects(sql`select`.execute(db), (error) => {
    return error instanceof NoMatchingServer && retryableProblem(error)?.type === 'not-ready'
  })
  await pair.proxy.reconnect()
  await sql`select`.execute(db)
})

const production = {
  DEMARC_EMBEDDED: 'allow',
  DEMARC_PEPPER: 'a pepper for tests, of no value outside them',
  DEMARC_SEAL_KEYS: 'k1:a-sealing-key-for-tests-of-no-value',
}

test('a service that starts without a primary waits for one, and says so', async () => {
  const pair = await startPair()
  await replicated(pair)
  await pair.proxy.disconnect()
  const folder = await newFolder()
  const { child, output } = spawnService(folder, {
    args: ['--with-parent'],
    env: { ...production, DATABASE_URL: pair.url },
  })
  closing.push(async () => {
    child.kill('SIGTERM')
    await eventually(() => hasEnded(child))
    await removeFolder(folder)
  })
  const says = (text: string) =>
    eventually(() => hasEnded(child) || output().includes(text)).then(() =>
      assert.ok(output().includes(text), output()),
    )
  await says('a dependency is not available yet; retrying')
  await promote(pair)
  await says('"msg":"ready"')
  const applied = await rows(pair.replica.url, 'select from schema_migration')
  assert.equal(applied.length, (await readMigrations(MIGRATIONS)).length)
})

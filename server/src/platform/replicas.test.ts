import assert from 'node:assert/strict'
import { after, test, type TestContext } from 'node:test'
import { createDemarcClient } from '@demarc/client'
import { sql } from 'kysely'
import { closeBeforeDatabase, databaseUrl } from '../../test/support/database.ts'
import { eventually } from '../../test/support/eventually.ts'
import { startReplicated } from '../../test/support/replica.ts'
import { startTestServer, type TestAccount } from '../../test/support/server.ts'
import { buildApp } from '../app.ts'
import { systemActor } from './actor.ts'
import { notify, listen, NoMatchingServer, openDatabase } from './db.ts'
import { createMetrics } from './metrics.ts'
import { silentLog } from './postgres/log.ts'
import { createReplicas, replicaLimits, type ReplicaLimits } from './replicas.ts'
import { retryableProblem } from './unavailable.ts'

/** A service with one API process that reads from the primary only, and others that also use a streaming replica. */

// short, because a test waits for it; long enough for a session to open undisturbed
const servers = await startReplicated({ max_standby_streaming_delay: '2s' })
after(() => servers.close())
process.env['DEMARC_TEST_DATABASE'] = servers.primary.url
const server = await startTestServer()
const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(server.db)
const replica_url = databaseUrl(servers.replica.url, rows[0]?.name ?? assert.fail())
const replica = openDatabase({ connection: replica_url, log: silentLog })
closeBeforeDatabase(replica.close)

/** Another API process. `seen` has the servers of its reads and the reasons for skipping the replica, in order. */
async function startReader(limits: Partial<ReplicaLimits>) {
  const seen: string[] = []
  const observer = {
    onRead: (name: string) => void seen.push(name),
    onSkip: (_: string, reason: string) => void seen.push(reason),
  }
  const handle = openDatabase({ connection: replica_url, log: silentLog })
  const { runtime } = server
  const replicas = createReplicas(runtime.database, [handle], observer, silentLog, { ...replicaLimits, ...limits })
  const app = await buildApp({ ...runtime, metrics: createMetrics(), replicas })
  closeBeforeDatabase(async () => {
    await app.close()
    await replicas.close()
  })
  const base_url = await app.listen({ host: '127.0.0.1', port: 0 })
  const clientOf = ({ credentials }: Pick<TestAccount, 'credentials'>) =>
    createDemarcClient({ retry: false, base_url, credentials })
  return {
    replicas,
    account: clientOf(server.account),
    other: clientOf(server.other),
    operator: clientOf({ credentials: server.operator_credentials }),
    /** What it has seen since the last call. */
    seen: () => seen.splice(0),
  }
}

// no test depends on how fast the replica is
const reader = await startReader({ lag_ms: Infinity, response_ms: 600_000 })

let routes = 0
/** Makes a route by the process that knows no replica. */
async function addRoute({ client }: TestAccount): Promise<string> {
  const attributes = { alias: `Route ${++routes}`, route_type: 'host' as const, value: `h${routes}.example.com` }
  const { body } = await client.createRoute({ body: { data: { type: 'route', attributes } } })
  return body.data.id
}

const listed = async ({ listRoutes }: typeof reader.account) =>
  (await listRoutes({ query: { limit: 200 } })).body.data.map(({ id }) => id)

async function untilReplayed() {
  await eventually(async () => (await reader.replicas.lag_s()) === 0)
}

async function pauseReplay(t: TestContext) {
  // a failed test must not block the next
  t.after(resumeReplay)
  await sql`select pg_wal_replay_pause()`.execute(replica.db)
  await eventually(async () => {
    const state = await sql<{ state: string }>`select pg_get_wal_replay_pause_state() as state`.execute(replica.db)
    return state.rows[0]?.state === 'paused'
  })
}
const resumeReplay = () => sql`select pg_wal_replay_resume()`.execute(replica.db)

const notifyPrimary = (channel: string, payload: string) => notify(server.db, channel, payload)

test('a list comes from the replica, and everything else from the primary', async () => {
  const id = await addRoute(server.account)
  await untilReplayed()
  assert.ok((await listed(reader.account)).includes(id))
  assert.deepEqual(reader.seen(), ['replica1'])
  // the server itself may write something between two requests
  await eventually(async () => {
    await reader.operator.listAccountSummaries({})
    return reader.seen().includes('replica1')
  })
  await reader.account.getRoute({ params: { route_id: id } })
  await reader.account.whoami()
  assert.deepEqual(reader.seen(), [])
})

test('a list after a write shows the write, whichever process or party wrote it', async (t) => {
  await addRoute(server.other)
  await untilReplayed()
  await pauseReplay(t)
  const id = await addRoute(server.account)
  assert.ok((await listed(reader.account)).includes(id))
  assert.deepEqual(reader.seen(), ['behind', 'primary'])
  // another account has written nothing that the replica lacks
  assert.equal((await listed(reader.other)).includes(id), false)
  assert.deepEqual(reader.seen(), ['replica1'])
  // the operator adds a number to the other account, and sees it too
  const numbers = [{ value: '14254200001', number_type: 'longcode' as const, state: 'WA' }]
  await server.operator.addNumbers({ params: { account_id: server.other.id }, body: { numbers } })
  const { data } = (await reader.other.listNumbers({})).body
  assert.deepEqual(
    data.map(({ id }) => String(id)),
    ['14254200001'],
  )
  const { data: accounts } = (await reader.operator.listAccountSummaries({})).body
  assert.equal(accounts.find((each) => each.id === server.other.id)?.attributes.numbers_count, 1)
  assert.deepEqual(reader.seen(), ['behind', 'primary', 'behind', 'primary'])
  await resumeReplay()
  await untilReplayed()
  assert.ok((await listed(reader.account)).includes(id))
  assert.deepEqual(reader.seen(), ['replica1'])
})

test('a replica that lags too much is skipped', async (t) => {
  const impatient = await startReader({ lag_ms: 0, response_ms: 600_000 })
  await addRoute(server.other)
  await eventually(async () => {
    await listed(impatient.other)
    return impatient.seen().includes('replica1')
  })
  await pauseReplay(t)
  await addRoute(server.account)
  await listed(impatient.other)
  assert.deepEqual(impatient.seen(), ['lagging', 'primary'])
})

test('a read that conflicts with the recovery is repeated on the primary', async () => {
  await server.runtime.database.pool.query('create table parcel (id bigint); insert into parcel values (1)')
  await untilReplayed()
  const db = await reader.replicas.forActor(systemActor('test', server.account.id))
  const reading = sql<{ in_recovery: boolean }>`
    select pg_is_in_recovery() as in_recovery, pg_sleep(case when pg_is_in_recovery() then 600 else 0 end) from parcel`.execute(
    db,
  )
  await eventually(async () => {
    const active = await sql`select from pg_stat_activity where query like '%from parcel' and state = 'active'`.execute(
      replica.db,
    )
    return active.rows.length > 0
  })
  await server.runtime.database.pool.query('alter table parcel add column weight numeric')
  assert.equal((await reading).rows[0]?.in_recovery, false)
  assert.deepEqual(reader.seen(), ['replica1', 'repeated'])
})

test('a URL with several hosts leads to the server that it asks for', async (t) => {
  const folders = [servers.replica, servers.primary].map(({ url }) => decodeURIComponent(new URL(url).hostname))
  const urlOf = (hosts: readonly string[], target: string) =>
    `postgres://postgres@/demarc?host=${hosts.join(',')}&port=5432&target_session_attrs=${target}`
  const isReplica = async (hosts: readonly string[], target: string) => {
    const { db, close } = openDatabase({ connection: urlOf(hosts, target), log: silentLog })
    try {
      return (await sql<{ is: boolean }>`select pg_is_in_recovery() as is`.execute(db)).rows[0]?.is
    } finally {
      await close()
    }
  }
  assert.equal(await isReplica(folders, 'read-write'), false)
  assert.equal(await isReplica(folders, 'primary'), false)
  assert.equal(await isReplica(folders.toReversed(), 'standby'), true)
  await assert.rejects(isReplica(folders.slice(0, 1), 'read-write'), (error) => {
    return error instanceof NoMatchingServer && retryableProblem(error)?.type === 'not-ready'
  })
  // notifications stay within a database
  const primary = openDatabase({ connection: urlOf(folders, 'read-write'), log: silentLog })
  t.after(() => primary.close())
  const up = Promise.withResolvers<void>()
  const listener = listen(urlOf(folders, 'read-write'), ['keys'], () => undefined, {
    onUp: up.resolve,
    notify: (channel, payload) => notify(primary.db, channel, payload),
    log: silentLog,
  })
  t.after(listener.close)
  await up.promise
})

test('a listener does not stay on a server that accepts no writes', async (t) => {
  const refused = Promise.withResolvers<object>()
  const log = { ...silentLog, warn: (fields: object) => refused.resolve(fields) }
  const listener = listen(servers.replica.url, ['keys'], () => undefined, {
    onUp: () => assert.fail(),
    notify: notifyPrimary,
    log,
  })
  t.after(listener.close)
  assert.match(JSON.stringify(Object.values(await refused.promise).map(String)), /read-only/)
})

test('a replica that is gone causes no error, is skipped for a time, and is used again when it is back', async () => {
  const hopeful = await startReader({ lag_ms: Infinity, response_ms: 600_000, retry_ms: 0 })
  await untilReplayed()
  await listed(reader.account)
  await listed(hopeful.account)
  assert.deepEqual([reader.seen(), hopeful.seen()], [['replica1'], ['replica1']])
  await servers.replica.stop()
  const id = await addRoute(server.account)
  for (const each of [reader, reader, hopeful]) assert.ok((await listed(each.account)).includes(id))
  assert.deepEqual(reader.seen(), ['failed', 'primary', 'failed', 'primary'])
  assert.deepEqual(hopeful.seen(), ['failed', 'primary'])
  assert.equal(await reader.replicas.lag_s(), Infinity)
  await servers.restart()
  await eventually(async () => (await hopeful.replicas.lag_s()) === 0)
  assert.ok((await listed(hopeful.account)).includes(id))
  assert.deepEqual(hopeful.seen(), ['replica1'])
  await listed(reader.account)
  assert.deepEqual(reader.seen(), ['failed', 'primary'])
})

import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { startTestServer } from '../../test/support/server.ts'
import { systemActor } from '../platform/actor.ts'
import { openDatabase } from '../platform/db.ts'
import { enqueue } from '../platform/jobs.ts'
import { checkDependencies, type Dependencies } from './health.ts'

const server = await startTestServer()
const { deps, installation } = server.runtime
beforeEach(() => server.db.deleteFrom('job').execute())

const available: Dependencies = {
  phase: 'serving' as const,
  isListening: () => true,
  warehouse: { ready: async () => undefined },
  coverage: async () => ({ postal_only: true, description: 'postal codes' }),
  folders: installation.folders,
}
const healthOf = async (part: string, over: Partial<Dependencies> = {}) =>
  (await checkDependencies({ ...available, ...over }, { ...deps, tx: deps.db, actor: systemActor('test', null) }))[part]

const lease = (seconds: number) =>
  server.db
    .updateTable('job')
    .set({ locked_by: 'a worker', locked_until: new Date(Date.now() + seconds * 1000) })
    .where('key', '=', 'under way')
    .execute()

test('a backlog is reported, and is a failure only when no worker is processing it', async () => {
  assert.deepEqual(await healthOf('worker'), { status: 'ready' })
  const two_minutes_ago = new Date(server.clock.now().getTime() - 120_000)
  for (const key of ['under way', 'waiting']) await enqueue(deps.db, 'build', key, two_minutes_ago)
  await lease(60)
  const backlog = await healthOf('worker')
  assert.equal(backlog?.status, 'ready')
  assert.match(backlog.detail ?? '', /^has jobs that are overdue by 12\d s$/)
  await lease(-1)
  assert.deepEqual(await healthOf('worker'), {
    status: 'failing',
    detail: 'has jobs overdue by more than a minute and works on none; is one running?',
  })
})

test('storage is ready while there is free space, and a missing folder is not', async () => {
  assert.deepEqual(await healthOf('storage'), { status: 'ready' })
  assert.equal((await healthOf('storage', { folders: ['/nonexistent'] }))?.status, 'failing')
})

test('a database without notifications or with other limits is ready, and the detail says what to do', async (t) => {
  assert.deepEqual(await healthOf('database', { isListening: () => false }), {
    status: 'ready',
    detail: 'sends no notifications, so caches are off',
  })
  const other = openDatabase({
    connection: installation.database_url,
    lock_timeout_ms: 1_000,
    log: deps.log,
  })
  t.after(() => other.close())
  const c = { ...deps, db: other.db, tx: other.db, actor: systemActor('test', null) }
  const { database } = await checkDependencies(available, c)
  assert.deepEqual(database, {
    status: 'ready',
    detail: "lacks limits; run as its role: ALTER ROLE CURRENT_USER SET lock_timeout = '5s'",
  })
})

test('a read-only database is reported as ready only for reads', async () => {
  assert.deepEqual(await healthOf('database'), { status: 'ready' })
  const reader = openDatabase({
    connection: { connectionString: installation.database_url, options: '-c default_transaction_read_only=on' },
    log: deps.log,
  })
  const c = { ...deps, db: reader.db, tx: reader.db, actor: systemActor('test', null) }
  const { database } = await checkDependencies(available, c)
  await reader.close()
  assert.deepEqual(database, { status: 'failing', detail: 'is read-only' })
})

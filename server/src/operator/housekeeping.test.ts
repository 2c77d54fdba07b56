import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { readdir, utimes, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { sql } from 'kysely'
import { callRecord } from '../engines/call-records/testing/records.ts'
import { testEngine } from '../../test/support/engine.ts'
import { eventually } from '../../test/support/eventually.ts'
import { completedExport, download } from '../../test/support/exports.ts'
import { startTestServer } from '../../test/support/server.ts'
import { inTransaction } from '../platform/db.ts'
import { keepFile, removeFileJob } from '../platform/file-references.ts'
import { enqueue } from '../platform/jobs.ts'
import { hastenHousekeeping, scheduleHousekeeping } from './jobs.ts'
import { removeUnreferenced, sweepOrphans, type References } from './orphans.ts'

const engine = await testEngine()
const server = await startTestServer({ worker: true, engine_socket: engine.socket })
const { files } = server.runtime.deps
const { files_dir } = server.runtime.installation

const put = async (text: string) => (await files.putStream(Readable.from([text]))).digest
const isKept = async (digest: string) => (await files.stat(digest)) !== null
/** Runs the next daily housekeeping. */
const nextRound = () => server.operator.moveClock({ body: { advance: '1 day' } })

test('the daily housekeeping removes unreferenced files, and no others', async () => {
  await server.runtime.warehouse.insert([callRecord({ account_id: server.account.id })])
  const done = await completedExport(server.account)
  const orphan = await put('of a transaction that was rolled back')
  const staged = await files.stage(Readable.from(['of one in progress']))
  await inTransaction(server.db, async (tx) => {
    await keepFile(tx, staged)
    await nextRound()
  })
  assert.equal(await isKept(orphan), false)
  assert.equal(await isKept(staged.digest), true)
  await download(done)
})

test('a worker that starts removes the files that a killed process left without a row', async () => {
  await nextRound()
  const orphan = await put('of a transaction that a kill rolled back')
  await scheduleHousekeeping(server.runtime.deps)
  await eventually(async () => !(await isKept(orphan)))
})

test('orphans beyond one query’s limit are all removed', async () => {
  const orphans = await Promise.all(Array.from({ length: 12 }, (_, i) => put(`orphan ${i}`)))
  const queries: number[] = []
  const references: References = async (_, digests) => {
    queries.push(digests.length)
    return new Set(digests.filter((each) => !orphans.includes(each)))
  }
  await sweepOrphans(server.runtime.deps, [references], new AbortController().signal, 5)
  assert.ok(queries.includes(5) && Math.max(...queries) === 5, `${queries}`)
  for (const digest of orphans) assert.equal(await isKept(digest), false)
})

test('housekeeping is brought forward an hour after the last one, and not before', async () => {
  await nextRound()
  const due = async () =>
    (await server.db.selectFrom('job').select('due_at').where('kind', '=', 'housekeeping').executeTakeFirstOrThrow())
      .due_at
  const orphan = await put('of a process that was killed')
  const daily = await due()
  await hastenHousekeeping(server.runtime.deps)
  assert.deepEqual(await due(), daily)
  await server.operator.moveClock({ body: { advance: '1 hour' } })
  await hastenHousekeeping(server.runtime.deps)
  await eventually(async () => !(await isKept(orphan)))
})

test('an unfinished upload of a dead process is deleted', async () => {
  const drafts = join(files_dir, 'tmp')
  // from another machine, whose processes are unknown here
  const draftElsewhere = () => join(drafts, `${'f'.repeat(16)}-1-1-${randomUUID()}`)
  const [left, under_way] = [draftElsewhere(), draftElsewhere()]
  for (const draft of [left, under_way]) await writeFile(draft, 'half')
  const before = new Date(Date.now() - 61 * 60_000)
  await utimes(left, before, before)
  await nextRound()
  assert.deepEqual(await readdir(drafts), [basename(under_way)])
})

test('an expired export’s file is kept while a bulk validation needs it, and deleted with it', async () => {
  const { attributes } = await completedExport(server.account)
  const sha256 = String(attributes.sha256)
  const { id } = await server.db
    .insertInto('e911_validation')
    .values({
      account_id: server.other.id,
      media_type: 'text/csv',
      given_sha256: sha256,
      given_bytes: '1',
      status: 'processing',
      created_at: server.clock.now(),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await server.operator.moveClock({ body: { advance: '4 days' } })
  const removal = server.db.selectFrom('job').selectAll().where('kind', '=', removeFileJob)
  await eventually(async () => (await removal.execute()).length === 0)
  assert.equal(await isKept(sha256), true)

  await inTransaction(server.db, (tx) => enqueue(tx, 'validate-e911s', id, server.clock.now()))
  await eventually(async () => !(await isKept(sha256)))
})

test('a file that an open transaction is about to reference is not deleted', async () => {
  const digest = await put('referred to soon')
  const referred = new Set<string>()
  const references = () => Promise.resolve(referred)
  let removal: Promise<void> | undefined
  const staged = await files.stage(Readable.from(['referred to soon']))
  await inTransaction(server.db, async (tx) => {
    await keepFile(tx, staged)
    removal = removeUnreferenced(server.runtime.deps, [references], digest)
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx)
    const waiting = sql`select from pg_stat_activity where ${rows[0]?.pid} = any(pg_blocking_pids(pid))`
    await eventually(async () => (await waiting.execute(server.db)).rows.length === 1)
    // what its commit makes visible
    referred.add(digest)
  })
  await removal
  assert.equal(await isKept(digest), true)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { eventually } from '../../test/support/eventually.ts'
import { jobsOn } from '../../test/support/jobs.ts'
import { sentence } from '../../test/support/refusals.ts'
import { startTestServer } from '../../test/support/server.ts'
import { jobWords } from '@demarc/client'
import { jobKinds } from '../worker.ts'
import { countJobStates } from '../platform/job-list.ts'

// without a worker, so the jobs don't change during the test
const server = await startTestServer()
const { operator, db, account } = server
const now = server.clock.now()
const at = (minutes: number) => new Date(now.getTime() + minutes * 60_000)

const none = { attempts: 0, failures: 0, locked_by: null, last_error: null, dead_at: null, account_id: null }
const failed = { ...none, attempts: 5, failures: 4, last_error: 'No room.', due_at: at(-60) }
// those of what the server made for the tests
await db.deleteFrom('job').execute()
await db
  .insertInto('job')
  .values([
    { ...none, kind: 'later', key: '1', due_at: at(5), again: false, size: '0' },
    { ...none, kind: 'build-it', key: '7', due_at: at(-1), again: false, size: '0', account_id: account.id },
    { ...failed, kind: 'build-it', key: '8', dead_at: at(-30), again: false, size: '0' },
    { ...failed, kind: 'import-it', key: 'a:b', dead_at: at(-10), again: false, size: '0' },
  ])
  .execute()
await sql`
  insert into job (kind, key, due_at, attempts, locked_by, locked_until) values
    ('running', '1', ${at(-2)}, 1, 'elsewhere-1', now() + interval '1 hour'),
    ('abandoned', '1', ${at(-3)}, 1, 'elsewhere-2', now() - interval '1 hour')`.execute(db)

type Query = NonNullable<Parameters<typeof operator.listJobs>[0]>['query']
const jobs = async (query: Query = {}) =>
  (await operator.listJobs({ query })).body.data.map(({ id, attributes }) => [id, attributes.state])

test('failed jobs come first, newest at the top, then the others by due time', async () => {
  assert.deepEqual(await jobs(), [
    ['import-it:a:b', 'dead'],
    ['build-it:8', 'dead'],
    ['abandoned:1', 'due'],
    ['running:1', 'running'],
    ['build-it:7', 'due'],
    ['later:1', 'scheduled'],
  ])
  const paged = []
  for (let offset = 0; offset < 6; offset += 4) paged.push(...(await jobs({ limit: 4, offset })))
  assert.deepEqual(paged, await jobs())
})

test('jobs are filtered by state, kind and account, and counted by state', async () => {
  assert.deepEqual(await jobs({ state: 'dead', kind: 'build-it' }), [['build-it:8', 'dead']])
  assert.deepEqual(await jobs({ state: 'due' }), [
    ['abandoned:1', 'due'],
    ['build-it:7', 'due'],
  ])
  assert.deepEqual(await jobs({ state: 'running' }), [['running:1', 'running']])
  assert.deepEqual(await jobs({ account_id: account.id }), [['build-it:7', 'due']])
  const { meta, data } = (await operator.listJobs({ query: { limit: 1 } })).body
  assert.deepEqual(meta, { scheduled: 1, due: 2, running: 1, dead: 2 })
  assert.deepEqual(data[0]?.attributes, {
    kind: 'import-it',
    key: 'a:b',
    account_id: null,
    state: 'dead',
    due_at: at(-60).toISOString(),
    attempts: 5,
    failures: 4,
    last_error: 'No room.',
    worker: null,
    dead_at: at(-10).toISOString(),
  })
  assert.deepEqual(await countJobStates(db, now, 1), { scheduled: 1, due: 1, running: 1, dead: 1 })
})

test('jobs are counted by kind, ordered by failures and then by longest wait', async () => {
  const { data } = (await operator.listJobKinds()).body
  const counted = (id: string, counts: object) => {
    return {
      type: 'job_kind',
      id,
      attributes: { scheduled: 0, due: 0, running: 0, dead: 0, oldest_due_at: null, late_s: 0, ...counts },
    }
  }
  const late = (id: string) => data.find((kind) => kind.id === id)?.attributes.late_s ?? -1
  assert.ok(late('abandoned') >= 180 && late('abandoned') < 3600)
  assert.equal(late('later'), 0)
  const withoutLate = data.map((kind) => ({ ...kind, attributes: { ...kind.attributes, late_s: 0 } }))
  assert.deepEqual(withoutLate, [
    counted('build-it', { due: 1, dead: 1, oldest_due_at: at(-1).toISOString() }),
    counted('import-it', { dead: 1 }),
    counted('abandoned', { due: 1, oldest_due_at: at(-3).toISOString() }),
    counted('later', { scheduled: 1 }),
    counted('running', { running: 1 }),
  ])
})

test('every kind of job has a readable name', () => {
  const kinds = new Set(jobKinds(server.runtime).map(({ kind }) => kind))
  assert.deepEqual(new Set(Object.keys(jobWords)), kinds)
})

test('a failed job can be retried, and the audit log records by whom', async (t) => {
  const { newKind, runner, isDone, clock } = jobsOn(db)
  const kind = newKind(async () => {})
  await db
    .insertInto('job')
    .values({ ...failed, kind: kind.kind, key: '9', dead_at: at(-5), again: false, size: '0' })
    .execute()
  const id = `${kind.kind}:9`
  const { attributes } = (await operator.retryJob({ params: { job_id: id } })).body.data
  const { state, attempts, failures, dead_at, last_error } = attributes
  assert.deepEqual([state, attempts, failures, dead_at, last_error], ['due', 0, 0, null, 'No room.'])
  assert.deepEqual(await jobs({ kind: kind.kind }), [[id, 'due']])
  clock.time = server.clock.now()
  runner(t, kind)
  await eventually(() => isDone(kind))
  const [event] = (await operator.listEvents({ query: { event_type: 'job.retried' } })).body.data
  assert.equal(event?.attributes.subject_id, id)
  assert.equal(event.attributes.actor, `operator:${server.operator_credentials.access_key}`)
})

test('retrying a job that has not failed or does not exist is refused', async () => {
  const retry = (job_id: string) => operator.retryJob({ params: { job_id } })
  assert.equal(await sentence(retry('later:1'), 409), 'Job later:1 is scheduled. Only failed jobs can be retried.')
  assert.equal(await sentence(retry('running:1'), 409), 'Job running:1 is running. Only failed jobs can be retried.')
  for (const id of ['later:2', 'later', ':', 'x'.repeat(299)])
    assert.equal(await sentence(retry(id), 404), `There is no job ${id}. Finished jobs are deleted.`)
})

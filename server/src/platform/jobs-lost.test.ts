import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { beforeEach, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { layCable } from '../../test/support/cable.ts'
import { testDatabase } from '../../test/support/database.ts'
import { eventually } from '../../test/support/eventually.ts'
import { gate, jobsOn, quick } from '../../test/support/jobs.ts'
import { openDatabase } from './db.ts'
import { releaseAbandonedJobs, startJobRunner } from './jobs.ts'
import { silentLog } from './postgres/log.ts'

/** Workers that stop, die, or lose their database. */

const { db, url } = await testDatabase()
const { clock, newKind, runner, ring, rows, isDone } = jobsOn(db)
beforeEach(() => db.deleteFrom('job').execute())

test('a runner that stops hands its jobs back at once, and the attempt does not count', async (t) => {
  const { run, begun } = gate()
  const attempts: number[] = []
  const kind = newKind(async (job) => {
    attempts.push(job.attempt)
    if (attempts.length === 1) await run(job)
  })
  await ring(kind, 'x')
  const first = runner(t, kind)
  const { signal } = await begun
  await first.stop(1000)
  assert.equal(signal.aborted, true)
  assert.deepEqual(
    (await rows(kind)).map((r) => [r.locked_by, r.attempts]),
    [[null, 0]],
  )
  await ring(kind, 'y')
  first.ring()
  runner(t, kind)
  await eventually(() => isDone(kind))
  assert.deepEqual(attempts, [1, 1, 1])
})

test('a job that does not listen is handed back after the grace, for another to do', async (t) => {
  const never = Promise.withResolvers<void>()
  const kind = newKind(async () => await never.promise)
  await ring(kind, 'x')
  const started = runner(t, kind)
  await eventually(async () => started.running() === 1)
  await started.stop(30)
  assert.deepEqual(
    (await rows(kind)).map((r) => r.locked_by),
    [null],
  )
  never.resolve()
})

test('a job whose lease went to another worker is told to stop, and settles nothing', async (t) => {
  const { run, begun } = gate()
  const kind = newKind(run)
  await ring(kind, 'x')
  runner(t, kind)
  const { signal } = await begun
  await db
    .updateTable('job')
    .set({ locked_by: 'another', locked_until: new Date('2099-01-01') })
    .where('kind', '=', kind.kind)
    .execute()
  await eventually(async () => signal.aborted)
  await eventually(async () => (await rows(kind))[0]?.attempts === 1)
  assert.deepEqual(
    (await rows(kind)).map((r) => [r.locked_by, r.attempts]),
    [['another', 1]],
  )
})

test('a runner outlives a database that is away', async () => {
  const cable = await layCable(url)
  const handle = openDatabase({ connection: cable.url, pool_size: 3, application_name: 'cut', log: silentLog })
  const ran: string[] = []
  const kind = newKind(async ({ key }) => void ran.push(key))
  const options = { db: handle.db, clock, kinds: [kind], worker: 'cut-off', log: silentLog }
  const away = startJobRunner({ ...options, timing: quick })
  await ring(kind, 'before')
  await eventually(() => isDone(kind))
  await cable.cut()
  await ring(kind, 'meanwhile')
  away.ring()
  await cable.mend()
  await eventually(() => isDone(kind))
  assert.deepEqual(ran, ['before', 'meanwhile'])
  await away.stop(1000)
  await handle.close()
})

/** A worker process that begins the jobs of a kind, says so, and never ends them. */
function startHangingWorker(kind: string) {
  const code = `
    import { openDatabase } from ${JSON.stringify(import.meta.resolve('./db.ts'))}
    import { startJobRunner } from ${JSON.stringify(import.meta.resolve('./jobs.ts'))}
    const log = { info() {}, warn: console.error, error: console.error }
    const { db } = openDatabase({ connection: process.argv[1], log })
    const run = ({ key, attempt }) => { console.log(key, attempt); return new Promise(() => {}) }
    const kind = { kind: process.argv[2], concurrency: 4, attempts_max: 9, backoff_ms: () => 0, run }
    const clock = { now: () => new Date(${clock.now().getTime()}) }
    startJobRunner({ db, clock, kinds: [kind], worker: 'hanging-' + process.pid, log, timing: ${JSON.stringify(quick)} })`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', code, url, kind], {
    env: { PATH: process.env['PATH'] ?? '' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  return { child, lines: createInterface(child.stdout) }
}

test('the jobs of a worker that is killed without a word are taken over when their lease ends', async (t) => {
  const ran: [string, number][] = []
  const kind = newKind(async ({ key, attempt }) => void ran.push([key, attempt]))
  for (const key of ['a', 'b', 'c']) await ring(kind, key)
  const { child, lines } = startHangingWorker(kind.kind)
  t.after(() => child.kill('SIGKILL'))
  const begun: string[] = []
  lines.on('line', (line) => begun.push(line))
  await eventually(async () => begun.length === 3)
  assert.deepEqual(begun.toSorted(), ['a 1', 'b 1', 'c 1'])
  runner(t, kind)
  // longer than a lease: while it lives, it keeps what it holds
  await sleep(quick.lease_s * 1250)
  assert.equal(ran.length, 0)
  child.kill('SIGKILL')
  await once(child, 'exit')
  await eventually(() => isDone(kind))
  assert.deepEqual(
    ran.toSorted(([a], [b]) => a.localeCompare(b)),
    [
      ['a', 2],
      ['b', 2],
      ['c', 2],
    ],
  )
})

test('what is held by a worker without a session in the database is given back at once, and nothing else', async (t) => {
  const living = openDatabase({ connection: url, application_name: 'test-living-listen', log: silentLog })
  t.after(living.close)
  await sql`select 1`.execute(living.db)
  const held = { kind: 'held', due_at: clock.now(), attempts: 1, again: false, last_error: null, dead_at: null }
  const locked_until = new Date(Date.now() + 60_000)
  for (const worker of ['living', 'killed'])
    await db
      .insertInto('job')
      .values({ ...held, key: worker, locked_by: worker, locked_until })
      .execute()
  await releaseAbandonedJobs(db, 'test-')
  assert.deepEqual(await db.selectFrom('job').select(['key', 'locked_by']).orderBy('key').execute(), [
    { key: 'killed', locked_by: null },
    { key: 'living', locked_by: 'living' },
  ])
  const kind = { ...newKind(async () => {}), kind: 'held' }
  runner(t, kind)
  await eventually(async () => (await rows(kind)).length === 1)
  assert.deepEqual(
    (await rows(kind)).map((r) => r.key),
    ['living'],
  )
})

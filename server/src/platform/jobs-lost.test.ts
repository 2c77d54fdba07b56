import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { beforeEach, test } from 'node:test'
import { sql } from 'kysely'
import { startTcpProxy } from '../../test/support/tcp-proxy.ts'
import { testDatabase } from '../../test/support/database.ts'
import { eventually } from '../../test/support/eventually.ts'
import { gate, jobsOn, quick } from '../../test/support/jobs.ts'
import { inTransaction, openDatabase } from './db.ts'
import { startJobRunner } from './job-runner.ts'
import { enqueue, releaseAbandonedJobs } from './jobs.ts'
import { silentLog } from './postgres/log.ts'

/** Workers that stop, die, or lose their database. */

const { db, url } = await testDatabase()
const { clock, newKind, runner, add, rows, isDone } = jobsOn(db)
beforeEach(() => db.deleteFrom('job').execute())

test('a stopping runner releases its jobs immediately, and the attempt does not count', async (t) => {
  const { run, begun } = gate()
  const attempts: number[] = []
  const kind = newKind(async (job) => {
    attempts.push(job.attempt)
    if (attempts.length === 1) await run(job)
  })
  await add(kind, 'x')
  const first = runner(t, kind)
  const { signal } = await begun
  await first.stop(1000)
  assert.equal(signal.aborted, true)
  assert.deepEqual(
    (await rows(kind)).map((r) => [r.locked_by, r.attempts]),
    [[null, 0]],
  )
  await add(kind, 'y')
  first.wake()
  runner(t, kind)
  await eventually(() => isDone(kind))
  assert.deepEqual(attempts, [1, 1, 1])
})

test('a job that ignores its abort signal is released after the grace period', async (t) => {
  const never = Promise.withResolvers<void>()
  const kind = newKind(async () => await never.promise)
  await add(kind, 'x')
  const started = runner(t, kind)
  await eventually(async () => started.running() === 1)
  await started.stop(30)
  assert.deepEqual(
    (await rows(kind)).map((r) => r.locked_by),
    [null],
  )
  never.resolve()
})

test('a job that read from a server that refuses writes runs again', async (t) => {
  const own = openDatabase({ connection: url, pool_size: 1, log: silentLog })
  let runs = 0
  const kind = newKind(
    async () => {
      runs += 1
      if (runs > 1) return
      await own.pool.query('set default_transaction_read_only = on')
      await sql`select 1`.execute(own.db)
    },
    { backoff_ms: () => 0 },
  )
  await add(kind, 'x')
  // no poll meanwhile: its statement would be the one that finds the server read-only
  const timing = { lease_s: 60, poll_ms: 60_000 }
  const started = startJobRunner({ db: own.db, clock, kinds: [kind], worker: 'own', log: silentLog, timing })
  t.after(async () => {
    await started.stop(1000)
    await own.close()
  })
  await eventually(() => isDone(kind))
  assert.equal(runs, 2)
})

test('a job whose lease was lost to another worker is aborted, and stores no outcome', async (t) => {
  const { run, begun } = gate()
  const kind = newKind(run)
  await add(kind, 'x')
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

test('a runner survives an unavailable database', async () => {
  const proxy = await startTcpProxy(url)
  const handle = openDatabase({ connection: proxy.url, pool_size: 3, application_name: 'cut', log: silentLog })
  const ran: string[] = []
  const kind = newKind(async ({ key }) => void ran.push(key))
  const options = { db: handle.db, clock, kinds: [kind], worker: 'cut-off', log: silentLog }
  const disconnected = startJobRunner({ ...options, timing: quick })
  await add(kind, 'before')
  await eventually(() => isDone(kind))
  await proxy.disconnect()
  await add(kind, 'meanwhile')
  disconnected.wake()
  await proxy.reconnect()
  await eventually(() => isDone(kind))
  assert.deepEqual(ran, ['before', 'meanwhile'])
  await disconnected.stop(1000)
  await handle.close()
})

/** Longer than a busy machine delays a worker's renewal. */
const long = { ...quick, lease_s: 9 }

/** A worker process that starts jobs of a kind, prints them, and never finishes them. */
function startHangingWorker(kind: string) {
  const code = `
    import { openDatabase } from ${JSON.stringify(import.meta.resolve('./db.ts'))}
    import { startJobRunner } from ${JSON.stringify(import.meta.resolve('./job-runner.ts'))}
    const log = { info() {}, warn: console.error, error: console.error }
    const { db } = openDatabase({ connection: process.argv[1], log })
    const run = ({ key, attempt }) => { console.log(key, attempt); return new Promise(() => {}) }
    const kind = { kind: process.argv[2], concurrency: 4, attempts_max: 9, backoff_ms: () => 0, run }
    const clock = { now: () => new Date(${clock.now().getTime()}) }
    startJobRunner({ db, clock, kinds: [kind], worker: 'hanging-' + process.pid, log, timing: ${JSON.stringify(long)} })`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', code, url, kind], {
    env: { PATH: process.env['PATH'] ?? '' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  return { child, lines: createInterface(child.stdout) }
}

test('another worker claims a killed worker’s jobs when their lease expires, and the attempt does not count', async (t) => {
  const ran: [string, number, number][] = []
  const kind = newKind(async ({ key, attempt, interrupted }) => void ran.push([key, attempt, interrupted]))
  for (const key of ['a', 'b', 'c']) await add(kind, key)
  const { child, lines } = startHangingWorker(kind.kind)
  t.after(() => child.kill('SIGKILL'))
  const begun: string[] = []
  lines.on('line', (line) => begun.push(line))
  await eventually(async () => begun.length === 3)
  assert.deepEqual(begun.toSorted(), ['a 1', 'b 1', 'c 1'])
  const leases = async () => (await rows(kind)).map(({ locked_until }) => locked_until?.getTime() ?? 0)
  const first = await leases()
  runner(t, kind)
  // while the worker lives, it renews its leases
  await eventually(async () => (await leases()).every((until, n) => until > (first[n] ?? Infinity)))
  assert.equal(ran.length, 0)
  child.kill('SIGKILL')
  await once(child, 'exit')
  await db.updateTable('job').set({ locked_until: new Date() }).where('kind', '=', kind.kind).execute()
  await eventually(() => isDone(kind))
  assert.deepEqual(
    ran.toSorted(([a], [b]) => a.localeCompare(b)),
    [
      ['a', 1, 1],
      ['b', 1, 1],
      ['c', 1, 1],
    ],
  )
})

test('exactly the jobs of workers without a database session are released immediately', async (t) => {
  const live = openDatabase({ connection: url, application_name: 'test-living-listen', log: silentLog })
  t.after(live.close)
  await sql`select 1`.execute(live.db)
  const counts = { attempts: 1, failures: 0, size: '0' }
  const nothing = { last_error: null, dead_at: null, waits_since: null, account_id: null }
  const held = { kind: 'held', due_at: clock.now(), again: false, ...counts, ...nothing }
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

test('attempts that failed count, and those of killed workers in between do not', async (t) => {
  const ran: [number, number, boolean][] = []
  const kind = newKind(async ({ attempt, interrupted, last_attempt }) => {
    ran.push([attempt, interrupted, last_attempt])
    throw new Error('no')
  })
  await add(kind, 'x')
  await db.updateTable('job').set({ attempts: 11, failures: 1 }).where('kind', '=', kind.kind).execute()
  const started = runner(t, kind)
  await eventually(async () => (await rows(kind))[0]?.failures === 2)
  clock.time = (await rows(kind))[0]?.due_at ?? assert.fail()
  started.wake()
  await eventually(async () => (await rows(kind))[0]?.dead_at !== null)
  assert.deepEqual(ran, [
    [2, 10, false],
    [3, 10, true],
  ])
})

test('work enqueued while a worker is stalled for longer than its lease is done once more', async (t) => {
  const { run, begun, open } = gate()
  const interrupted: number[] = []
  const kind = newKind(async (job) => {
    interrupted.push(job.interrupted)
    if (interrupted.length === 1) await run(job)
  })
  const polled = newKind(async () => undefined)
  await add(kind, 'x')
  const started = runner(t, kind, polled)
  await begun
  await add(kind, 'x')
  const expired = new Date(Date.now() - 1000)
  await db.updateTable('job').set({ locked_until: expired }).where('kind', '=', kind.kind).execute()
  await add(polled, 'after the expiry')
  started.wake()
  await eventually(() => isDone(polled))
  assert.deepEqual(interrupted, [0], 'not by this worker while it does the first')
  open()
  await eventually(() => isDone(kind))
  assert.deepEqual(interrupted, [0, 0])
})

test('a job that was claimed without its worker learning of it is claimed again when its lease expires', async (t) => {
  const { run, open } = gate()
  const ran: string[] = []
  const kind = newKind(async (job) => {
    ran.push(job.key)
    if (job.key === 'long') await run(job)
  })
  await add(kind, 'long')
  const started = startJobRunner({ db, clock, kinds: [kind], worker: 'deaf', log: silentLog, timing: quick })
  t.after(() => started.stop(1000))
  await eventually(async () => ran.length === 1)
  await inTransaction(db, async (tx) => {
    await enqueue(tx, kind.kind, 'lost', clock.now())
    const locked_until = new Date(Date.now() + quick.lease_s * 750)
    await tx.updateTable('job').set({ locked_by: 'deaf', locked_until }).where('key', '=', 'lost').execute()
  })
  await eventually(async () => ran.includes('lost'))
  open()
})

test('a run that could not record its last failure is repeated, and becomes dead only if nothing depends on it', async (t) => {
  let broken = true
  const kind = newKind(
    async ({ last_attempt }) => {
      assert.equal(last_attempt, true)
      if (broken) throw new Error('the database is away')
    },
    { attempts_max: 1, records_failure: true },
  )
  await add(kind, 'x')
  const started = runner(t, kind)
  for (const failures of [1, 2]) {
    await eventually(async () => (await rows(kind))[0]?.failures === failures)
    const [job] = await rows(kind)
    assert.equal(job?.dead_at, null)
    clock.time = job?.due_at ?? assert.fail()
    broken = failures < 2
    started.wake()
  }
  await eventually(() => isDone(kind))
})

test('setting the clock back neither prolongs a retry wait nor runs a scheduled job early', async (t) => {
  const begin = clock.now()
  t.after(() => (clock.time = begin))
  clock.time = new Date(begin.getTime() + 3_600_000)
  const failing = newKind(async () => {
    throw new Error('no')
  })
  const kind = newKind(async () => undefined)
  await add(failing, 'x')
  await runOnce(failing)
  await add(kind, 'enqueued')
  const at = new Date(begin.getTime() + 1_800_000)
  await add(kind, 'scheduled', at)

  clock.time = begin
  runner(t, kind)
  await eventually(async () => (await rows(kind)).length === 1)
  assert.deepEqual(
    (await rows(kind)).map((job) => [job.key, job.due_at]),
    [['scheduled', at]],
  )
  const [retry] = await rows(failing)
  assert.deepEqual([retry?.failures, retry?.due_at], [1, new Date(begin.getTime() + 1000)], 'its backoff begins again')

  async function runOnce(of: typeof kind) {
    const first = startJobRunner({ db, clock, kinds: [of], worker: 'first', log: silentLog, timing: quick })
    await eventually(async () => (await rows(of))[0]?.failures === 1)
    await first.stop(1000)
  }
})

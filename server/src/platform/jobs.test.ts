import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { testDatabase } from '../../test/support/database.ts'
import { eventually } from '../../test/support/eventually.ts'
import { gate, jobsOn } from '../../test/support/jobs.ts'
import { inTransaction } from './db.ts'
import { cancelJob, countJobs, enqueue, exponentialBackoff, nextDue } from './jobs.ts'

const { db } = await testDatabase()
const { clock, later, newKind, runner, add, rows, isDone } = jobsOn(db)
beforeEach(() => db.deleteFrom('job').execute())

test('two runners together run every job once', async (t) => {
  const ran: string[] = []
  const kind = newKind(async ({ key }) => void ran.push(key))
  const keys = Array.from({ length: 300 }, (_, i) => String(i).padStart(3, '0'))
  await inTransaction(db, async (tx) => {
    for (const key of keys) await enqueue(tx, kind.kind, key, clock.now())
  })
  runner(t, kind)
  runner(t, kind)
  await eventually(() => isDone(kind))
  assert.deepEqual(ran.toSorted(), keys)
})

test('a job runs when it is due by the service’s clock, not before', async (t) => {
  const ran: string[] = []
  const kind = newKind(async ({ key }) => void ran.push(key))
  await add(kind, 'tomorrow', later(86_400_000))
  await add(kind, 'now')
  const started = runner(t, kind)
  await eventually(async () => ran.length === 1)
  assert.deepEqual(ran, ['now'])
  clock.time = later(86_400_000)
  started.wake()
  await eventually(() => isDone(kind))
  assert.deepEqual(ran, ['now', 'tomorrow'])
})

test('a transaction that is rolled back enqueues nothing', async () => {
  const kind = newKind(async () => undefined)
  await assert.rejects(
    inTransaction(db, async (tx) => {
      await enqueue(tx, kind.kind, 'never', clock.now())
      throw new Error('no')
    }),
  )
  assert.deepEqual(await rows(kind), [])
})

test('due jobs are counted up to a limit', async () => {
  const kind = newKind(async () => undefined)
  for (const key of ['1', '2', '3']) await add(kind, key)
  await add(kind, 'tomorrow', later(86_400_000))
  assert.deepEqual(await countJobs(db, clock.now()), { due: 3, dead: 0 })
  assert.deepEqual(await countJobs(db, clock.now(), 2), { due: 2, dead: 0 })
})

test('enqueueing twice makes one job, at the time of the second call', async () => {
  const kind = newKind(async () => undefined)
  await add(kind, 'x', later(5000))
  await add(kind, 'x', later(1000))
  assert.deepEqual(
    (await rows(kind)).map((r) => r.due_at),
    [later(1000)],
  )
})

test('a job that fails is retried after its backoff, and dead after the last attempt', async (t) => {
  const runs: [number, boolean][] = []
  const kind = newKind(async ({ attempt, last_attempt }) => {
    runs.push([attempt, last_attempt])
    throw new Error(`failure ${attempt}`)
  })
  await add(kind, 'x')
  const started = runner(t, kind)
  for (const attempt of [1, 2]) {
    await eventually(async () => (await rows(kind))[0]?.last_error === `Error: failure ${attempt}`)
    const [job] = await rows(kind)
    assert.deepEqual([job?.due_at, job?.dead_at, job?.locked_by], [later(attempt * 1000), null, null])
    clock.time = later(attempt * 1000)
    started.wake()
  }
  await eventually(async () => (await rows(kind))[0]?.dead_at !== null)
  assert.deepEqual(runs, [
    [1, false],
    [2, false],
    [3, true],
  ])
  assert.equal(await nextDue(db, clock.now()), null, 'a dead job is not due')
})

test('a dead job that is enqueued again starts over', async (t) => {
  let broken = true
  const attempts: number[] = []
  const kind = newKind(
    async ({ attempt }) => {
      attempts.push(attempt)
      if (broken) throw new Error('broken')
    },
    { attempts_max: 1 },
  )
  await add(kind, 'x')
  runner(t, kind)
  await eventually(async () => (await rows(kind))[0]?.dead_at != null)
  broken = false
  await add(kind, 'x')
  await eventually(() => isDone(kind))
  assert.deepEqual(attempts, [1, 1])
})

test('a job enqueued while it runs is run again, even if that run was its last attempt and failed', async (t) => {
  for (const fails of [false, true]) {
    const { run, begun, open } = gate()
    const attempts: number[] = []
    const kind = newKind(
      async (job) => {
        attempts.push(job.attempt)
        if (attempts.length > 1) return
        await run(job)
        if (fails) throw new Error('the last attempt fails')
      },
      { attempts_max: 1 },
    )
    await add(kind, 'x')
    const started = runner(t, kind)
    await begun
    await add(kind, 'x')
    open()
    await eventually(() => isDone(kind))
    assert.deepEqual(attempts, [1, 1], fails ? 'failing' : 'done')
    await started.stop(100)
  }
})

test('a job can return the time of its next run', async (t) => {
  const at: Date[] = []
  const kind = newKind(async () => {
    at.push(clock.now())
    return at.length < 3 ? { again_at: later(60_000) } : undefined
  })
  await add(kind, 'x')
  const started = runner(t, kind)
  const began = clock.now()
  for (const n of [1, 2]) {
    await eventually(async () => at.length === n && (await rows(kind))[0]?.locked_by === null)
    assert.deepEqual(
      (await rows(kind)).map((r) => [r.due_at, r.attempts]),
      [[later(60_000), 0]],
    )
    clock.time = later(60_000)
    started.wake()
  }
  await eventually(() => isDone(kind))
  assert.deepEqual(at, [began, later(60_000, began), later(120_000, began)])
})

test('a kind’s concurrency limit holds, and a busy kind does not delay another', async (t) => {
  const { run, open } = gate()
  const slow = newKind(run, { concurrency: 2 })
  const quick = newKind(async () => undefined)
  // at different times, because jobs that are due together have no order
  for (const [i, key] of ['a', 'b', 'c', 'd'].entries()) await add(slow, key, later(i - 4))
  const started = runner(t, slow, quick)
  await eventually(async () => started.running() === 2)
  await add(quick, 'x')
  await eventually(() => isDone(quick))
  assert.deepEqual(
    (await rows(slow)).map((r) => r.locked_by !== null),
    [true, true, false, false],
  )
  open()
  await eventually(() => isDone(slow))
})

test('a waiting job can be canceled, and a running one cannot', async (t) => {
  const { run, begun, open } = gate()
  const kind = newKind(run)
  await add(kind, 'begun')
  runner(t, kind)
  await begun
  await add(kind, 'waiting', later(1000))
  for (const key of ['begun', 'waiting']) await cancelJob(db, kind.kind, key)
  assert.deepEqual(
    (await rows(kind)).map((r) => r.key),
    ['begun'],
  )
  open()
  await eventually(() => isDone(kind))
})

test('a running job counts as due, even if it was rescheduled for later', async (t) => {
  const { run, begun, open } = gate()
  const kind = newKind(run)
  await add(kind, 'x')
  const started = runner(t, kind)
  await begun
  await add(kind, 'x', later(86_400_000))
  const due = await nextDue(db, clock.now())
  assert.ok(due && due <= clock.now())
  open()
  await eventually(async () => started.running() === 0)
  await cancelJob(db, kind.kind, 'x')
})

test('exponential backoff doubles up to its limit, with up to 10 % of jitter', () => {
  const wait = exponentialBackoff(1000, 60_000)
  for (const [attempt, from] of [1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000].entries()) {
    const ms = wait(attempt + 1)
    assert.ok(ms >= from && ms <= from * 1.1, `${attempt + 1}: ${ms}`)
  }
})

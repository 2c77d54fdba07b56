import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { sql } from 'kysely'
import { testDatabase } from '../../test/support/database.ts'
import { eventually } from '../../test/support/eventually.ts'
import { jobsOn } from '../../test/support/jobs.ts'
import { claimJobs } from './job-claims.ts'
import type { JobKind } from './jobs.ts'

/** Accounts that take turns. Keys begin with their account's letter. */

const { db } = await testDatabase()
const { clock, newKind, runner, add, isDone } = jobsOn(db)
beforeEach(() => db.deleteFrom('job').execute())

const accounts: Record<string, string> = { a: '1', b: '2', c: '3' }

const addAll = async (kind: JobKind, keys: readonly string[], size = 0) => {
  for (const key of keys)
    await add(kind, key, undefined, { account_id: accounts[key.charAt(0)] ?? assert.fail(), size })
}
const keysOf = (letter: string, count: number) => Array.from({ length: count }, (_, n) => `${letter}${n}`)

/** A kind with runs that wait until the test ends them one by one. */
function held(over: Partial<JobKind>) {
  const started: string[] = []
  const ends = new Map<string, () => void>()
  const kind = newKind(
    ({ key, signal }) =>
      new Promise<void>((resolve, reject) => {
        started.push(key)
        ends.set(key, resolve)
        signal.addEventListener('abort', () => reject(new Error('stopped')))
      }),
    { turns: {}, ...over },
  )
  const end = (key: string) => (ends.get(key) ?? assert.fail(`${key} has not started`))()
  return { kind, started, end }
}

test('an account’s only job waits for one of another account’s hundred, not for all', async (t) => {
  const ran: string[] = []
  const kind = newKind(async ({ key }) => void ran.push(key), { concurrency: 1, turns: {} })
  await addAll(kind, keysOf('a', 100))
  await addAll(kind, ['b0'])
  runner(t, kind)
  await eventually(() => isDone(kind))
  assert.equal(ran.length, 101)
  assert.ok(ran.indexOf('b0') <= 1, `it was number ${ran.indexOf('b0') + 1}`)
})

test('with one job at a time, the accounts alternate', async (t) => {
  const ran: string[] = []
  const kind = newKind(async ({ key }) => void ran.push(key.charAt(0)), { concurrency: 1, turns: {} })
  await addAll(kind, [...keysOf('a', 4), ...keysOf('b', 3), 'c0'])
  runner(t, kind)
  await eventually(() => isDone(kind))
  assert.equal(ran.join(''), 'abcababa')
})

test('turns are counted across workers: a free worker serves the account with the fewest running jobs', async (t) => {
  const { kind, started, end } = held({ concurrency: 4, per_worker: 2 })
  await addAll(kind, keysOf('a', 100))
  runner(t, kind)
  await eventually(async () => started.length === 2)
  runner(t, kind)
  await eventually(async () => started.length === 4)
  await addAll(kind, keysOf('b', 2))
  for (const [n, key] of ['b0', 'b1'].entries()) {
    end(started[n] ?? assert.fail())
    await eventually(async () => started.length === 5 + n)
    assert.equal(started.at(-1), key)
  }
  end('b0')
  await eventually(async () => started.length === 7)
  assert.match(started.at(-1) ?? '', /^a/, 'and a slot that is free is not kept for anybody')
})

test('an account never exceeds its limit of running jobs across workers', async (t) => {
  const { kind, started, end } = held({ concurrency: 4, turns: { per_account: 3 } })
  const marker = newKind(async () => undefined)
  await addAll(kind, keysOf('a', 10))
  runner(t, kind)
  await eventually(async () => started.length === 3)
  runner(t, kind, marker)
  await add(marker, 'polled')
  await eventually(() => isDone(marker))
  assert.equal(started.length, 3)
  await addAll(kind, ['b0'])
  await eventually(async () => started.length === 4)
  assert.equal(started.at(-1), 'b0')
  end('a0')
  await eventually(async () => started.length === 5)
})

test('an account’s small jobs run before its large one, until that has waited ten minutes', async (t) => {
  for (const [minutes, order] of [
    [9, ['a2', 'a1', 'a0']],
    [11, ['a0', 'a2', 'a1']],
  ] as const) {
    const ran: string[] = []
    const kind = newKind(async ({ key }) => void ran.push(key), { concurrency: 1, turns: {} })
    await addAll(kind, ['a0'], 1_000_000)
    clock.time = new Date(clock.time.getTime() + minutes * 60_000)
    await addAll(kind, ['a1'], 1000)
    await addAll(kind, ['a2'], 10)
    const started = runner(t, kind)
    await eventually(() => isDone(kind))
    assert.deepEqual(ran, order)
    await started.stop(1000)
  }
})

test('two workers that claim at the same time exceed neither the limit of the kind nor that of an account', async () => {
  for (const [over, most] of [
    [{ concurrency: 2 }, 2],
    [{ concurrency: 8, turns: { per_account: 3 } }, 6],
  ] as const) {
    const { kind } = held(over)
    await addAll(kind, [...keysOf('a', 20), ...keysOf('b', 20)])
    const claims = Array.from({ length: 8 }, (_, n) =>
      claimJobs(db, { kind, worker: `w${n}`, now: clock.now(), limit: kind.concurrency, lease_s: 60, running: [] }),
    )
    assert.equal((await Promise.all(claims)).flat().length, most)
    // one worker was killed: its jobs' leases expire
    await sql`update job set locked_until = now() - interval '1 s' where locked_until is not null`.execute(db)
    const again = { kind, worker: 'w9', now: clock.now(), limit: kind.concurrency, lease_s: 60, running: [] }
    assert.equal((await claimJobs(db, again)).length, most)
  }
})

import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { testDatabase } from '../../test/support/database.ts'
import { eventually } from '../../test/support/eventually.ts'
import { jobsOn } from '../../test/support/jobs.ts'
import type { JobKind } from './jobs.ts'

/** Accounts that take turns. Keys begin with the letter of their account. */

const { db } = await testDatabase()
const { clock, newKind, runner, add, isDone } = jobsOn(db)
beforeEach(() => db.deleteFrom('job').execute())

const accounts: Record<string, string> = { a: '1', b: '2', c: '3' }

const addAll = async (kind: JobKind, keys: readonly string[], size = 0) => {
  for (const key of keys)
    await add(kind, key, undefined, { account_id: accounts[key.charAt(0)] ?? assert.fail(), size })
}
const keysOf = (letter: string, count: number) => Array.from({ length: count }, (_, n) => `${letter}${n}`)

/** A kind whose runs wait until they are ended one by one. */
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

test('an account’s one job waits for one of another’s hundred, not for all of them', async (t) => {
  const ran: string[] = []
  const kind = newKind(async ({ key }) => void ran.push(key), { concurrency: 1, turns: {} })
  await addAll(kind, keysOf('a', 100))
  await addAll(kind, ['b0'])
  runner(t, kind)
  await eventually(() => isDone(kind))
  assert.equal(ran.length, 101)
  assert.ok(ran.indexOf('b0') <= 1, `it was number ${ran.indexOf('b0') + 1}`)
})

test('with one job at a time the accounts follow one another', async (t) => {
  const ran: string[] = []
  const kind = newKind(async ({ key }) => void ran.push(key.charAt(0)), { concurrency: 1, turns: {} })
  await addAll(kind, [...keysOf('a', 4), ...keysOf('b', 3), 'c0'])
  runner(t, kind)
  await eventually(() => isDone(kind))
  assert.equal(ran.join(''), 'abcababa')
})

test('turns are counted over all workers: the next that is free serves who has the fewest jobs under way', async (t) => {
  const { kind, started, end } = held({ concurrency: 2 })
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

test('an account has no more jobs under way than it may, over all workers', async (t) => {
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

test('an account’s small jobs come before its large one, until that has waited for ten minutes', async (t) => {
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

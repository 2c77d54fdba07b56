import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { WarehouseUnavailable } from '../engines/call-records/index.ts'
import { silentLog } from '../platform/postgres/log.ts'
import { StartRefused } from '../platform/start-refused.ts'
import { whenAvailable } from './available.ts'

const failure = (code: string) => Object.assign(new pg.DatabaseError('failed', 0, 'error'), { code })

/** Runs a step whose attempts take these times and fail; the next one succeeds. Returns the number of attempts. */
async function attempts(times_s: readonly number[], error: Error = failure('57P03')): Promise<number> {
  let clock_ms = 0
  let made = 0
  const step = async () => {
    const took_s = times_s[made++]
    if (took_s === undefined) return made
    clock_ms += took_s * 1000
    throw error
  }
  return await whenAvailable(silentLog, step, { now: () => clock_ms, pause: async () => void (clock_ms += 250) })
}

test('a start waits for a dependency for a minute from its first failure', async () => {
  assert.equal(await attempts([300, 20, 20]), 4)
  await assert.rejects(attempts([300, 20, 20, 20]), StartRefused)
  await assert.rejects(attempts([1, 20, 20, 20], new WarehouseUnavailable('no response')), WarehouseUnavailable)
})

test('a start keeps waiting while its attempts make progress', async () => {
  assert.equal(await attempts([40, 40, 40, 40]), 5)
  assert.equal(await attempts([1, 20, 20, 40, 20, 20]), 7)
})

test('a statement that reaches its timeout is retried for a minute', async () => {
  assert.equal(await attempts([40, 15, 15], failure('57014')), 4)
  await assert.rejects(attempts([40, 40, 40], failure('57014')), {
    name: 'StartRefused',
    message: /^The database did not finish a statement in time for 60 s\. Check that/,
  })
})

test('a full disk and other errors are thrown immediately', async () => {
  for (const error of [
    failure('53100'),
    new Error('migration failed', { cause: failure('53100') }),
    new Error('other'),
  ])
    await assert.rejects(attempts([1], error), (thrown) => thrown === error)
})

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { testEngine } from '../../../../test/support/engine.ts'
import { openWarehouse } from '../warehouse.ts'

const MiB = 1024 * 1024
const LARGE = join(import.meta.dirname, 'testing/large.ts')

type Told = { accepted: number; duplicates: number; rejected: number; in_use: number[]; rss: number }

test('of 200,000 records no more are in memory at the end than at the beginning, and each arrives once', async () => {
  const count = 200_000
  const engine = await testEngine()
  const warehouse = openWarehouse({ at: { socket: engine.socket } })
  await warehouse.ensureSchema()
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', LARGE, engine.socket, String(count)])
  const { in_use, rss, ...report } = JSON.parse(stdout) as Told
  assert.deepEqual(report, { accepted: count, duplicates: 0, rejected: 0 })
  // what a Node process needs (30 MiB), two batches, and what the store makes of one of them; all the records would be 150 MiB
  assert.equal(in_use.length, 10)
  assert.ok(Math.max(...in_use) < 100 * MiB, `in use: ${in_use.join(', ')}`)
  assert.ok(rss < 450 * MiB, `resident: ${rss}`)
  const filter = { start_call_start_time: new Date(0), start_call_end_time: new Date('2200-01-01T00:00:00Z') }
  const { num_calls, total_cost } = await warehouse.totals({ account_id: '7', filter })
  assert.deepEqual([num_calls, total_cost], [count, '0.002'])
  await warehouse.close()
})

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { testEngine } from '../../../../test/support/engine.ts'
import { totalsOf } from '../testing/queries.ts'
import { openWarehouse } from '../warehouse.ts'

const MiB = 1024 * 1024
const PROGRAM = join(import.meta.dirname, 'testing/large-ingest.ts')

type Report = { accepted: number; duplicates: number; rejected: number; in_use: number[]; rss: number }

test('memory does not grow over 200,000 records, and each is stored once', async () => {
  const count = 200_000
  const engine = await testEngine()
  const warehouse = openWarehouse({ at: { socket: engine.socket } })
  await warehouse.ensureSchema()
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', PROGRAM, engine.socket, String(count)])
  const { in_use, rss, ...report } = JSON.parse(stdout) as Report
  assert.deepEqual(report, { accepted: count, duplicates: 0, rejected: 0 })
  // a Node process (30 MiB), three batches, and the rows of two of them; all the records would be 150 MiB
  assert.equal(in_use.length, 10)
  assert.ok(Math.max(...in_use) < 100 * MiB, `in use: ${in_use.join(', ')}`)
  assert.ok(rss < 450 * MiB, `resident: ${rss}`)
  const filter = { start_call_start_time: new Date(0), start_call_end_time: new Date('2200-01-01T00:00:00Z') }
  const { num_calls, total_cost } = await totalsOf(warehouse, { account_id: '7', filter })
  assert.deepEqual([num_calls, total_cost], [count, '0.002'])
  await warehouse.close()
})

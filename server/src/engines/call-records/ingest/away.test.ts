import assert from 'node:assert/strict'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { testEngine } from '../../../../test/support/engine.ts'
import { PartUnavailable } from '../../../platform/unavailable.ts'
import type { CdrRecord } from '../types.ts'
import { openWarehouse } from '../warehouse.ts'
import { ingestCdrs } from './index.ts'
import { LIMITS } from './limits.ts'
import { call, inPieces, ndjson } from './testing/bodies.ts'

const accountsExist = async (ids: string[]) => new Set(ids)
const content_type = 'application/x-ndjson'
const ever = { start_call_start_time: new Date(0), start_call_end_time: new Date('2200-01-01T00:00:00Z') }

test('an engine killed in the middle of each batch costs no record and makes none twice', async () => {
  const engine = await testEngine()
  const warehouse = openWarehouse({ at: { socket: engine.socket } })
  await warehouse.ensureSchema()
  const killed: (number | undefined)[] = []
  const insert = (records: readonly CdrRecord[]) => {
    const writing = warehouse.insert(records)
    const pid = engine.pid()
    if (pid !== undefined && killed.length < 3 && !killed.includes(pid)) {
      killed.push(pid)
      setTimeout(() => process.kill(pid, 'SIGKILL'), killed.length * 40)
    }
    return writing
  }
  const count = LIMITS.batch_rows * 3
  const stream = inPieces(ndjson(Array.from({ length: count }, (_, at) => call(`${at}`))), 65_536)
  const report = await ingestCdrs({ warehouse: { insert }, accountsExist }, { stream, content_type })
  assert.ok(killed.length >= 1)
  assert.equal(report.rejected, 0)
  // what a lost answer had written counts as duplicates
  assert.equal(report.accepted + report.duplicates, count)
  const { num_calls, billed_seconds } = await warehouse.totals({ account_id: '7', filter: ever })
  assert.deepEqual([num_calls, billed_seconds], [count, String(count * 72)])
  await warehouse.close()
})

function away(t: TestContext) {
  const warehouse = openWarehouse({ at: { socket: join(tmpdir(), crypto.randomUUID()) }, wait_ms: 10 })
  t.after(() => warehouse.close())
  return warehouse
}

test('a store that stays away is told of, and what is still to come is not waited for', async (t) => {
  const stream = inPieces(ndjson(Array.from({ length: LIMITS.batch_rows * 5 }, (_, at) => call(`${at}`))), 65_536)
  const parts = { warehouse: away(t), accountsExist, unavailable_ms: 600 }
  await assert.rejects(ingestCdrs(parts, { stream, content_type }), PartUnavailable)
  assert.equal(stream.destroyed, false)
})

test('an ingest that is called off no longer waits for a store that is away', async (t) => {
  const calledOff = new AbortController()
  const log = { info() {}, error() {}, warn: () => calledOff.abort() }
  const stream = inPieces(ndjson([call('a')]))
  const input = { stream, content_type, signal: calledOff.signal }
  await assert.rejects(ingestCdrs({ warehouse: away(t), accountsExist, log }, input), { name: 'AbortError' })
})

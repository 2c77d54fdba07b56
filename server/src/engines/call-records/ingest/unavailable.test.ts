import assert from 'node:assert/strict'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { testEngine } from '../../../../test/support/engine.ts'
import { DependencyUnavailable } from '../../../platform/unavailable.ts'
import { openWarehouse } from '../warehouse.ts'
import { ingestCdrs } from './ingest.ts'
import { LIMITS } from './limits.ts'
import { call, inChunks, ndjson } from './testing/bodies.ts'
import { totalsOf } from '../testing/queries.ts'

const accountsExist = async (ids: string[]) => new Set(ids)
const content_type = 'application/x-ndjson'
const ever = { start_call_start_time: new Date(0), start_call_end_time: new Date('2200-01-01T00:00:00Z') }

test('killing the engine in the middle of each batch loses and duplicates no records', async () => {
  const engine = await testEngine()
  const warehouse = openWarehouse({ at: { socket: engine.socket } })
  await warehouse.ensureSchema()
  const killed: (number | undefined)[] = []
  const insert: typeof warehouse.insert = (records, ...options) => {
    const inserted = warehouse.insert(records, ...options)
    const pid = engine.pid()
    if (pid !== undefined && killed.length < 3 && !killed.includes(pid)) {
      killed.push(pid)
      setTimeout(() => process.kill(pid, 'SIGKILL'), killed.length * 40)
    }
    return inserted
  }
  const count = LIMITS.batch_rows * 3
  const stream = inChunks(ndjson(Array.from({ length: count }, (_, at) => call(`${at}`))), 65_536)
  const report = await ingestCdrs(
    { warehouse: { insert }, accountsExist, first_unavailable_ms: LIMITS.unavailable_ms },
    { stream, content_type },
  )
  assert.ok(killed.length >= 1)
  assert.equal(report.rejected, 0)
  // records that were inserted without a response count as duplicates
  assert.equal(report.accepted + report.duplicates, count)
  const { num_calls, billed_seconds } = await totalsOf(warehouse, { account_id: '7', filter: ever })
  assert.deepEqual([num_calls, billed_seconds], [count, String(count * 72)])
  await warehouse.close()
})

function unavailableWarehouse(t: TestContext) {
  const warehouse = openWarehouse({ at: { socket: join(tmpdir(), crypto.randomUUID()) }, wait_ms: 10 })
  t.after(() => warehouse.close())
  return warehouse
}

test('a store that stays unavailable fails the ingest without waiting for the rest of the body', async (t) => {
  const stream = inChunks(ndjson(Array.from({ length: LIMITS.batch_rows * 5 }, (_, at) => call(`${at}`))), 65_536)
  const store = unavailableWarehouse(t)
  const tried = new Set<unknown>()
  const insert: typeof store.insert = (records, ...options) => {
    tried.add(records)
    return store.insert(records, ...options)
  }
  const dependencies = { warehouse: { insert }, accountsExist, first_unavailable_ms: 600 }
  await assert.rejects(ingestCdrs(dependencies, { stream, content_type }), DependencyUnavailable)
  assert.ok(tried.size <= 2, `${tried.size} batches were tried`)
})

test('a partly stored body is not rejected when the store is overloaded', async () => {
  const soon: (boolean | undefined)[] = []
  const insert: Parameters<typeof ingestCdrs>[0]['warehouse']['insert'] = async (block, options) => {
    soon.push(options?.soon)
    const accepted = 'rows' in block ? block.rows : block.length
    // other batches fill up during this time
    await sleep(50)
    return { accepted, duplicates: 0 }
  }
  const count = LIMITS.batch_rows_idle + LIMITS.batch_rows * 2
  const stream = inChunks(ndjson(Array.from({ length: count }, (_, at) => call(`${at}`))), 65_536)
  const { accepted } = await ingestCdrs({ warehouse: { insert }, accountsExist }, { stream, content_type })
  assert.equal(accepted, count)
  assert.deepEqual(soon, [true, ...soon.slice(1).map(() => false)])
  assert.ok(soon.length > 2)
})

test('an aborted ingest stops waiting for an unavailable store', async (t) => {
  const aborted = new AbortController()
  const log = { info() {}, error() {}, warn: () => aborted.abort() }
  const stream = inChunks(ndjson([call('a')]))
  const input = { stream, content_type, signal: aborted.signal }
  await assert.rejects(ingestCdrs({ warehouse: unavailableWarehouse(t), accountsExist, log }, input), {
    name: 'AbortError',
  })
})

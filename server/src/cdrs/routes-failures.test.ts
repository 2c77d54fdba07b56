import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { callRecord } from '../engines/call-records/testing/records.ts'
import { testEngine } from '../../test/support/engine.ts'
import { askExport, completedExport, download, exportEnded, march } from '../../test/support/exports.ts'
import { startReceiver, verified } from '../../test/support/receiver.ts'
import { refusal } from '../../test/support/refusals.ts'
import { startTestServer, type TestServer } from '../../test/support/server.ts'
import type { JobRun } from '../platform/jobs.ts'
import { cdrJobs } from './jobs.ts'
import { limits } from './rules.ts'
import { connect } from '../engines/call-records/clickhouse.ts'
import { WarehouseFailed, WarehouseUnavailable } from '../engines/call-records/errors.ts'
import type { Warehouse } from '../engines/call-records/types.ts'
import { openWarehouse } from '../engines/call-records/warehouse.ts'

const engine = await testEngine()
const receiver = await startReceiver()
// without a worker: each test runs the job itself and chooses the attempt number
const server = await startTestServer({ engine_socket: engine.socket })
const { account } = server
const { deps, warehouse, storage, config } = server.runtime

await warehouse.insert(
  Array.from({ length: 5000 }, (_, i) =>
    callRecord({
      account_id: account.id,
      id: `call ${i}`,
      number_alias: `line ${i}`,
      start_time: new Date(Date.UTC(2025, 2, 2) + i),
    }),
  ),
)

/** Runs the job that builds an export, as attempt number `attempt`. */
function build(id: string, attempt: number, over: Partial<Warehouse> = {}, run: Partial<JobRun> = {}) {
  const [kind] = cdrJobs({ warehouse: { ...warehouse, ...over }, storage, config })(deps)
  assert.ok(kind)
  const { signal } = new AbortController()
  return kind.run({ key: id, attempt, interrupted: 0, last_attempt: attempt >= kind.attempts_max, signal, ...run })
}

const read = async (of: Pick<TestServer['account'], 'client'>, id: string) =>
  (await of.client.getCdrExport({ params: { export_id: id } })).body.data.attributes

/** Fails with the engine's error for a query that exceeds its memory limit. */
const outOfMemory: Partial<Warehouse> = {
  export: async () => {
    const direct = connect({ at: { socket: engine.socket } })
    try {
      await direct.rows('SELECT groupArray(number) FROM numbers(100000000) SETTINGS max_memory_usage = 1000000')
    } finally {
      await direct.close()
    }
    throw new Error('the engine should have refused this')
  },
}

test('an export that exceeds the engine’s memory is attempted three times, then fails with the remedy', async () => {
  const { id } = await askExport(account)
  for (const attempt of [1, 2]) {
    await assert.rejects(build(id, attempt, outOfMemory), WarehouseFailed)
    assert.equal((await read(account, id)).status, 'processing')
  }
  await build(id, 3, outOfMemory)
  const failed = await read(account, id)
  assert.equal(failed.status, 'failed')
  assert.match(failed.failure_reason ?? '', /needs more memory .* Request a shorter period/)
  assert.deepEqual([failed.download_url, failed.sha256, failed.total_cost], [null, null, null])
  await build(id, 4)
  assert.equal((await read(account, id)).status, 'failed', 'a failed export stays failed')
  const error = await refusal(account.client.getCdrExportFile({ params: { export_id: id } }), 404)
  assert.equal(error.detail, `Export ${id} is failed and has no file.`)
})

test('an export waits for an unavailable engine, and fails with that reason at the last attempt', async () => {
  const stopped = await testEngine()
  const unavailable = openWarehouse({ at: { socket: stopped.socket }, wait_ms: 50 })
  await stopped.stop()
  const { id } = await askExport(account)
  await assert.rejects(build(id, 1, unavailable), WarehouseUnavailable)
  await assert.rejects(build(id, limits.attempts - 1, unavailable), WarehouseUnavailable)
  assert.equal((await read(account, id)).status, 'processing')
  await build(id, limits.attempts, unavailable)
  assert.match((await read(account, id)).failure_reason ?? '', /was unavailable for several minutes/)
  await unavailable.close()
})

test('a full disk is reported as the reason', async () => {
  const { id } = await askExport(account)
  const full: Partial<Warehouse> = {
    export: () =>
      Promise.reject(Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })),
  }
  await build(id, limits.attempts, full)
  assert.match((await read(account, id)).failure_reason ?? '', /ran out of disk space. Contact the operator/)
})

test('killed workers do not use up attempts, and the last attempt does not end an export without a failure', async () => {
  const { id } = await askExport(account)
  const [kind] = cdrJobs({ warehouse: { ...warehouse, ...outOfMemory }, storage, config })(deps)
  assert.equal(kind?.records_failure, true)
  for (const interrupted of [limits.attempts, limits.attempts_without_end - 1])
    await assert.rejects(build(id, 1, outOfMemory, { interrupted }), WarehouseFailed)
  assert.equal((await read(account, id)).status, 'processing')
})

test('an export that kills one worker after another fails', async () => {
  const { id } = await askExport(account)
  const again: Partial<Warehouse> = { export: () => assert.fail('must not be built again') }
  await build(id, 1, again, { interrupted: limits.attempts_without_end })
  assert.equal((await read(account, id)).status, 'failed')
})

test('stopping mid-export leaves no file, and leaves the export to the next worker', async () => {
  const { id } = await askExport(account)
  const stop = new AbortController()
  const before = await files()
  const stopping: Partial<Warehouse> = {
    export: (query, format, write, options) =>
      warehouse.export(
        query,
        format,
        (...args) => {
          stop.abort(new Error('the worker is stopping'))
          return write(...args)
        },
        options,
      ),
  }
  await assert.rejects(build(id, limits.attempts, stopping, { signal: stop.signal }))
  assert.equal((await read(account, id)).status, 'processing')
  assert.deepEqual(await files(), before)
  await build(id, 2)
  assert.equal((await read(account, id)).status, 'completed')
})

async function files(): Promise<string[]> {
  const found: string[] = []
  for await (const { digest } of deps.files.list()) found.push(digest)
  return found.toSorted()
}

test('an export built by two workers concurrently completes once, with one event', async () => {
  const { id } = await askExport(account)
  await Promise.all([build(id, 1), build(id, 2), build(id, 3)])
  const { rows } = await sql<{ n: string }>`
    select count(*) as n from event where subject_type = 'cdrexport' and subject_id = ${id} and type = 'cdrexport.completed'`.execute(
    server.db,
  )
  assert.equal(rows[0]?.n, '1')
})

test('removing an identical file between writing a file and committing it keeps the new file', async () => {
  const same = await askExport(account, { number_aliases: ['line 7'] })
  await build(same.id, 1)
  const { id } = await askExport(account, { number_aliases: ['line 7'] })
  const removing: Partial<Warehouse> = {
    export: async (...args) => {
      const done = await warehouse.export(...args)
      for (const digest of await files()) await deps.files.remove(digest)
      return done
    },
  }
  await build(id, 1, removing)
  await download({ type: 'cdrexport', id, attributes: await read(account, id), links: { self: '' } })
})

test('progress advances while rows are written, stays below 1 until the end, and is then 1', async () => {
  const { id } = await askExport(account)
  assert.equal((await read(account, id)).progress, 0)
  const seen: number[] = []
  const observed: Partial<Warehouse> = {
    export: (query, format, write, options) =>
      warehouse.export(
        query,
        format,
        (body, totals, progress) => {
          const recorded = async () => {
            for (let at = 0; at === 0; await sleep(10)) ({ progress: at } = await read(account, id))
            seen.push((await read(account, id)).progress)
          }
          return write(Readable.from(pausedMidway(body, recorded), { objectMode: false }), totals, progress)
        },
        options,
      ),
  }
  await build(id, 1, observed)
  assert.equal(seen.length, 1)
  assert.ok(
    seen.every((p) => p > 0 && p < 1),
    seen.join(),
  )
  assert.equal((await read(account, id)).progress, 1)
})

/** Passes on the first rows, and the rest after `until` resolves. */
async function* pausedMidway(body: Readable, until: () => Promise<void>): AsyncGenerator<Buffer> {
  let paused = false
  for await (const chunk of body as AsyncIterable<Buffer>) {
    yield chunk
    // the first chunk is the header line
    if (!paused && chunk.length > 1000) await until()
    paused ||= chunk.length > 1000
  }
}

test('the callback for a failure matches that for a success: the current export, signed', async () => {
  const live = await startTestServer({ worker: true, engine_socket: engine.socket })
  const { client } = live.account
  const { secret } = (await client.getSigningSecret()).body.data.attributes
  const delivered = async (path: string) => {
    const [arrival, ...more] = await receiver.waitFor(1, path)
    assert.ok(arrival)
    assert.deepEqual(more, [])
    return verified(arrival, secret) as { data: unknown; links: unknown; meta: { type: string; sequence: number } }
  }
  const good = await completedExport(live.account, march, { callback_url: receiver.url('/completed') })
  const completed = await delivered('/completed')
  assert.deepEqual([completed.meta.type, completed.data, completed.links], ['cdrexport.completed', good, good.links])

  const direct = connect({ at: { socket: engine.socket } })
  await direct.run('DROP TABLE demarc.cdr')
  await direct.close()
  const { id } = await askExport(live.account, march, { callback_url: receiver.url('/failed') })
  await live.operator.moveClock({ body: { advance: '1 minute' } })
  const bad = await exportEnded(live.account, id)
  assert.equal(bad.attributes.status, 'failed')
  assert.match(
    bad.attributes.failure_reason ?? '',
    /Request the export again. If it fails again, send its ID to the operator/,
  )
  const failed = await delivered('/failed')
  assert.deepEqual([failed.meta.type, failed.data, failed.links], ['cdrexport.failed', bad, bad.links])
  assert.ok(failed.meta.sequence > completed.meta.sequence)
})

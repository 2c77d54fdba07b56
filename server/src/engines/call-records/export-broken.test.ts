/** Exports that are interrupted, that wait, or whose records change must not yield a file or leave a query running. */

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { after, describe, test } from 'node:test'
import { ACCOUNT, ALL_TIME } from './testing/records.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { retryUntilAvailable, testEngine, testWarehouse } from '../../../test/support/engine.ts'
import { heartbeat } from './chdb/socket.ts'
import { SnapshotChanged, WarehouseFailed, WarehouseUnavailable } from './errors.ts'
import { makeVerifier } from './verifier.ts'
import { blockOf } from './rows.ts'
import { INSERTED } from './schema.ts'
import { bulkyAccount, bulkyRecord } from './testing/accounts.ts'
import type { CdrRecord } from './types.ts'
import { openWarehouse } from './warehouse.ts'

const { warehouse, clickhouse, at, database, table } = await testWarehouse()
const embedded = 'url' in at ? undefined : at.socket

describe('an export whose records change during the export', () => {
  test('fails when a matching record was added', async () => {
    const { query, record } = await bulkyAccount(warehouse)
    const { body } = await warehouse.stream(query, 'csv')
    await insertBeforeHorizon(record({ id: 'late' }))
    await assert.rejects(text(body), SnapshotChanged)
  })

  test('fails when a record was deleted', async () => {
    const { query } = await bulkyAccount(warehouse)
    const { body } = await warehouse.stream(query, 'csv')
    await clickhouse.run(
      `ALTER TABLE ${table} DELETE WHERE account_id = ${query.account_id} AND id = 'r77' SETTINGS mutations_sync = 1`,
    )
    await assert.rejects(text(body), SnapshotChanged)
  })

  test('is retried and completes', async () => {
    const { query, record } = await bulkyAccount(warehouse)
    let attempts = 0
    const { totals, result } = await warehouse.export(query, 'ndjson', async (body) => {
      attempts += 1
      if (attempts === 1) await insertBeforeHorizon(record({ id: 'late' }))
      return (await text(body)).split('\n').length - 1
    })
    assert.deepEqual([attempts, totals.num_calls, result], [2, 20_001, 20_001])
  })
})

describe('an interrupted export', () => {
  test(
    'by its reader leaves no query running in the engine',
    { skip: embedded === undefined && 'needs the heartbeat of the embedded engine' },
    async () => {
      const { query } = await bulkyAccount(warehouse)
      const stop = new AbortController()
      const { body } = await warehouse.stream(query, 'csv', { signal: stop.signal })
      await once(body, 'readable')
      stop.abort(new Error('enough'))
      await assert.rejects(text(body), /enough/)
      await eventually(async () => (await heartbeat(embedded ?? '', 1000))?.busy === 0)
    },
  )

  test(
    'by a crash of its engine is reported as unavailable',
    { skip: embedded === undefined && 'kills the engine' },
    async () => {
      const engine = await testEngine()
      const own = openWarehouse({ at: { socket: engine.socket } })
      after(() => own.close())
      await own.ensureSchema()
      await own.insert(Array.from({ length: 20_000 }, (_, index) => bulkyRecord({ id: `r${index}` })))
      const query = { account_id: ACCOUNT, filter: ALL_TIME }
      const { body } = await own.stream(query, 'csv')
      await once(body, 'readable')
      process.kill(engine.pid() ?? assert.fail('no engine runs'), 'SIGKILL')
      await assert.rejects(text(body), WarehouseUnavailable)
      const { totals } = await retryUntilAvailable(() => own.export(query, 'csv', text))
      assert.equal(totals.num_calls, 20_000)
    },
  )

  test('by a server error in the middle of the file fails with that error', async () => {
    const { stream, tag } = await clickhouse.bytes(
      'SELECT throwIf(number = 3000000) FROM numbers(5000000) FORMAT CSV',
      { settings: { max_threads: 1 }, query_class: 'query', compression: 'none' },
    )
    const verifier = makeVerifier('csv', { rows: 5_000_000, newlines: 0 })
    const read = async (): Promise<void> => {
      for await (const chunk of stream as AsyncIterable<Buffer>) verifier.update(chunk)
      verifier.finish(tag)
    }
    await assert.rejects(read(), (error: unknown) => error instanceof WarehouseFailed && error.code === '395')
  })

  test('by a writer that returns early fails', async () => {
    const { query } = await bulkyAccount(warehouse)
    await assert.rejects(
      warehouse.export(query, 'csv', () => Promise.resolve('done')),
      /before reading the whole body/,
    )
  })
})

describe('slow readers', () => {
  test('delay a third export but no other queries', async () => {
    const { query } = await bulkyAccount(warehouse)
    const slow = [await warehouse.stream(query, 'csv'), await warehouse.stream(query, 'csv')]
    let entered = false
    const third = warehouse.stream(query, 'ndjson').finally(() => {
      entered = true
    })
    assert.equal(await warehouse.count(query), 20_000)
    assert.equal((await warehouse.estimate(query)).num_calls, 20_000)
    assert.equal(entered, false)
    slow[0]?.body.destroy()
    const { body } = await third
    await Promise.all([text(body), slow[1] && text(slow[1].body)])
  })

  test('a waiting export can be canceled', async () => {
    const { query } = await bulkyAccount(warehouse, 10)
    const open = [await warehouse.stream(query, 'csv'), await warehouse.stream(query, 'csv')]
    await assert.rejects(warehouse.stream(query, 'csv', { signal: AbortSignal.timeout(100) }), { name: 'TimeoutError' })
    for (const { body } of open) body.destroy()
    await text((await warehouse.stream(query, 'csv')).body)
  })
})

/** Inserts a record like a statement that began before an export and became visible after it. */
function insertBeforeHorizon(record: CdrRecord): Promise<void> {
  return clickhouse.insert(`${database}.cdr`, INSERTED, [blockOf(record).encode(1)])
}

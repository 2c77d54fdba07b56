/** Tests that need a ClickHouse URL but no server: TCP, keep-alive connections, a URL with a user. */

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { ACCOUNT, ALL_TIME, callRecord } from './testing/records.ts'
import { testEngine } from '../../../test/support/engine.ts'
import { loggable } from './client-errors.ts'
import { WarehouseUnavailable } from './errors.ts'
import { openWarehouse } from './warehouse.ts'

test('a store at a URL has the same guarantees', async () => {
  const { socket } = await testEngine()
  const server = createServer((inbound) => {
    const outbound = connect(socket)
    inbound.pipe(outbound).pipe(inbound)
    inbound.once('error', () => outbound.destroy())
    outbound.once('error', () => inbound.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => server.close())
  // A TCP server has an address with a port.
  const { port } = server.address() as AddressInfo
  const warehouse = openWarehouse({ at: { url: `http://demarc:secret@127.0.0.1:${port}` } })
  await warehouse.ready()
  await warehouse.ensureSchema()

  const batch = Array.from({ length: 500 }, (_, index) => callRecord({ id: `r${index}` }))
  assert.deepEqual(await warehouse.insert(batch), { accepted: 500, duplicates: 0 })
  assert.deepEqual(await warehouse.insert(batch), { accepted: 0, duplicates: 500 })
  const query = { account_id: ACCOUNT, filter: ALL_TIME }
  for (const format of ['csv', 'ndjson', 'parquet'] as const) {
    const { totals, result } = await warehouse.export(query, format, text)
    assert.equal(totals.num_calls, 500)
    assert.ok(result.length > 1000)
  }
  await warehouse.close()
})

test('an unreachable store is unavailable after the wait', async () => {
  const warehouse = openWarehouse({ at: { url: 'http://127.0.0.1:9' }, wait_ms: 200 })
  await assert.rejects(warehouse.ready(), WarehouseUnavailable)
  await warehouse.close()
})

test('a store error has the reason but not the search terms', () => {
  const message =
    "Code: 241. DB::Exception: (total) memory limit exceeded: would use 1.50 GiB: While executing JSONExtract(unhex('31323036'))"
  assert.equal(
    loggable(message),
    'Code: 241. DB::Exception: (total) memory limit exceeded: would use 1.50 GiB: While executing JSONExtract(',
  )
  assert.equal(loggable('Unknown identifier `x` in scope SELECT 1206'), 'Unknown identifier `x`')
})

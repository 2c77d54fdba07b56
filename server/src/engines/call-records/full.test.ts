import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { retryableProblem } from '../../platform/unavailable.ts'
import { WarehouseFailed, WarehouseFull } from './errors.ts'
import { ingestCdrs } from './ingest/ingest.ts'
import { call, inChunks, ndjson } from './ingest/testing/bodies.ts'
import { openWarehouse } from './warehouse.ts'

test('a full store is a retryable error, and nothing waits for space', async (t) => {
  let error = ''
  const server = createServer((request, response) => {
    request.resume().once('end', () => {
      response.writeHead(500, { 'x-clickhouse-exception-code': /\d+/.exec(error)?.[0] }).end(error)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  // the server listens on TCP
  const { port } = server.address() as AddressInfo
  const warehouse = openWarehouse({ at: { url: `http://127.0.0.1:${port}` } })
  t.after(() => warehouse.close())
  const ingest = () =>
    ingestCdrs(
      { warehouse, accountsExist: async (ids) => new Set(ids) },
      { stream: inChunks(ndjson([call('a')])), content_type: 'application/x-ndjson' },
    )

  for (const full of [
    'Code: 243. DB::Exception: Cannot reserve 1.00 MiB, not enough space. (NOT_ENOUGH_SPACE)',
    'Code: 75. DB::Exception: Cannot write to file, errno: 28, strerror: No space left on device. (CANNOT_WRITE)',
  ]) {
    error = full
    await assert.rejects(ingest, (thrown) => {
      assert.ok(thrown instanceof WarehouseFull, String(thrown))
      return retryableProblem(thrown)?.type === 'not-ready'
    })
  }
  error = 'Code: 60. DB::Exception: Table does not exist. (UNKNOWN_TABLE)'
  await assert.rejects(ingest, WarehouseFailed)
})

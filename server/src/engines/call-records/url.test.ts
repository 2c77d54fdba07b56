/** Tests that need a ClickHouse URL but no server: TCP, keep-alive connections, a URL with a user. */

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import tls from 'node:tls'
import { ACCOUNT, ALL_TIME, callRecord } from './testing/records.ts'
import { createAuthority, createCertificate } from '../../../test/support/certificates.ts'
import { testEngine } from '../../../test/support/engine.ts'
import { loggable } from './client-errors.ts'
import { WarehouseUnavailable } from './errors.ts'
import { openWarehouse } from './warehouse.ts'

const { socket } = await testEngine()

function forward(inbound: Socket): void {
  const outbound = connect(socket)
  inbound.pipe(outbound).pipe(inbound)
  inbound.once('error', () => outbound.destroy())
  outbound.once('error', () => inbound.destroy())
}

/** Returns the port. */
async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => server.close())
  // A TCP server has an address with a port.
  return (server.address() as AddressInfo).port
}

test('a store at a URL has the same guarantees', async () => {
  const port = await listen(createServer(forward))
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

test('a store with a certificate of a private authority is used with that authority only', async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'demarc-test-'))
  after(() => rm(folder, { recursive: true }))
  const [certificate, private_key] = [path.join(folder, 'server.crt'), path.join(folder, 'server.key')]
  const [own, other] = [createAuthority(folder, 'own'), createAuthority(folder, 'other')]
  createCertificate(own, 'IP:127.0.0.1', { certificate, private_key })
  const port = await listen(
    tls.createServer({ cert: readFileSync(certificate), key: readFileSync(private_key) }, forward),
  )
  const url = `https://demarc:secret@127.0.0.1:${port}`
  const open = (ca?: string) =>
    openWarehouse({
      at: ca === undefined ? { url } : { url, ca: readFileSync(ca, 'utf8') },
      wait_ms: 200,
      failFast: true,
    })
  const trusting = open(own)
  await trusting.ready()
  await trusting.ensureSchema()
  assert.deepEqual(await trusting.insert([callRecord({ id: 'by TLS' })]), { accepted: 1, duplicates: 0 })
  await trusting.close()
  for (const refused of [open(), open(other)]) {
    await assert.rejects(refused.ready(), (error: Error) => {
      assert.ok(error instanceof WarehouseUnavailable)
      assert.doesNotMatch(`${error.message} ${error.stack}`, /secret/)
      return true
    })
    await refused.close()
  }
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

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test, type TestContext } from 'node:test'
import { WarehouseUnavailable } from './errors.ts'
import { LIMITS } from './limits.ts'
import { openWarehouse } from './warehouse.ts'

/** A store that responds to no query, and optionally to pings, with an API process's warehouse. */
async function open(t: TestContext, responds_to_ping: () => boolean) {
  let pings = 0
  const server = createServer((request, response) => {
    if (request.url !== '/ping') return
    pings += 1
    if (responds_to_ping()) response.end('Ok.\n')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://user:password@127.0.0.1:${(server.address() as AddressInfo).port}`
  const warehouse = openWarehouse({ at: { url }, failFast: true })
  t.after(async () => {
    await warehouse.close()
    server.closeAllConnections()
    server.close()
  })
  return { warehouse, pings: () => pings }
}

test('a query is aborted within four seconds if the store does not respond to a ping', async (t) => {
  const { warehouse, pings } = await open(t, () => false)
  await assert.rejects(warehouse.ready(), WarehouseUnavailable)
  // not by wall-clock time, which continues while a busy machine does not run this process
  assert.equal(pings(), 1)
  assert.ok(LIMITS.ping_after_ms + LIMITS.ping_ms < 4_000)
  await assert.rejects(warehouse.ready(), WarehouseUnavailable)
})

test('a slow query continues while the store responds to pings', async (t) => {
  let responding = true
  const { warehouse, pings } = await open(t, () => responding)
  const query = assert.rejects(warehouse.ready(), WarehouseUnavailable)
  while (pings() < 2) await new Promise(setImmediate)
  responding = false
  await query
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, ndjson } from '../src/engines/call-records/ingest/testing/bodies.ts'
import { testEngine } from './support/engine.ts'
import { startTestServer } from './support/server.ts'
import { refused, wire } from './support/wire.ts'

/** Idempotency of the operator's streamed ingest, which switches repeat. */

const engine = await testEngine()
const server = await startTestServer({ engine_socket: engine.socket })
const operator = wire(server.base_url, server.operator_credentials)

let ids = 0
const records = (count: number) =>
  ndjson(Array.from({ length: count }, () => call(`call-${++ids}`, { account_id: server.account.id })))
const upload = (key: string, body: string) =>
  operator('POST /operator/cdrs', {
    headers: { 'content-type': 'application/x-ndjson', 'idempotency-key': key },
    body,
  })

test('an upload repeated with its key gets the first response without being ingested again', async () => {
  const body = records(50)
  const first = await upload('night-1', body)
  assert.deepEqual(first.json, { data: { accepted: 50, duplicates: 0, rejected: 0, errors: [] } })
  const again = await upload('night-1', body)
  assert.deepEqual([again.body, again.headers['idempotency-replayed']], [first.body, 'true'])
  // without the key the records are ingested again, and counted as duplicates
  assert.deepEqual((await upload('night-2', body)).json, {
    data: { accepted: 0, duplicates: 50, rejected: 0, errors: [] },
  })
})

test('a different upload with the same key is a 422', async () => {
  const body = records(20)
  await upload('night-3', body)
  refused(await upload('night-3', records(20)), 422)
  refused(await upload('night-3', body.slice(0, -1)), 422)
  assert.equal((await upload('night-3', body)).headers['idempotency-replayed'], 'true')
})

test('a refused upload may be corrected with the same key', async () => {
  const headers = { 'content-type': 'application/x-ndjson', 'idempotency-key': 'night-4' }
  const body = records(5)
  refused(await operator('POST /operator/cdrs?mapping=unknown', { headers, body }), 422)
  assert.equal((await upload('night-4', body)).status, 200)
})

test('of many equal concurrent uploads, one is ingested', async () => {
  const body = records(30)
  const responses = await Promise.all(Array.from({ length: 12 }, () => upload('night-5', body)))
  const read = responses.filter((a) => a.status === 200 && a.headers['idempotency-replayed'] === undefined)
  assert.equal(read.length, 1)
  for (const response of responses) assert.ok([200, 409].includes(response.status), response.body)
})

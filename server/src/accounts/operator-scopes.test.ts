import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createDemarcClient, type OperatorScope } from '@demarc/client'
import { ingestCall } from '../engines/call-records/testing/records.ts'
import { checkingFetch } from '../../test/support/checking-fetch.ts'
import { testEngine } from '../../test/support/engine.ts'
import { fieldErrors, refusal, sentence } from '../../test/support/refusals.ts'
import { startTestServer } from '../../test/support/server.ts'
import { refused, wire } from '../../test/support/wire.ts'

const engine = await testEngine()
const server = await startTestServer({ engine_socket: engine.socket })
const { operator, base_url, account } = server

const issue = async (scopes?: OperatorScope[]) => {
  const key = (await operator.createOperatorKey({ body: { name: 'Scoped', ...(scopes && { scopes }) } })).body.data
  const { attributes } = key
  const client = createDemarcClient({ retry: false, base_url, fetch: checkingFetch, credentials: attributes })
  return { ...key, client, send: wire(base_url, attributes) }
}

test('a key has full access unless it is created with scopes, and every response lists them', async () => {
  const full = await issue()
  assert.deepEqual(full.attributes.scopes, ['read', 'write'])
  const scoped = await issue(['metrics:read', 'cdrs:ingest'])
  assert.deepEqual((await scoped.client.whoami()).body.data.scopes, ['metrics:read', 'cdrs:ingest'])
  const { body } = await full.client.getOperatorKey({ params: { key_id: scoped.id } })
  assert.deepEqual(body.data.attributes.scopes, ['metrics:read', 'cdrs:ingest'])
  const listed = (await full.client.listOperatorKeys({ query: { limit: 200 } })).body.data
  assert.deepEqual(listed.find(({ id }) => id === scoped.id)?.attributes.scopes, ['metrics:read', 'cdrs:ingest'])
  const { data } = (await operator.listEvents({ query: { subject_type: 'operator_key', subject_id: scoped.id } })).body
  assert.partialDeepStrictEqual(data[0]?.attributes.data, { scopes: ['metrics:read', 'cdrs:ingest'] })
})

test('a key with metrics:read reads the metrics in production, and nothing else', async () => {
  const prometheus = await issue(['metrics:read'])
  const [reader, ingester] = [await issue(['read']), await issue(['cdrs:ingest'])]
  server.runtime.config.mode = 'production'
  try {
    for (const { send } of [prometheus, reader, await issue()])
      assert.match((await send('GET /metrics')).body, /^demarc_http_request_duration_seconds_count/m)
    refused(await ingester.send('GET /metrics'), 403)
    refused(await wire(base_url, account.credentials)('GET /metrics'), 403)
    refused(await wire(base_url)('GET /metrics'), 401)
  } finally {
    server.runtime.config.mode = 'demo'
  }
  assert.equal((await prometheus.send('GET /health/live')).status, 200)
  for (const line of ['GET /operator/accounts', 'GET /operator/cdrs/ingests', 'GET /v2/numbers', 'POST /operator/cdrs'])
    refused(await prometheus.send(line), 403)
})

test('a key with cdrs:ingest sends call records and reads their reports, and nothing else', async () => {
  const { client, send } = await issue(['cdrs:ingest'])
  await ingestCall(client, account.id)
  const [ingest] = (await client.listCdrIngests()).body.data
  assert.equal(ingest?.attributes.accepted, 1)
  assert.ok((await client.getCdrIngestSummary()).body.data.attributes.last_received_at)
  for (const line of [
    'GET /operator/accounts',
    'GET /v2/cdrs/exports',
    'GET /operator/keys',
    'POST /operator/cdrs/recounts',
  ])
    refused(await send(line), 403)
})

test('a key with read sees everything and changes nothing', async () => {
  const { client, send } = await issue(['read'])
  for (const { status } of [await client.listAccounts(), await client.listNumbers(), await client.listCdrIngests()])
    assert.equal(status, 200)
  for (const line of [
    'POST /operator/accounts',
    'POST /v2/cnams',
    'POST /operator/cdrs',
    'GET /v2/notifications/signing_secret',
  ])
    refused(await send(line), 403)
})

test('only a key with full access issues or revokes keys', async () => {
  const target = await issue(['metrics:read'])
  for (const scopes of [['read'], ['metrics:read', 'cdrs:ingest']] as const) {
    const { client } = await issue([...scopes])
    await refusal(client.createOperatorKey({ body: { name: 'More', scopes: ['write'] } }), 403)
    await refusal(client.createOperatorKey({ body: { name: 'Same', scopes: [...scopes] } }), 403)
    await refusal(client.createKey({ params: { account_id: account.id }, body: { name: 'More' } }), 403)
    await refusal(client.revokeOperatorKey({ params: { key_id: target.id } }), 403)
  }
})

test('unknown scopes and an empty list are refused by field, and create nothing', async () => {
  const before = (await operator.listOperatorKeys({ query: { limit: 200 } })).body.data
  for (const scopes of [['metrics:write'], ['numbers:read'], ['read', 'all'], []]) {
    const body = { name: 'Refused', scopes: scopes as OperatorScope[] }
    const errors = await fieldErrors(operator.createOperatorKey({ body }))
    assert.ok(
      Object.keys(errors).every((field) => field.startsWith('scopes')),
      JSON.stringify(errors),
    )
    assert.equal(Object.keys(errors).length, 1)
  }
  assert.deepEqual((await operator.listOperatorKeys({ query: { limit: 200 } })).body.data, before)
})

test('the last key with full access stays, however many narrower ones there are', async () => {
  const last = await issue(['write'])
  const narrow = await issue(['read'])
  for (const { id, attributes } of (await operator.listOperatorKeys({ query: { limit: 200 } })).body.data)
    if (attributes.revoked_at === null && ![last.id, narrow.id].includes(id))
      await last.client.revokeOperatorKey({ params: { key_id: id } })
  const revoking = last.client.revokeOperatorKey({ params: { key_id: last.id } })
  assert.match(await sentence(revoking, 409), /last active operator key with full access/)
  await last.client.revokeOperatorKey({ params: { key_id: narrow.id } })
  refused(await narrow.send('GET /v2/whoami'), 401)
})

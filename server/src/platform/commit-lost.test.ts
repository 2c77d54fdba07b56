import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../../test/support/eventually.ts'
import { startSecondApp } from '../../test/support/second-app.ts'
import { startTestServer } from '../../test/support/server.ts'
import { startTcpProxy, type CommitFate } from '../../test/support/tcp-proxy.ts'
import { reason, wire } from '../../test/support/wire.ts'

/** The database connection is lost while a change is committed. */

const server = await startTestServer()
const proxy = await startTcpProxy(server.runtime.installation.database_url)
const app = await startSecondApp(server, { database_url: proxy.url })
const send = wire(app.base_url, server.account.credentials)

let names = 0
/** Creates a record, loses the connection during COMMIT, and returns whether the record exists. */
async function create(fate: CommitFate | null, headers = {}, value = `LOST ${++names}`) {
  if (fate) proxy.loseCommit(fate)
  const response = await send('POST /v2/cnams', { headers, body: JSON.stringify({ value }) })
  const rows = await server.db.selectFrom('cnam').select('id').where('value', '=', value).execute()
  return { response, value, ids: rows.map((row) => row.id) }
}

test('a committed change gets its normal response even if the connection was lost before the confirmation', async () => {
  for (const headers of [{}, { 'idempotency-key': 'committed' }]) {
    const { response, ids } = await create('unanswered', headers)
    assert.equal(response.status, 201)
    const { data } = response.json as { data: { id: string } }
    assert.deepEqual(ids, [data.id])
  }
})

test('a change whose COMMIT did not arrive is a 503: it was not made and can be sent again', async () => {
  for (const fate of ['unsent', 'withheld'] as const) {
    const { response, value, ids } = await create(fate)
    assert.equal(reason(response, 503), 'The database is not ready. Try again in a moment.')
    assert.deepEqual(ids, [])
    const again = await create(null, {}, value)
    assert.deepEqual([again.response.status, again.ids.length], [201, 1], 'and no session holds its locks')
  }
})

test('if the outcome is unknown, the response says so, and the same key reveals it', async () => {
  const headers = { 'idempotency-key': 'unknown' }
  const { response, value, ids } = await create('down', headers)
  assert.match(reason(response, 503), /whether it was stored is not known.*send it again with the same one/)
  assert.equal(response.headers['retry-after'], '2')
  assert.equal(ids.length, 1, 'it was stored')
  await proxy.reconnect()
  await eventually(async () => (await send('GET /v2/cnams')).status === 200)
  const again = await create(null, headers, value)
  assert.deepEqual([again.response.status, again.response.headers['idempotency-replayed']], [201, 'true'])
  assert.deepEqual(again.ids, ids)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testEngine } from '../../test/support/engine.ts'
import { askExport, exportEnded } from '../../test/support/exports.ts'
import { startTestServer } from '../../test/support/server.ts'
import { startWorker } from '../worker.ts'
import { limits } from './rules.ts'

test('one account’s export does not wait for a hundred exports of another', async (t) => {
  const engine = await testEngine()
  const server = await startTestServer({ engine_socket: engine.socket })
  for (let n = 0; n < limits.processing_per_account; n++) await askExport(server.account)
  const { id } = await askExport(server.other)

  const runner = await startWorker(server.runtime, 'test-turns')
  t.after(() => runner.stop(2000))
  assert.equal((await exportEnded(server.other, id)).attributes.status, 'completed')
  const { data } = (await server.account.client.listCdrExports({ query: { status: 'processing', limit: 200 } })).body
  assert.ok(data.length > limits.processing_per_account / 2, `${data.length} of the others still wait`)
})

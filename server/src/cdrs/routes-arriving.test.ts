import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callRecord, seededRandom } from '../engines/call-records/testing/records.ts'
import { testEngine } from '../../test/support/engine.ts'
import { completedExport, csvRows, download, sumOf, units } from '../../test/support/exports.ts'
import { startTestServer } from '../../test/support/server.ts'

const engine = await testEngine()
const { account, operator } = await startTestServer({ worker: true, engine_socket: engine.socket })
const march_ms = Date.UTC(2025, 2, 1)
const play = seededRandom(7)

function batchOf(batch: number): string {
  const lines = Array.from({ length: 200 }, (_, n) => {
    const {
      custom_x_tag,
      call_fail_sip_code: _none,
      call_fail_reason: _empty,
      ...record
    } = callRecord({
      account_id: account.id,
      id: `arrived ${batch}-${n}`,
      start_time: new Date(march_ms + n * 60_000),
      cost_subtotal: `0.${play.digits(8)}`,
    })
    return `${JSON.stringify({ ...record, custom_x_tags: custom_x_tag })}\n`
  })
  return lines.join('')
}

test('an export completes with exact totals while records in its range arrive continuously', async () => {
  const enough = new AbortController()
  const arrive = async (): Promise<void> => {
    for (let batch = 0; !enough.signal.aborted; batch += 1) {
      const { data } = (await operator.ingestCdrs({ body: batchOf(batch), content_type: 'application/x-ndjson' })).body
      assert.equal(data.accepted, 200, JSON.stringify(data.errors[0]))
    }
  }
  const arriving = arrive()
  const counts: number[] = []
  do {
    const made = await completedExport(account)
    const rows = csvRows(await download(made))
    assert.equal(rows.length, made.attributes.num_calls)
    assert.equal(sumOf(rows, 'total_cost'), units(made.attributes.total_cost ?? ''))
    counts.push(rows.length)
  } while (counts.length < 3 || (counts.at(-1) ?? 0) <= (counts.find((count) => count > 0) ?? Infinity))
  enough.abort()
  await arriving
})

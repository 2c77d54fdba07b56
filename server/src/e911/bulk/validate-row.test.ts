import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../../../test/support/eventually.ts'
import { startTestServer } from '../../../test/support/server.ts'
import { DEMO_EXAMPLES, loadTown } from '../../../test/support/town.ts'

const server = await startTestServer({ worker: true })
const { client } = server.account

test('a row of which only the postal code was checked says so, and is counted', async () => {
  await loadTown(server)
  const rows = [DEMO_EXAMPLES.accepted, { ...DEMO_EXAMPLES.accepted, city: 'Seattle', state: 'WA', zip: '98101' }]
  const body = rows.map((row) => JSON.stringify(row)).join('\n')
  const sent = (await client.createE911Validation({ body, content_type: 'application/x-ndjson' })).body.data
  const read = async () => (await client.getE911Validation({ params: { validation_id: sent.id } })).body.data.attributes
  await eventually(async () => (await read()).status === 'completed')
  const { levels, download_url } = await read()
  assert.deepEqual(levels, { postal: 1, street: 0, range: 0, address: 1 })
  const lines = (await (await fetch(download_url ?? assert.fail('no link'))).text()).trimEnd().split('\n')
  assert.deepEqual(
    lines
      .map((line) => JSON.parse(line) as object)
      .map(({ level, detail }: { level?: string; detail?: string }) => [level, detail]),
    [
      ['address', null],
      ['postal', 'City and postal code match. The street was not checked.'],
    ],
  )
})

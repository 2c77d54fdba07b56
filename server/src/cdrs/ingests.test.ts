import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { testEngine } from '../../test/support/engine.ts'
import { refusal, sentence } from '../../test/support/refusals.ts'
import { startTestServer } from '../../test/support/server.ts'
import { call, csv, ndjson } from '../engines/call-records/ingest/testing/bodies.ts'
import { LIMITS } from '../engines/call-records/ingest/limits.ts'
import { expireIngest } from './ingest.ts'
import { ingestLimits } from './rules.ts'
import { referencedFiles } from './store.ts'

const engine = await testEngine()
const server = await startTestServer({ engine_socket: engine.socket })
const { account, operator, db } = server
const { deps } = server.runtime
const account_id = account.id
const actor = `operator:${server.operator_credentials.access_key}`

const last = async () => {
  const [entry] = (await operator.listCdrIngests({ query: { limit: 1 } })).body.data
  return entry ?? assert.fail('no delivery')
}
const refusedOf = async (ingest_id: string) => {
  const { body } = await operator.getRefusedCdrs({ params: { ingest_id } })
  const lines = (await body.text()).split('\n').slice(0, -1)
  return lines.map(
    (line) => JSON.parse(line) as { line: number; messages: Record<string, string[]>; text: string | null },
  )
}

test('a delivery is recorded with its sender, format, size, and counts', async () => {
  const body = gzipSync(ndjson([call('a', { account_id }), call('b', { account_id }), call('a', { account_id })]))
  const before = server.clock.now()
  const sent = await operator.ingestCdrs({ body, content_type: 'application/x-ndjson', content_encoding: 'gzip' })
  assert.equal(sent.body.meta, undefined)
  const { attributes } = await last()
  const { received_at, duration_ms, ...rest } = attributes
  // to the second, like the API
  assert.ok(Date.parse(received_at) > before.getTime() - 1000 && new Date(received_at) <= server.clock.now())
  assert.ok(duration_ms >= 0)
  assert.deepEqual(rest, {
    actor,
    content_type: 'application/x-ndjson',
    content_encoding: 'gzip',
    mapping: null,
    account_id: null,
    bytes: body.length,
    accepted: 2,
    duplicates: 1,
    rejected: 0,
    newest_call_at: call('a').end_time,
    failure: null,
    refused: null,
  })
  const { id } = await last()
  assert.equal(
    await sentence(operator.getRefusedCdrs({ params: { ingest_id: id } }), 404),
    `Delivery ${id} has no rejected lines; 2 were accepted.`,
  )
})

test('rejected lines can be downloaded as sent, with all of their errors', async () => {
  const wrong = JSON.stringify({ ...call('c', { account_id }), duration: -1 })
  const body = `${wrong}\n${JSON.stringify(call('d', { account_id }))}\nnot JSON\n`
  const { data } = (await operator.ingestCdrs({ body, content_type: 'application/x-ndjson' })).body
  const { id, attributes } = await last()
  assert.deepEqual(
    [attributes.accepted, attributes.rejected, attributes.refused?.lines],
    [data.accepted, data.rejected, 2],
  )
  const lines = await refusedOf(id)
  assert.deepEqual(
    lines.map(({ line, messages }) => ({ line, messages })),
    data.errors,
  )
  assert.deepEqual(
    lines.map(({ text }) => text),
    [wrong, 'not JSON'],
  )
})

test('rejected CSV rows are returned as CSV, including malformed rows', async () => {
  const [header = '', row = ''] = csv([call('e', { account_id })]).split(/\r?\n/)
  const bad = row.replace('outbound', '"sideways, or ""up"""')
  await operator.ingestCdrs({ body: `${header}\n${bad}\n${row}x"\n`, content_type: 'text/csv' })
  assert.deepEqual(
    (await refusedOf((await last()).id)).map(({ line, text }) => [line, text]),
    [
      [2, bad],
      [3, `${row}x"`],
    ],
  )
})

test('a delivery that ends early is recorded with the reason and its accepted records; one rejected as a whole is not recorded', async () => {
  const complete = gzipSync(ndjson(Array.from({ length: 2000 }, (_, n) => call(`cut-${n}`, { account_id }))))
  const body = complete.subarray(0, complete.length - 20)
  const { detail } = await refusal(
    operator.ingestCdrs({ body, content_type: 'application/x-ndjson', content_encoding: 'gzip' }),
    400,
  )
  const { id, attributes } = await last()
  assert.match(attributes.failure ?? '', /^The gzip body is damaged or cut off/)
  assert.equal(attributes.failure, detail)
  assert.ok(attributes.accepted > 0)
  await refusal(operator.ingestCdrs({ body: 'x', content_type: 'text/csv' }), 422)
  assert.equal((await last()).id, id)
})

test('deliveries are counted by day, and filtered by outcome', async () => {
  const all = (await operator.listCdrIngests({ query: { limit: 200 } })).body.data.map(({ attributes }) => attributes)
  const { last_received_at, quiet_s, usual_gap_s, delay_s, days } = (await operator.getCdrIngestSummary()).body.data
    .attributes
  assert.equal(last_received_at, all[0]?.received_at)
  assert.ok(quiet_s !== null && quiet_s >= 0 && usual_gap_s !== null && usual_gap_s >= 0)
  const { received_at = '', newest_call_at = null } = all[0] ?? {}
  assert.equal(delay_s, Math.round((Date.parse(received_at) - Date.parse(newest_call_at ?? '')) / 1000))
  assert.equal(days.length, 14)
  const sum = (count: 'accepted' | 'duplicates' | 'rejected') => all.reduce((total, each) => total + each[count], 0)
  assert.deepEqual(days.at(-1), {
    day: received_at.slice(0, 10),
    deliveries: all.length,
    failed: 1,
    accepted: sum('accepted'),
    duplicates: sum('duplicates'),
    rejected: sum('rejected'),
  })
  assert.deepEqual(new Set(days.slice(0, -1).map(({ deliveries }) => deliveries)), new Set([0]))
  const having = async (outcome: 'rejected' | 'failed') =>
    (await operator.listCdrIngests({ query: { limit: 200, outcome } })).body.data.map(({ attributes }) => attributes)
  assert.deepEqual(
    await having('rejected'),
    all.filter(({ rejected }) => rejected > 0),
  )
  assert.deepEqual(
    await having('failed'),
    all.filter(({ failure }) => failure !== null),
  )
})

test('the first of many rejected lines are stored, and all are counted', async () => {
  const line = `{"id":"${'x'.repeat(900_000)}"}\n`
  const { body } = await operator.ingestCdrs({ body: line.repeat(8), content_type: 'application/x-ndjson' })
  assert.match(body.meta?.message ?? '', /^Nothing was stored: every record was rejected\./)
  const { id, attributes } = await last()
  assert.deepEqual([attributes.rejected, attributes.refused?.lines], [8, 4])
  assert.ok((attributes.refused?.bytes ?? 0) <= LIMITS.refused_bytes)
  assert.equal((await refusedOf(id)).length, 4)
})

test('rejected lines expire, and their file is released', async () => {
  const { id, attributes } = await last()
  const expires_at = new Date(attributes.refused?.expires_at ?? assert.fail('no rejected lines'))
  const { refused_sha256 } = await db
    .selectFrom('cdr_ingest')
    .select('refused_sha256')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  const digests = [refused_sha256 ?? assert.fail('no file')]
  assert.deepEqual(await referencedFiles(db, digests), new Set(digests))
  assert.deepEqual(await expireIngest(deps, id), { again_at: expires_at })
  await server.clock.advanceTo(expires_at)
  assert.equal(
    await sentence(operator.getRefusedCdrs({ params: { ingest_id: id } }), 410),
    `The rejected lines of delivery ${id} have expired. Send the records again.`,
  )
  await expireIngest(deps, id)
  await expireIngest(deps, id)
  assert.deepEqual(await referencedFiles(db, digests), new Set())
  const job = await db
    .selectFrom('job')
    .select('kind')
    .where('key', '=', digests[0] ?? '')
    .execute()
  assert.deepEqual(job, [{ kind: 'remove-file' }])
  assert.equal((await last()).attributes.refused, null)
})

test('a limited number of deliveries is kept, and rejected lines of fewer', async () => {
  const { id } = await last()
  const old = {
    duration_ms: 1,
    actor,
    content_type: 'text/csv',
    bytes: '1',
    accepted: '1',
    duplicates: '0',
    rejected: '1',
  }
  const received_at = server.clock.now()
  const refused = { refused_lines: 1, refused_bytes: '9', refused_expires_at: new Date(received_at.getTime() + 1000) }
  const rows = Array.from({ length: ingestLimits.refused_files + 5 }, (_, n) => ({
    ...old,
    ...refused,
    refused_sha256: String(n).padStart(64, '0'),
    received_at: n === 0 ? new Date(received_at.getTime() - ingestLimits.life_ms - 1) : received_at,
  }))
  await db.insertInto('cdr_ingest').values(rows).execute()
  // old deliveries are deleted periodically, not at every delivery
  const count = Number(ingestLimits.prune_every)
  for (let n = 0; n < count; n++)
    await operator.ingestCdrs({ body: n === 0 ? 'no JSON' : '', content_type: 'application/x-ndjson' })
  const left = await db.selectFrom('cdr_ingest').select(['id', 'refused_sha256']).where('id', '>', id).execute()
  assert.equal(left.filter(({ refused_sha256 }) => refused_sha256 !== null).length, ingestLimits.refused_files)
  assert.equal(left.length, rows.length - 1 + count)
})

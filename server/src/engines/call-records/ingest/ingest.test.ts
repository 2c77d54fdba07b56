import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises'
import { test } from 'node:test'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { testWarehouse } from '../../../../test/support/engine.ts'
import { Problem } from '../../../platform/problem.ts'
import type { CdrTotals } from '../types.ts'
import { ingestCdrs, type IngestInput, type IngestReport } from './ingest.ts'
import { FIELD_NAMES } from './fields.ts'
import { LIMITS } from './limits.ts'
import { call, csv, inChunks, least, ndjson, type Sent } from './testing/bodies.ts'
import { exportedRows, storedIds, totalsOf } from '../testing/queries.ts'

const store = await testWarehouse()
const { warehouse } = store

/** Accounts up to 999 exist. */
const accountsExist = async (ids: string[]) => new Set(ids.filter((id) => Number(id) < 1000))

let accounts = 0
/** A new account that no other test uses. */
const fresh = () => String((accounts += 1))

type Overrides = Omit<IngestInput, 'stream' | 'content_type'> & { content_type?: string }

function send(body: string | Buffer, overrides: Overrides = {}): Promise<IngestReport> {
  const input = { content_type: 'application/x-ndjson', ...overrides, stream: inChunks(body, 10_000) }
  return ingestCdrs({ warehouse, accountsExist }, input)
}

const ever = { start_call_start_time: new Date(0), start_call_end_time: new Date('2200-01-01T00:00:00Z') }
const totals = (account_id: string): Promise<CdrTotals> => totalsOf(warehouse, { account_id, filter: ever })

const calls = (account_id: string, count: number, changes: Sent = {}): Sent[] =>
  Array.from({ length: count }, (_, at) => call(`call-${at}`, { account_id, ...changes }))

async function problemOf(work: Promise<unknown>): Promise<Problem> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof Problem, String(error))
  return error
}

test('both formats, plain and compressed, store the same records', async () => {
  const sums: CdrTotals[] = []
  for (const write of [ndjson, csv]) {
    for (const content_encoding of ['identity', 'gzip', 'zstd']) {
      const account_id = fresh()
      const body = Buffer.from(write(calls(account_id, 50)))
      const sent =
        content_encoding === 'gzip' ? gzipSync(body) : content_encoding === 'zstd' ? zstdCompressSync(body) : body
      const content_type = write === csv ? 'text/csv' : 'application/x-ndjson'
      const report = await send(sent, { content_type, content_encoding })
      assert.deepEqual(report, { accepted: 50, duplicates: 0, rejected: 0, errors: [] })
      sums.push(await totals(account_id))
    }
  }
  for (const each of sums) assert.deepEqual(each, sums[0])
  assert.equal(sums[0]?.total_cost, '0.6497')
})

test('every field is stored as sent', async () => {
  const sent = call('a', { account_id: fresh(), destination_name: 'Zürich, "Altstadt"\n' })
  const { account_id, id: _id, destination_country: _country, custom_x_tags, ...exported } = sent
  await send(ndjson([sent, least('b', { account_id })]))
  const [full, bare] = await exportedRows(warehouse, { account_id: String(account_id), filter: ever })
  assert.deepEqual(full, {
    ...exported,
    custom_x_tag: custom_x_tags,
    callerid_country: 'CA',
    // the five amounts together
    total_cost: '0.012994',
  })
  assert.equal(bare?.total_cost, '0')
})

test('invalid lines are listed and counted, and never invalidate others', async () => {
  const account_id = fresh()
  const good = (id: string) => ndjson([call(id, { account_id })])
  const body = Buffer.concat([
    Buffer.from(`\uFEFF${good('a')}\r\n${good('b').replace('\n', '\r\n')}`),
    Buffer.from('{"broken\n'),
    Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d, 0x0a]),
    Buffer.from(good('c')),
    Buffer.from(`{"id":"${'x'.repeat(LIMITS.line_bytes)}"}\n`),
    Buffer.from(good('d')),
    Buffer.from(ndjson([call('e', { account_id, duration: -1, total_cost: 1 })])),
    Buffer.from(ndjson([call('\uD800', { account_id })]) + good('f').trimEnd()),
  ])
  const { errors, ...counts } = await send(body)
  assert.deepEqual(counts, { accepted: 5, duplicates: 0, rejected: 5 })
  assert.deepEqual(
    errors.map(({ line, messages }) => [line, Object.keys(messages)]),
    [
      [4, ['line']],
      [5, ['line']],
      [7, ['line']],
      [9, ['total_cost', 'duration']],
      [10, ['id']],
    ],
  )
  assert.deepEqual(await storedIds(store, { account_id, filter: ever }), ['a', 'b', 'c', 'd', 'f'])
})

test('all errors of a line are reported together, including the account', async () => {
  const wrong = { ...Object.fromEntries(FIELD_NAMES.map((name) => [name, {}])), account_id: '1000', extra: 1 }
  const { errors } = await send(ndjson([wrong]))
  assert.deepEqual(Object.keys(errors[0]?.messages ?? {}).toSorted(), [...FIELD_NAMES, 'extra'].toSorted())
  assert.deepEqual(errors[0]?.messages.account_id, ['Is not an existing account.'])
})

test('the first hundred invalid lines are listed in order, and the rest are counted', async () => {
  const account_id = fresh()
  const bodies = Array.from({ length: 3000 }, (_, at) =>
    at % 3 === 0
      ? ndjson([call(`${at}`, { account_id })])
      : at % 3 === 1
        ? 'x\n'
        : ndjson([call(`${at}`, { account_id: '5000' })]),
  )
  const { errors, ...counts } = await send(bodies.join(''))
  assert.deepEqual(counts, { accepted: 1000, duplicates: 0, rejected: 2000 })
  assert.equal(errors.length, LIMITS.errors)
  assert.deepEqual(
    errors.map(({ line }) => line),
    Array.from({ length: LIMITS.errors }, (_, at) => Math.floor(at / 2) * 3 + 2 + (at % 2)),
  )
})

test('accounts are looked up in batches, once each', async () => {
  const queries: string[][] = []
  const account_id = fresh()
  const records = Array.from({ length: 400 }, (_, at) =>
    call(`${at}`, { account_id: at % 2 ? account_id : String(2000 + (at % 10)) }),
  )
  const exist = (ids: string[]) => (queries.push(ids), accountsExist(ids))
  const stream = inChunks(ndjson(records), 20_000)
  const report = await ingestCdrs({ warehouse, accountsExist: exist }, { stream, content_type: 'application/x-ndjson' })
  assert.deepEqual([report.accepted, report.rejected], [200, 200])
  assert.equal(queries.length, 1)
  assert.equal(queries.flat().length, 6)
})

test('the account in the request applies only to records without one', async () => {
  const account_id = fresh()
  const { account_id: _, ...without } = call('a')
  const records = [
    without,
    call('b', { account_id }),
    call('c', { account_id: Number(account_id) }),
    call('d', { account_id: '999' }),
  ]
  const { errors, ...counts } = await send(ndjson(records), { account_id })
  assert.deepEqual(counts, { accepted: 3, duplicates: 0, rejected: 1 })
  assert.deepEqual(errors, [
    { line: 4, messages: { account_id: [`Must be ${account_id}, the account in the request.`] } },
  ])
  const unknown = await problemOf(send('', { account_id: '1000' }))
  assert.deepEqual(unknown.detail, { account_id: ['Is not an existing account.'] })
})

test('a repeated record is a duplicate: in the same body, in another, and concurrently', async () => {
  const account_id = fresh()
  const body = ndjson([...calls(account_id, 300), ...calls(account_id, 100, { duration: 1 })])
  assert.deepEqual(await send(body), { accepted: 300, duplicates: 100, rejected: 0, errors: [] })
  const moved = ndjson(calls(account_id, 300, { start_time: '2026-02-01T00:00:00Z' }))
  assert.deepEqual(await send(moved), { accepted: 0, duplicates: 300, rejected: 0, errors: [] })

  const other = fresh()
  const same = ndjson(calls(other, 2000))
  const reports = await Promise.all(Array.from({ length: 4 }, () => send(same)))
  assert.equal(
    reports.reduce((sum, { accepted }) => sum + accepted, 0),
    2000,
  )
  assert.equal(
    reports.reduce((sum, { duplicates }) => sum + duplicates, 0),
    6000,
  )
  for (const account of [account_id, other]) {
    const { num_calls, billed_seconds } = await totals(account)
    assert.equal(billed_seconds, String(num_calls * 72))
  }
  assert.equal((await totals(other)).num_calls, 2000)
})

test('money is exact to the eighth decimal place in every notation', async () => {
  const account_id = fresh()
  const amounts = ['999999999.99999999', '0.00000001', '123456789.12345678', '-0.00000001', '0.1', '0.2']
  const asNumbers = amounts.map((amount, at) => ndjson([call(`n${at}`, { account_id })]).replace('"0.01176"', amount))
  const asText = amounts.map((cost_subtotal, at) => call(`t${at}`, { account_id, cost_subtotal }))
  const inCsv = amounts.map((cost_subtotal, at) => call(`c${at}`, { account_id, cost_subtotal }))
  const exponents = ['1e-8', '1.0E-7'].map((amount, at) =>
    ndjson([call(`e${at}`, { account_id })]).replace('"0.01176"', amount),
  )
  await send(asNumbers.join('') + ndjson(asText) + exponents.join(''))
  const { accepted, rejected } = await send(csv(inCsv), { content_type: 'text/csv' })
  assert.deepEqual([accepted, rejected], [amounts.length, 0])
  // 3 * (999999999.99999999 + 123456789.12345678 + 0.3) + 0.00000011
  assert.equal((await totals(account_id)).call_subtotal, '3370370368.27037042')
})

test('the readable part of a truncated compressed body is stored, and sending the whole body stores the rest', async () => {
  const account_id = fresh()
  const body = gzipSync(ndjson(calls(account_id, 20_000).map((each) => ({ ...each, id: crypto.randomUUID() }))))
  const cut = await problemOf(send(body.subarray(0, body.length - 2000), { content_encoding: 'gzip' }))
  assert.equal(cut.type, 'malformed-request')
  const counts =
    /after (\d+) bytes and (\d+) lines .* Of these lines (\d+) were accepted, 0 were duplicates, and 0 were rejected/.exec(
      String(cut.detail),
    )
  assert.equal(Number(counts?.[1]), body.length - 2000)
  const kept = (await totals(account_id)).num_calls
  assert.ok(kept > 10_000 && kept < 20_000)
  assert.deepEqual(counts?.slice(2), [String(kept), String(kept)])
  const again = await send(body, { content_encoding: 'gzip' })
  assert.deepEqual(again, { accepted: 20_000 - kept, duplicates: kept, rejected: 0, errors: [] })
})

test('a compressed body that unpacks to far more lines than its bytes is read only up to the limit', async () => {
  const account_id = fresh()
  const good = ndjson(calls(account_id, 3))
  for (const filler of ['\n', 'x\n', '{}\n']) {
    const body = gzipSync(good + filler.repeat(1_000_000))
    const { type, detail } = await problemOf(send(body, { content_encoding: 'gzip' }))
    assert.equal(type, 'payload-too-large')
    const lines = /more than 4 lines per compressed byte.* up to line (\d+)\. Of these lines /.exec(String(detail))?.[1]
    assert.ok(Number(lines) <= LIMITS.lines_free + 4 * body.length, String(detail))
  }
  assert.equal((await totals(account_id)).num_calls, 3)
})

test('a compressed body that unpacks to many times its size is read only up to the limit', async () => {
  const account_id = fresh()
  const bomb = Buffer.concat([
    Buffer.from(ndjson(calls(account_id, 3))),
    Buffer.alloc(4 * LIMITS.unpacked_bytes_free, 'x'),
  ])
  const { type, detail } = await problemOf(send(zstdCompressSync(bomb), { content_encoding: 'zstd' }))
  assert.equal(type, 'payload-too-large')
  assert.match(String(detail), /unpacks to more than 1000 times its size.*Of these lines 3 were accepted/)
  assert.equal((await totals(account_id)).num_calls, 3)
})

test('generated records that differ only in their ids are accepted at maximum compression', async () => {
  const body = ndjson(Array.from({ length: 30_000 }, (_, at) => least(`${at}`, { account_id: '5001' })))
  for (const [content_encoding, sent] of [
    ['gzip', gzipSync(body, { level: 9 })],
    ['zstd', zstdCompressSync(body)],
  ] as const)
    assert.equal((await send(sent, { content_encoding })).rejected, 30_000)
})

test('an invalid request is rejected before anything is stored', async () => {
  const account_id = fresh()
  const header = await problemOf(send(csv(calls(account_id, 3)).replace('ccrf', 'crrf'), { content_type: 'text/csv' }))
  assert.deepEqual(header.detail, { crrf: ['Is not a known field.'] })
  for (const overrides of [{ content_type: 'application/json' }, { content_encoding: 'br' }])
    assert.equal((await problemOf(send(ndjson(calls(account_id, 3)), overrides))).type, 'unsupported-media-type')
  assert.equal((await totals(account_id)).num_calls, 0)
})

test('the event loop is not blocked when the whole body is available', async () => {
  const body = ndjson(Array.from({ length: 20_000 }, (_, at) => call(`${at}`, { account_id: '5000' })))
  const other = { turns: 0, over: false }
  const counting = (async () => {
    for (; !other.over; other.turns += 1) await turn()
  })()
  const report = await send(body)
  other.over = true
  await counting
  assert.equal(report.rejected, 20_000)
  assert.ok(other.turns >= 3, `${other.turns} turns`)
})

test('the event loop is not blocked when every line is rejected', async () => {
  // enough to keep even a fast machine busy for several turns
  const body = '{}\n'.repeat((8 * LIMITS.chunk_bytes) / 3)
  const other = { turns: 0, over: false }
  const counting = (async () => {
    for (; !other.over; other.turns += 1) await turn()
  })()
  const stream = Readable.from([Buffer.from(body)])
  await ingestCdrs({ warehouse, accountsExist }, { stream, content_type: 'application/x-ndjson' })
  other.over = true
  await counting
  assert.ok(other.turns >= 4, `${other.turns} turns`)
})

test('an aborted ingest stops', async () => {
  const aborted = new AbortController()
  aborted.abort(new Error('enough'))
  await assert.rejects(send(ndjson(calls('1', 10)), { signal: aborted.signal }), { message: 'enough' })
})

test('records of a slow sender are stored before its body ends', async () => {
  const account_id = fresh()
  const stream = new Readable({ read() {} })
  const ingested = ingestCdrs({ warehouse, accountsExist }, { stream, content_type: 'application/x-ndjson' })
  let sent = 0
  while ((await warehouse.count({ account_id, filter: ever })) === 0) {
    stream.push(ndjson([call(`${(sent += 1)}`, { account_id })]))
    await sleep(20)
  }
  assert.ok(sent < LIMITS.batch_rows)
  stream.push(null)
  assert.equal((await ingested).accepted, sent)
})

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { cdrs, type CdrFilterInput, type ResponseBody, type WireError } from '@demarc/client'
import { callRecord, seededRandom, HOSTILE_TEXTS } from '../engines/call-records/testing/records.ts'
import { testEngine } from '../../test/support/engine.ts'
import { completedExport, csvRows, download, sumOf, units, type ExportResource } from '../../test/support/exports.ts'
import { rawClient } from '../../test/support/raw-client.ts'
import { startTestServer } from '../../test/support/server.ts'
import { connect } from '../engines/call-records/clickhouse.ts'
import type { CdrRecord } from '../engines/call-records/types.ts'

const engine = await testEngine()
const server = await startTestServer({ worker: true, engine_socket: engine.socket })
const { account, other } = server
const { warehouse } = server.runtime

const march_ms = Date.UTC(2025, 2, 1)
const play = seededRandom(2025)
const amount = () => `${play.below(3)}.${play.digits(8)}`

/** Calls throughout March, unsorted, with amounts to eight places and texts that need escaping. */
const calls: CdrRecord[] = Array.from({ length: 3000 }, (_, i) => {
  const start_time = new Date(march_ms + play.below(31 * 86_400_000))
  return callRecord({
    account_id: account.id,
    id: `call ${i}`,
    direction: play.pick(['inbound', 'outbound'] as const),
    start_time,
    end_time: new Date(start_time.getTime() + play.below(3_600_000)),
    destination: play.pick(['+12065550100', '18005550104', '442055501234']),
    number_alias: play.pick(HOSTILE_TEXTS),
    destination_country: play.pick(['US', 'CA', 'GB']),
    result: play.pick(['completed', 'cancelled', 'busy'] as const),
    duration: play.below(4000),
    billed_duration: play.below(4000),
    rate: amount(),
    cost_subtotal: amount(),
    connect_fee: amount(),
    usf_fee: amount(),
    ccrf: amount(),
    cnam_lookup_fee: amount(),
    custom_x_tag: play.some(['gold', 'silver', 'a,b'], 2),
  })
})
await warehouse.insert(calls)
await warehouse.insert([
  callRecord({ account_id: account.id, id: 'first moment', start_time: new Date(march_ms) }),
  callRecord({
    account_id: account.id,
    id: 'last moment',
    start_time: new Date(Date.UTC(2025, 2, 31, 23, 59, 59, 999)),
  }),
  callRecord({ account_id: account.id, id: 'too late', start_time: new Date(Date.UTC(2025, 3, 1)) }),
  callRecord({ account_id: account.id, id: 'too early', start_time: new Date(march_ms - 1) }),
  callRecord({ account_id: other.id, id: "another account's", number_alias: 'not yours' }),
])

/** Totals of the response, each with its column in the file. */
const totals = {
  total_cost: 'total_cost',
  call_subtotal: 'cost_subtotal',
  connect_fees: 'connect_fee',
  cnamlookup_fees: 'cnam_lookup_fee',
  usf_fees: 'usf_fee',
  ccrf: 'ccrf',
} as const

/** Compares the totals with the exact sums of the file's rows. */
function assertTotals({ attributes }: ExportResource, rows: ReturnType<typeof csvRows>): void {
  assert.equal(attributes.num_calls, rows.length)
  for (const [total, column] of Object.entries(totals) as [keyof typeof totals, (typeof totals)['ccrf']][])
    assert.equal(units(attributes[total] ?? ''), sumOf(rows, column), total)
  const seconds = rows.reduce((sum, row) => sum + BigInt(row.billed_duration), 0n)
  const millionths = (seconds * 1_000_000n * 2n + 60n) / 120n
  assert.equal(
    attributes.billed_minutes,
    `${millionths / 1_000_000n}.${String(millionths % 1_000_000n).padStart(6, '0')}`,
  )
}

describe('the file of an export', () => {
  test('contains the calls of the period, sorted by start time, and its totals are the sums of its rows', async () => {
    const done = await completedExport(account)
    const rows = csvRows(await download(done))
    assert.equal(rows.length, 3002)
    const starts = rows.map((row) => row.start_time)
    assert.deepEqual(starts, starts.toSorted())
    assert.equal(starts[0], '2025-03-01T00:00:00.000Z')
    assert.equal(starts.at(-1), '2025-03-31T23:59:59.999Z')
    assertTotals(done, rows)
    for (const row of rows)
      assert.equal(
        units(row.total_cost),
        units(row.cost_subtotal) +
          units(row.connect_fee) +
          units(row.usf_fee) +
          units(row.ccrf) +
          units(row.cnam_lookup_fee),
      )
    const { status, progress, failure_reason, expires_at, created_at } = done.attributes
    assert.deepEqual([status, progress, failure_reason], ['completed', 1, null])
    assert.ok(Date.parse(expires_at ?? '') - Date.parse(created_at) >= 72 * 3_600_000)
    assert.match(done.attributes.total_cost ?? '', /^\d+\.\d{6,8}$/)
  })

  test('truncates finer start and end times to the millisecond, start inclusive and end exclusive', async () => {
    const last = '2025-03-31T23:59:59.999'
    const from = { start_call_start_time: `${last}123Z`, start_call_end_time: '2025-04-01T00:00+0000' }
    assert.equal((await completedExport(account, from)).attributes.num_calls, 1)
    const until = { start_call_end_time: `${last}999+00:00` }
    assert.equal((await completedExport(account, until)).attributes.num_calls, 3001)
  })

  test('preserves every text, except cells that a spreadsheet would evaluate', async () => {
    const kept = new Map(calls.map((call) => [call.start_time.toISOString(), call]))
    let neutralized = 0
    for (const row of csvRows(await download(await completedExport(account)))) {
      const call = kept.get(row.start_time)
      if (!call) continue
      if (row.number_alias === `'${call.number_alias}`) neutralized++
      else assert.equal(row.number_alias, call.number_alias)
      assert.equal(row.destination, call.destination, 'numbers in E.164 stay as they are')
      assert.equal(row.custom_x_tag, call.custom_x_tag.join('|'))
    }
    assert.ok(neutralized > 0)
  })

  test('is narrowed by every given filter', async () => {
    const filters: [Partial<CdrFilterInput>, (call: CdrRecord) => boolean][] = [
      [{ direction: 'inbound' }, (c) => c.direction === 'inbound'],
      [{ exclude_cancelled: true }, (c) => c.result !== 'cancelled'],
      [
        { destination_numbers: ['12065550100'], custom_x_tags: ['gold', 'a,b'] },
        (c) => c.destination === '+12065550100' && c.custom_x_tag.some((t) => t !== 'silver'),
      ],
      [{ number_aliases: ['%', "O'Brien"] }, (c) => ['%', "O'Brien"].includes(c.number_alias)],
      [
        { tollfree_only: true, duration_greater_than: 100, duration_less_than: '200' },
        (c) => c.destination.startsWith('1800') && c.duration > 100 && c.duration < 200,
      ],
      [
        { destination_countries_excluded: ['us'], cost_less_than: '0.5' },
        (c) => c.destination_country !== 'US' && units(c.cost_subtotal) < units('0.5'),
      ],
      [
        { start_call_start_time: '2025-03-10T02:00:00+02:00', start_call_end_time: '2025-03-11 00:00:00' },
        (c) => c.start_time.toISOString().startsWith('2025-03-10'),
      ],
    ]
    for (const [filter, passes] of filters) {
      const done = await completedExport(account, filter)
      const rows = csvRows(await download(done))
      const wanted = calls.filter(passes)
      assert.ok(wanted.length > 0)
      // the month's two extra calls pass only the simplest of these filters
      const extra = rows.length - wanted.length
      assert.ok(extra >= 0 && extra <= 2, JSON.stringify(filter))
      const starts = new Set(rows.map((row) => row.start_time))
      assert.ok(
        wanted.every((call) => starts.has(call.start_time.toISOString())),
        JSON.stringify(filter),
      )
      assertTotals(done, rows)
    }
  })

  test('has the same bytes each time it is requested', async () => {
    const [first, second] = [await completedExport(account), await completedExport(account)]
    assert.equal(first.attributes.sha256, second.attributes.sha256)
    assert.notEqual(first.id, second.id)
  })

  test('without calls has only its header line, and the export completes with zeros', async () => {
    const done = await completedExport(account, {
      start_call_start_time: '2001-01-01 00:00:00',
      start_call_end_time: '2001-01-02 00:00:00',
    })
    assert.equal(gunzipSync(await download(done)).toString(), `${cdrs.exportColumns.join(',')}\n`)
    const { attributes } = done
    assert.equal(attributes.num_calls, 0)
    for (const total of [...(Object.keys(totals) as (keyof typeof totals)[]), 'billed_minutes' as const])
      assert.equal(attributes[total], '0.000000', total)
    for (const format of ['ndjson', 'parquet'] as const) {
      const empty = await completedExport(account, { number_aliases: ['nobody'] }, { format })
      assert.equal(empty.attributes.num_calls, 0)
      await download(empty)
    }
  })

  test("never contains another account's calls", async () => {
    const file = gunzipSync(
      await download(await completedExport(account, { number_aliases: ['not yours'] })),
    ).toString()
    assert.doesNotMatch(file, /not yours/)
    assert.equal((await completedExport(other)).attributes.num_calls, 1)
  })
})

describe('other formats', () => {
  test('ndjson has the same rows, money as text and tags as a list', async () => {
    const csv = csvRows(await download(await completedExport(account)))
    const done = await completedExport(account, {}, { format: 'ndjson' })
    const lines = gunzipSync(await download(done))
      .toString()
      .trimEnd()
      .split('\n')
    assert.equal(lines.length, csv.length)
    for (const [i, line] of lines.entries()) {
      const row = JSON.parse(line) as Record<string, unknown>
      assert.deepEqual(Object.keys(row), [...cdrs.exportColumns])
      assert.equal(row['start_time'], csv[i]?.start_time)
      assert.equal(row['total_cost'], csv[i]?.total_cost)
      assert.equal((row['custom_x_tag'] as string[]).join('|'), csv[i]?.custom_x_tag)
    }
    assertTotals(done, csv)
  })

  test('parquet has the same rows, in typed columns', async () => {
    const csv = csvRows(await download(await completedExport(account)))
    const done = await completedExport(account, {}, { format: 'parquet' })
    const bytes = await download(done)
    assert.equal(bytes.subarray(0, 4).toString(), 'PAR1')
    assert.equal(bytes.subarray(-4).toString(), 'PAR1')
    const reader = connect({ at: { socket: engine.socket } })
    try {
      const sha256 = String(done.attributes.sha256)
      const path = `${server.runtime.installation.files_dir}/${sha256.slice(0, 2)}/${sha256.slice(2, 4)}/${sha256}`
      const [row] = await reader.rows<[string, string, string]>(
        `SELECT toString(count()), toString(sum(total_cost)), arrayStringConcat(groupArray(formatDateTime(start_time, '%FT%T.%fZ')), ',') FROM file('${path}', 'Parquet')`,
      )
      assert.equal(Number(row?.[0]), csv.length)
      assert.equal(units(row?.[1] ?? ''), units(done.attributes.total_cost ?? ''))
      const columns = await reader.rows<[string]>(`DESCRIBE TABLE file('${path}', 'Parquet')`)
      assert.deepEqual(
        columns.map(([name]) => name),
        [...cdrs.exportColumns],
      )
    } finally {
      await reader.close()
    }
    assertTotals(done, csv)
  })

  test('a download is named after its export and format', async () => {
    for (const [format, extension, type] of [
      ['csv', 'csv.gz', 'application/gzip'],
      ['ndjson', 'ndjson.gz', 'application/gzip'],
      ['parquet', 'parquet', 'application/vnd.apache.parquet'],
    ] as const) {
      const { id, attributes } = await completedExport(account, { direction: 'inbound' }, { format })
      const { headers } = await fetch(attributes.download_url ?? '', { method: 'HEAD' })
      assert.equal(headers.get('content-type'), type)
      assert.equal(headers.get('content-disposition'), `attachment; filename="demarc-cdrs-${id}.${extension}"`)
      assert.equal(headers.get('x-content-type-options'), 'nosniff')
      assert.equal(headers.get('content-length'), String(attributes.bytes))
    }
  })
})

test('an estimate has the exact number and cost of the calls, and a plausible size', async () => {
  const { attributes } = await completedExport(account)
  const body = {
    data: { type: 'cdrexport', attributes: { filter_parameters: attributes.filter_parameters as CdrFilterInput } },
  }
  const estimated = (await account.client.estimateCdrExport({ body })).body.data.attributes
  assert.equal(estimated.num_calls, attributes.num_calls)
  assert.equal(estimated.total_cost, attributes.total_cost)
  assert.deepEqual(estimated.filter_parameters, attributes.filter_parameters)
  assert.ok(
    estimated.estimated_bytes > Number(attributes.bytes) / 4 &&
      estimated.estimated_bytes < Number(attributes.bytes) * 4,
  )
  assert.ok(estimated.estimated_seconds >= 1)
})

test('an export’s document can be sent again with one filter changed, as an export or an estimate', async () => {
  const made = await completedExport(account, { direction: 'inbound', cost_less_than: '2.5' })
  const send = rawClient(server.base_url, account)
  const changed = structuredClone(made)
  Object.assign(changed.attributes.filter_parameters, { direction: 'outbound' })
  const again = await send('POST', '/v2/cdrs/exports', { data: changed, links: changed.links })
  assert.equal(again.status, 202, await again.clone().text())
  const { data } = (await again.json()) as { data: ExportResource }
  assert.notEqual(data.id, made.id)
  const filters = { ...made.attributes.filter_parameters, direction: 'outbound' }
  assert.deepEqual(data.attributes.filter_parameters, filters)
  const estimate = await send('POST', '/v2/cdrs/exports/estimate', { data: made })
  const { attributes } = ((await estimate.json()) as ResponseBody<typeof cdrs.estimateCdrExport>).data
  assert.deepEqual(
    [attributes.num_calls, attributes.filter_parameters],
    [made.attributes.num_calls, made.attributes.filter_parameters],
  )
})

test('an export’s read-only attributes are rejected by name if they differ, or without its id', async () => {
  const made = await completedExport(account, { direction: 'inbound' })
  const refused = async (changes: { id?: string | null; attributes?: object }, path: string) => {
    const data = { ...made, ...changes, attributes: { ...made.attributes, ...changes.attributes } }
    const response = await rawClient(server.base_url, account)('POST', path, { data })
    assert.equal(response.status, 422)
    return ((await response.json()) as { errors: WireError[] }).errors.map(({ source }) => source?.pointer.slice(17))
  }
  for (const path of ['/v2/cdrs/exports', '/v2/cdrs/exports/estimate']) {
    assert.deepEqual(await refused({ attributes: { num_calls: 7, direction: 'outbound' } }, path), [
      'direction',
      'num_calls',
    ])
    for (const id of [null, '999999']) assert.ok((await refused({ id }, path)).includes('sha256'), String(id))
  }
})

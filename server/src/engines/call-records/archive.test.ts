import assert from 'node:assert/strict'
import { buffer } from 'node:stream/consumers'
import { Readable } from 'node:stream'
import { describe, test } from 'node:test'
import { testWarehouse } from '../../../test/support/engine.ts'
import { ALL_TIME, callRecord, HOSTILE_TEXTS } from './testing/records.ts'
import type { ArchivePiece, MonthState, Warehouse } from './types.ts'

const { warehouse: source } = await testWarehouse()
const { warehouse: target } = await testWarehouse()
const accounts = ['7001', '7002', '7003']
const later = Number.MAX_SAFE_INTEGER

/** Records of three accounts in two months, most of them of the first. */
const records = Array.from({ length: 60 }, (_, n) =>
  callRecord({
    account_id: accounts[n % 6 === 0 ? 0 : n % 10 === 2 ? 1 : 2] ?? '',
    id: `call-${n}`,
    start_time: new Date(Date.UTC(2025, n % 2, 1 + (n % 28), n % 24, 0, 0, n)),
    end_time: new Date(Date.UTC(2025, n % 2, 1 + (n % 28), n % 24, 1)),
    number_alias: HOSTILE_TEXTS[n % HOSTILE_TEXTS.length] ?? '',
    custom_x_tag: ['a', HOSTILE_TEXTS[n % 7] ?? ''],
    call_fail_sip_code: n % 3 === 0 ? 486 : null,
    connect_fee: '-123456789.12345678',
    customer_ip: n % 2 === 0 ? '192.0.2.10' : '2001:db8::1',
  }),
)
await source.insert(records)

type Copied = { state: MonthState; files: { piece: ArchivePiece; content: Buffer }[] }

async function copyAll(most: number, after = 0): Promise<Copied[]> {
  const months: Copied[] = []
  for (const state of await source.archive.months(later)) {
    const pieces = await source.archive.pieces({ month: state.month, after, until: later }, most)
    const files = []
    for (const piece of pieces) files.push({ piece, content: await buffer(await source.archive.read(piece)) })
    months.push({ state, files })
  }
  return months
}

const columns = async (of: Warehouse, account_id: string) =>
  (await of.newest({ account_id, filter: ALL_TIME }, 100)).map((each) => each.columns)

describe('a copy of all records', async () => {
  const copies = await copyAll(14)

  test('is divided into files of a limited number of records', () => {
    const rows = copies.flatMap(({ files }) => files.map(({ piece }) => piece.rows))
    assert.ok(Math.max(...rows) <= 14, String(rows))
    assert.equal(
      rows.reduce((sum, each) => sum + each, 0),
      records.length,
    )
    assert.ok(copies.flatMap(({ files }) => files).some(({ piece }) => piece.first_account !== piece.last_account))
  })

  test('has every column of every record, and may be stored twice', async () => {
    await target.archive.place(new Set(accounts))
    for (let attempt = 0; attempt < 2; attempt += 1)
      for (const { files } of copies)
        for (const { piece, content } of files)
          await target.archive.write(piece, () => Promise.resolve(Readable.from([content])))
    for (const account_id of accounts) {
      assert.deepEqual(await columns(target, account_id), await columns(source, account_id))
      const query = { account_id, filter: ALL_TIME }
      assert.deepEqual(await target.totals(query), await source.totals(query))
    }
  })

  test('claims the ids: a record that is delivered again at another time is a duplicate', async () => {
    const again = records.map((record) => ({ ...record, start_time: new Date('2025-06-01T00:00:00.000Z') }))
    assert.deepEqual(await target.insert(again), { accepted: 0, duplicates: records.length })
  })

  test('is followed by one of what arrived since', async () => {
    const before = await source.archive.months(later)
    const until = await lastArrival()
    await source.insert([callRecord({ account_id: '7002', id: 'late', start_time: new Date('2025-01-31T00:00:00Z') })])
    const [first, second] = await source.archive.months(later)
    assert.deepEqual([first?.rows, second?.rows], [(before[0]?.rows ?? 0) + 1, before[1]?.rows])
    assert.notEqual(first?.checksum, before[0]?.checksum)
    assert.equal(second?.checksum, before[1]?.checksum)
    const unchanged = await source.archive.month('2025-01', until)
    assert.deepEqual({ ...unchanged, until: later }, before[0])
    const added = await copyAll(14, until)
    assert.deepEqual(
      added.flatMap(({ files }) => files.map(({ piece }) => [piece.month, piece.first_account, piece.rows])),
      [['2025-01', '7002', 1]],
    )
  })
})

/** When the last record arrived, in microseconds. */
async function lastArrival(): Promise<number> {
  let low = 0
  let high = later
  while (high - low > 1) {
    const middle = low + Math.floor((high - low) / 2)
    const rows = (await source.archive.months(middle)).reduce((sum, each) => sum + each.rows, 0)
    if (rows === records.length) high = middle
    else low = middle
  }
  return high
}

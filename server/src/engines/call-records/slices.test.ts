import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { buffer, text } from 'node:stream/consumers'
import { describe, test } from 'node:test'
import { gunzipSync, zstdDecompressSync } from 'node:zlib'
import fc from 'fast-check'
import { testWarehouse } from '../../../test/support/engine.ts'
import { INSERTED } from './schema.ts'
import { blockOf } from './rows.ts'
import { overlaps, pack, planSlices, type Range } from './slices.ts'
import { exportedRows } from './testing/queries.ts'
import { freshAccount } from './testing/accounts.ts'
import { seededRandom } from './testing/records.ts'
import { sumTotals } from './snapshot.ts'
import type { CdrQuery, CdrRecord } from './types.ts'

const SLICE_ROWS = 100
const { warehouse, clickhouse, database, table } = await testWarehouse({ slice_rows: SLICE_ROWS })
const store = { clickhouse, database, slice_rows: SLICE_ROWS }

describe('slices', () => {
  test('have at most the maximum number of records, are in order, and omit none', () => {
    const bucket = fc.record({ bucket: fc.nat(40), rows: fc.integer({ min: 1, max: 150 }) })
    const buckets = fc
      .uniqueArray(bucket, { selector: (each) => each.bucket })
      .map((all) => all.toSorted((a, b) => a.bucket - b.bucket))
    const range: Range = { first_ms: 1000, last_ms: 1000 + 41 * 7 - 1, rows: 0 }
    fc.assert(
      fc.property(buckets, (counted) => {
        const parts = pack(range, SLICE_ROWS, { step_ms: 7, buckets: counted })
        const rows = (list: readonly { rows: number }[]): number => list.reduce((sum, each) => sum + each.rows, 0)
        assert.equal(rows(parts), rows(counted))
        for (const [n, part] of parts.entries()) {
          const inside = counted.filter((each) => {
            const first_ms = range.first_ms + each.bucket * 7
            return first_ms >= part.first_ms && first_ms + 6 <= part.last_ms
          })
          assert.equal(rows(inside), part.rows)
          assert.ok(part.rows <= SLICE_ROWS || inside.length === 1)
          assert.ok(n === 0 || part.first_ms > (parts[n - 1]?.last_ms ?? Infinity))
        }
      }),
    )
  })

  test('are searched for repeated deliveries only where parts of the table overlap', () => {
    const part = fc
      .tuple(fc.nat(60), fc.nat(12))
      .map(([first_ms, length]) => ({ first_ms, last_ms: first_ms + length }))
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
        const covers = (ms: number) => (each: { first_ms: number; last_ms: number }) =>
          each.first_ms <= ms && ms <= each.last_ms
        const found = overlaps(parts)
        for (let ms = 0; ms <= 80; ms++) assert.equal(found.some(covers(ms)), parts.filter(covers(ms)).length > 1)
        for (const [n, each] of found.entries())
          assert.ok(n === 0 || each.first_ms > (found[n - 1]?.last_ms ?? Infinity))
      }),
    )
  })

  test('divide a busy second among quiet years, but not a millisecond', async () => {
    const { query, record } = freshAccount()
    const quiet = Array.from({ length: 50 }, (_, n) =>
      record({ id: `q${n}`, start_time: new Date(Date.UTC(1990 + n)) }),
    )
    const busy = Array.from({ length: 500 }, (_, n) =>
      record({ id: `b${n}`, start_time: new Date(Date.UTC(2025, 0, 1) + n) }),
    )
    const at_once = Array.from({ length: 150 }, (_, n) =>
      record({ id: `a${n}`, start_time: new Date(Date.UTC(2026, 0, 1)) }),
    )
    await warehouse.insert([...quiet, ...busy, ...at_once])
    const { slices } = await planSlices(store, query)
    assert.equal(
      slices.reduce((sum, { rows }) => sum + rows, 0),
      700,
    )
    for (const { rows, first_ms, last_ms } of slices)
      assert.ok(rows <= SLICE_ROWS || first_ms === last_ms, String(rows))
    assert.ok(slices.length >= 8)
  })
})

describe('an export of many slices', () => {
  test('is one sorted file in every format, with the totals of all slices', async () => {
    const { query, records } = await shuffled(1000)
    const sorted = records.toSorted((a, b) => a.start_time.getTime() - b.start_time.getTime() || (a.id < b.id ? -1 : 1))
    const aliases = sorted.map(({ number_alias }) => number_alias)
    assert.deepEqual(
      (await exportedRows(warehouse, query)).map((row) => row['number_alias']),
      aliases,
    )
    const plain = await warehouse.export(query, 'csv', text)
    const packed = await warehouse.export(query, 'csv', buffer, { compression: 'gzip' })
    const zstandard = await warehouse.export(query, 'csv', buffer, { compression: 'zstd' })
    assert.ok(gunzipSync(packed.result).toString() === plain.result, 'gzip differs')
    assert.ok(zstdDecompressSync(zstandard.result).toString() === plain.result, 'Zstandard differs')
    assert.equal(plain.result.split('\n').length, 1002)
    assert.deepEqual(packed.totals, plain.totals)
    assert.equal(plain.totals.num_calls, 1000)
    const parquet = await warehouse.export(query, 'parquet', buffer)
    assert.deepEqual(parquet.totals, plain.totals)
  })

  test('is read by gzip and by Python as one file', async (t) => {
    const { query } = await shuffled(350)
    const packed = await warehouse.export(query, 'csv', buffer, { compression: 'gzip' })
    const plain = await warehouse.export(query, 'csv', text)
    const python = ['-c', 'import gzip,sys; sys.stdout.buffer.write(gzip.GzipFile(fileobj=sys.stdin.buffer).read())']
    for (const [program, args] of [
      ['gzip', ['-dc']],
      ['python3', python],
    ] as const) {
      if (spawnSync(program, ['--version']).error) t.diagnostic(`${program} is not installed here`)
      else assert.equal(execFileSync(program, args, { input: packed.result, encoding: 'utf8' }), plain.result, program)
    }
  })

  test('without calls is a valid file in each compression', async () => {
    const { query } = freshAccount()
    for (const format of ['csv', 'ndjson'] as const) {
      const plain = await warehouse.export(query, format, text)
      const packed = await warehouse.export(query, format, buffer, { compression: 'gzip' })
      assert.equal(gunzipSync(packed.result).toString(), plain.result)
    }
  })

  test('contains a record that was delivered twice once, as delivered first', async () => {
    const { query, record } = freshAccount()
    const records = Array.from({ length: 300 }, (_, n) =>
      record({ id: `r${String(n).padStart(3, '0')}`, start_time: new Date(Date.UTC(2025, 2, 1, 0, n)), duration: 10 }),
    )
    await warehouse.insert(records)
    // bypasses the claims, like a killed sender whose statement was still in flight
    await clickhouse.run(`SYSTEM STOP MERGES ${table}`)
    const second = records.slice(120, 130).map((each) => ({ ...each, duration: 99 }))
    await clickhouse.insert(`${database}.cdr`, INSERTED, [blockOf(...second).encode(Date.now() * 1000)])
    const { slices } = await planSlices(store, query)
    assert.deepEqual(slices.map(({ repeated }) => repeated).filter(Boolean), [true])
    for (const format of ['csv', 'ndjson', 'parquet'] as const)
      assert.equal((await warehouse.export(query, format, buffer)).totals.num_calls, 300)
    assert.equal((await exportedRows(warehouse, query)).length, 300)
    const longer = { ...query, filter: { ...query.filter, duration_greater_than: '50' } }
    assert.equal(await warehouse.count(longer), 0, 'the second delivery passes the filter, the first does not')
    await clickhouse.run(`SYSTEM START MERGES ${table}`)
  })
})

test('totals of slices add up exactly', () => {
  const one = sumTotals([])
  const total = sumTotals([
    { ...one, num_calls: 1, total_cost: '0.00000001', billed_seconds: '7' },
    { ...one, num_calls: 2, total_cost: '-90071992547409.93', billed_seconds: '9007199254740993' },
  ])
  assert.deepEqual(total, {
    ...one,
    num_calls: 3,
    total_cost: '-90071992547409.92999999',
    billed_seconds: '9007199254741000',
  })
})

/** An account with records at random times in three months. */
async function shuffled(count: number): Promise<{ query: CdrQuery; records: CdrRecord[] }> {
  const { query, record } = freshAccount()
  const random = seededRandom(count)
  const records = Array.from({ length: count }, (_, index) =>
    record({
      id: `r${random.below(1e9)}-${index}`,
      start_time: new Date(Date.UTC(2025, random.below(3), 1 + random.below(28), 0, 0, random.below(2000))),
      number_alias: `n${index}`,
    }),
  )
  await warehouse.insert(records)
  return { query, records }
}

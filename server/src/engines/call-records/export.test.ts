import assert from 'node:assert/strict'
import { buffer, text } from 'node:stream/consumers'
import { describe, test } from 'node:test'
import { parse } from 'csv-parse/sync'
import { seededRandom, HOSTILE_TEXTS } from './testing/records.ts'
import { testWarehouse } from '../../../test/support/engine.ts'
import { EXPORT_COLUMNS } from './columns.ts'
import { formatUnits } from './decimal.ts'
import { bulkyAccount, freshAccount } from './testing/accounts.ts'
import { exportedRows } from './testing/queries.ts'
import type { CdrQuery, CdrRecord } from './types.ts'

const { warehouse, clickhouse, at } = await testWarehouse()
const embedded = 'socket' in at

describe('a CSV export', () => {
  test("has the API's columns in order", async () => {
    const { query } = freshAccount()
    assert.equal(
      await text((await warehouse.stream(query, 'csv')).body),
      'direction,start_time,end_time,destination,number_alias,callerid,total_cost,destination_name,callerid_country,' +
        'line_information,result,call_fail_sip_code,call_fail_reason,duration,billed_duration,rate,first_increment,' +
        'subsequent_increment,cost_subtotal,connect_fee,usf_fee,ccrf,cnam_lookup_fee,custom_x_tag,customer_ip\n',
    )
  })

  test('preserves every text in every column, with formulas neutralized', async () => {
    const { query, records } = await hostile()
    const rows = parse(await buffer((await warehouse.stream(query, 'csv')).body), { columns: true }) as Record<
      string,
      string
    >[]
    assert.deepEqual(
      rows,
      records.map((record) => Object.fromEntries(EXPORT_COLUMNS.map((column) => [column, csvCell(record, column)]))),
    )
  })
})

describe('an NDJSON export', () => {
  test('preserves every text in every column, and writes money as text', async () => {
    const { query, records } = await hostile()
    const lines = (await text((await warehouse.stream(query, 'ndjson')).body)).split('\n').slice(0, -1)
    assert.deepEqual(
      lines.map((line) => JSON.parse(line) as unknown),
      records.map((record) => Object.fromEntries(EXPORT_COLUMNS.map((column) => [column, jsonCell(record, column)]))),
    )
    assert.equal(await warehouse.count(query), lines.length)
  })
})

describe('a Parquet export', { skip: !embedded && 'reads the file with the embedded engine' }, () => {
  test('is one file that other tools can read, with exact money', async () => {
    const { query, records } = await hostile()
    const { body, totals } = await warehouse.stream(query, 'parquet')
    const bytes = await buffer(body)
    const read = `SELECT toString(count()), toString(sum(total_cost)), toString(sum(length(number_alias))),
toString(toTypeName(any(total_cost))), toString(toTypeName(any(start_time)))
FROM format(Parquet, unhex('${bytes.toString('hex')}'))`
    assert.deepEqual(await clickhouse.rows(read), [
      [
        String(totals.num_calls),
        totals.total_cost,
        String(records.reduce((sum, record) => sum + Buffer.byteLength(record.number_alias), 0)),
        'Decimal(18, 8)',
        "DateTime64(3, 'UTC')",
      ],
    ])
  })

  test('without calls is a valid file', async () => {
    const { query } = freshAccount()
    const bytes = await buffer((await warehouse.stream(query, 'parquet')).body)
    assert.equal(bytes.subarray(-4).toString(), 'PAR1')
  })
})

describe('an export', () => {
  test('is sorted by start time, then id', async () => {
    const { query, record } = freshAccount()
    const random = seededRandom(7)
    const records = Array.from({ length: 3000 }, (_, index) =>
      record({
        id: `r${random.below(1e9)}-${index}`,
        start_time: new Date(Date.UTC(2025, random.below(3), 1, 0, 0, random.below(200))),
        number_alias: `n${index}`,
      }),
    )
    await warehouse.insert(records)
    const rows = await exportedRows(warehouse, query)
    const sorted = records.toSorted((a, b) => a.start_time.getTime() - b.start_time.getTime() || (a.id < b.id ? -1 : 1))
    assert.deepEqual(
      rows.map((row) => row['number_alias']),
      sorted.map((each) => each.number_alias),
    )
  })

  test('without calls has zero totals', async () => {
    const { query } = freshAccount()
    const zero = {
      num_calls: 0,
      total_cost: '0',
      call_subtotal: '0',
      connect_fees: '0',
      cnamlookup_fees: '0',
      usf_fees: '0',
      ccrf: '0',
      billed_seconds: '0',
    }
    assert.deepEqual(await warehouse.export(query, 'ndjson', text), { totals: zero, result: '' })
    assert.deepEqual(await warehouse.estimate(query), { num_calls: 0, total_cost: '0', bytes: 0 })
  })

  test('has exact totals of its rows while records are inserted', async () => {
    const { query, record } = await bulkyAccount(warehouse, 2000)
    const random = seededRandom(11)
    const ingesting = new AbortController()
    const ingest = async (): Promise<void> => {
      for (let batch = 0; !ingesting.signal.aborted; batch += 1) {
        await warehouse.insert(
          Array.from({ length: 50 }, (_, index) =>
            record({ id: `new-${batch}-${index}`, cost_subtotal: `0.${random.digits(8)}` }),
          ),
        )
      }
    }
    const ingested = ingest()
    const counts: number[] = []
    for (let round = 0; round < 6; round += 1) {
      const { totals, result } = await warehouse.export(query, 'csv', text)
      const rows = parse(result, { columns: true }) as Record<string, string>[]
      const add = (column: string): string =>
        formatUnits(
          rows.reduce((sum, row) => sum + units(row[column] ?? ''), 0n),
          8,
        )
      assert.equal(rows.length, totals.num_calls)
      assert.equal(add('total_cost'), totals.total_cost)
      assert.equal(add('cost_subtotal'), totals.call_subtotal)
      counts.push(totals.num_calls)
    }
    ingesting.abort()
    await ingested
    assert.ok((counts.at(-1) ?? 0) > (counts[0] ?? 0), 'nothing was inserted meanwhile')
  })

  test("has an estimate close to its file's size", async () => {
    const { query } = await bulkyAccount(warehouse, 5000)
    const { bytes, num_calls } = await warehouse.estimate(query)
    const file = await text((await warehouse.stream(query, 'csv')).body)
    assert.equal(num_calls, 5000)
    assert.ok(Math.abs(bytes / file.length - 1) < 0.05, `${bytes} for ${file.length}`)
  })
})

/** One record per hostile text, with that text in every text column. */
async function hostile(): Promise<{ query: CdrQuery; records: CdrRecord[] }> {
  const { query, record } = freshAccount()
  const records = HOSTILE_TEXTS.map((hostile_text, index) =>
    record({
      id: hostile_text,
      start_time: new Date(Date.UTC(2025, 0, 1, 0, 0, index, index)),
      end_time: new Date(Date.UTC(2025, 0, 1, 0, 5, index, 999)),
      destination: hostile_text,
      number_alias: hostile_text,
      callerid: hostile_text,
      destination_name: hostile_text,
      destination_country: hostile_text,
      callerid_country: hostile_text,
      line_information: hostile_text,
      call_fail_reason: hostile_text,
      call_fail_sip_code: index % 2 === 0 ? null : 486,
      custom_x_tag: [hostile_text, 'tag', hostile_text],
      customer_ip: hostile_text,
      cost_subtotal: `-${index}.0000000${index % 10}`,
    }),
  )
  await warehouse.insert(records)
  return { query, records }
}

function csvCell(record: CdrRecord, column: string): string {
  const value = jsonCell(record, column)
  if (value === null) return ''
  const cell = Array.isArray(value) ? value.join('|') : String(value)
  const breaks = ['\t', '\n', '\v', '\f', '\r', '\u0085', '\u2028', '\u2029']
  const invisible = [...breaks, ' ', '\u00a0', '\u3000', '\u200b', '\u202e', '\ufeff', '\0']
  const begin = [...cell].find((c) => !invisible.includes(c)) ?? ''
  const is_formula = breaks.includes(cell.charAt(0)) || ['=', '+', '-', '@', '＝', '＋', '－', '＠'].includes(begin)
  return is_formula && !/^\+?\d+$/.test(cell) && !MONEY.has(column) ? `'${cell}` : cell
}

const MONEY = new Set(['total_cost', 'rate', 'cost_subtotal', 'connect_fee', 'usf_fee', 'ccrf', 'cnam_lookup_fee'])

type Cell = string | number | null | readonly string[]

function jsonCell(record: CdrRecord, column: string): Cell {
  if (column === 'total_cost') {
    const { cost_subtotal, connect_fee, usf_fee, ccrf, cnam_lookup_fee } = record
    return formatUnits(
      [cost_subtotal, connect_fee, usf_fee, ccrf, cnam_lookup_fee].reduce((sum, amount) => sum + units(amount), 0n),
      8,
    )
  }
  // Except for total_cost, the columns of an export are fields of the record.
  const value = Reflect.get(record, column) as Cell | Date
  if (value instanceof Date) return value.toISOString()
  return MONEY.has(column) ? formatUnits(units(String(value)), 8) : value
}

function units(amount: string): bigint {
  const [integer = '', fraction = ''] = amount.replace('-', '').split('.')
  const size = BigInt(integer + fraction.padEnd(8, '0'))
  return amount.startsWith('-') ? -size : size
}

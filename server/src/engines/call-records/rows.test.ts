import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { testWarehouse } from '../../../test/support/engine.ts'
import { blockOf, readKey, RecordBlock } from './rows.ts'
import { INSERTED } from './schema.ts'
import { callRecord } from './testing/records.ts'

const INSERTED_COLUMNS = Object.keys(INSERTED)
const { clickhouse, database } = await testWarehouse()
let tables = 0

/** The rows of blocks by column, as the engine reads them. */
async function readBack(...blocks: readonly RecordBlock[]): Promise<Record<string, unknown>[]> {
  const table = `${database}.t${(tables += 1)}`
  await clickhouse.run(`CREATE TABLE ${table} AS ${database}.cdr ENGINE = Memory`)
  await clickhouse.insert(
    table,
    INSERTED,
    blocks.map((block) => block.encode(1)),
  )
  const names = INSERTED_COLUMNS.map((name) =>
    /_time$|^account_id$/.test(name)
      ? `toString(${name})`
      : /fee$|^rate$|^ccrf$|subtotal$/.test(name)
        ? `toString(${name})`
        : name,
  )
  const rows = await clickhouse.rows<unknown[]>(`SELECT ${names.join(', ')} FROM ${table}`)
  return rows.map((row) => Object.fromEntries(INSERTED_COLUMNS.map((name, at) => [name, row[at]])))
}

test('a row read back equals the record', async () => {
  const record = callRecord({
    account_id: '18446744073709551615',
    id: 'id',
    customer_ip: '192.0.2.1',
    callerid: '+1 206 555 0100',
    destination: '18005550100',
    number_alias: 'Straße',
    ccrf: '0.7',
    call_fail_sip_code: 487,
    custom_x_tag: ['a', '', 'b\nc'],
  })
  const [row] = await readBack(blockOf(record))
  for (const name of INSERTED_COLUMNS) {
    const value = Reflect.get(record, name) as unknown
    if (value !== undefined && !(value instanceof Date)) assert.deepEqual(row?.[name], value, name)
  }
  const { destination_digits, callerid_digits, number_alias_folded, tollfree, newlines } = row ?? {}
  assert.deepEqual(
    [destination_digits, callerid_digits, number_alias_folded, tollfree, newlines],
    ['18005550100', '12065550100', 'STRASSE', true, 1],
  )
})

test('times of all years match ISO 8601', async () => {
  const years = { min: new Date(Date.UTC(1900, 0, 1)), max: new Date(Date.UTC(2299, 11, 31, 23, 59, 59, 999)) }
  const times = fc.sample(fc.date({ ...years, noInvalidDate: true }), 500)
  const rows = await readBack(
    blockOf(...[years.min, years.max, ...times].map((start_time) => callRecord({ start_time }))),
  )
  assert.deepEqual(
    rows.map(({ start_time }) => start_time),
    [years.min, years.max, ...times].map((time) => time.toISOString().replace('T', ' ').replace('Z', '')),
  )
})

test('amounts of any size are exact', async () => {
  const some = [
    '0',
    '0.00000001',
    '-0.5',
    '89999999.99999999',
    '-90071992.54740993',
    '999999999.99999999',
    '-999999999.99999999',
  ]
  const rows = await readBack(blockOf(...some.map((rate) => callRecord({ rate }))))
  assert.deepEqual(
    rows.map(({ rate }) => rate),
    some,
  )
})

test('text of any length and alphabet is preserved, and an unpaired surrogate is replaced', async () => {
  const some = [
    '',
    'a',
    '😀',
    'nul\0',
    '\\ud800',
    'é'.repeat(63),
    ...[63, 64, 65, 127, 128, 129, 1024].map((n) => 'x'.repeat(n)),
    '漢'.repeat(1024),
  ]
  const block = blockOf(...some.map((text) => callRecord({ id: text, number_alias: text, custom_x_tag: [text, text] })))
  assert.deepEqual(
    some.map((_, at) => readKey(block.keyAt(at)).id),
    some,
  )
  const rows = await readBack(block)
  assert.deepEqual(
    rows.map(({ id }) => id),
    some,
  )
  assert.deepEqual(
    rows.map(({ number_alias }) => number_alias),
    some,
  )
  assert.deepEqual(
    rows.map(({ custom_x_tag }) => custom_x_tag),
    some.map((text) => [text, text]),
  )
  const [broken] = await readBack(blockOf(callRecord({ number_alias: 'a\ud800b', custom_x_tag: ['\udc00'] })))
  assert.deepEqual([broken?.['number_alias'], broken?.['custom_x_tag']], ['a\ufffdb', ['\ufffd']])
})

test('a column takes any number of distinct texts, and several blocks can be one insert', async () => {
  for (const count of [256, 257, 65_537]) {
    const names = Array.from({ length: count }, (_, at) => `name ${at}`)
    const one = blockOf(...names.map((destination_name) => callRecord({ destination_name })))
    const rows = await readBack(one, blockOf(callRecord({ destination_name: 'last' })))
    assert.deepEqual(
      rows.map(({ destination_name }) => destination_name),
      [...names, 'last'],
    )
  }
})

test("picked rows are the block's rows", async () => {
  const records = Array.from({ length: 300 }, (_, at) =>
    callRecord({
      id: `${'i'.repeat(at)}${at}`,
      destination_name: `name ${at}`,
      call_fail_sip_code: at % 2 ? 404 : null,
      custom_x_tag: Array.from({ length: at % 4 }, (_, tag) => `${tag}`),
      ccrf: `-${at}.25`,
    }),
  )
  const rows = records
    .keys()
    .filter((at) => at % 3 === 1)
    .toArray()
  const block = blockOf(...records)
  const picked = new RecordBlock()
  for (const row of rows) picked.appendFrom(block, row)
  assert.deepEqual(
    await readBack(picked),
    (await readBack(block)).filter((_, at) => at % 3 === 1),
  )
  assert.deepEqual(
    rows.map((_, at) => picked.hashAt(at)),
    rows.map((at) => block.hashAt(at)),
  )
})

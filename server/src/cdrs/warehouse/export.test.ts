import assert from 'node:assert/strict'
import { once } from 'node:events'
import { buffer, text } from 'node:stream/consumers'
import { after, describe, test } from 'node:test'
import { parse } from 'csv-parse/sync'
import { ACCOUNT, ALL_TIME, callRecord, chance, HOSTILE_TEXTS } from '../../../test/support/call-records.ts'
import { testEngine, testWarehouse } from '../../../test/support/engine.ts'
import { EXPORT_COLUMNS } from './columns.ts'
import { formatUnits } from './decimal.ts'
import { pulse } from './engine/socket.ts'
import { SnapshotMoved, WarehouseFailed, WarehouseUnavailable } from './errors.ts'
import { makeMeter } from './meter.ts'
import { insertLine } from './rows.ts'
import { INSERTED_COLUMNS } from './schema.ts'
import type { CdrQuery, CdrRecord } from './types.ts'
import { openWarehouse } from './warehouse.ts'

const { warehouse, clickhouse, at, database } = await testWarehouse()
const embedded = 'url' in at ? undefined : at.socket
let accounts = 0

function fresh(): { query: CdrQuery; record: (given?: Partial<CdrRecord>) => CdrRecord } {
  const account_id = String(80_000 + (accounts += 1))
  return { query: { account_id, filter: ALL_TIME }, record: (given) => callRecord({ account_id, ...given }) }
}

/** An account with enough records that an export of it outgrows every buffer on its way. */
async function many(count = 20_000): Promise<ReturnType<typeof fresh>> {
  const account = fresh()
  await warehouse.insert(
    Array.from({ length: count }, (_, index) => bulky({ account_id: account.query.account_id, id: `r${index}` })),
  )
  return account
}

function bulky(given: Partial<CdrRecord>): CdrRecord {
  return callRecord({ line_information: 'x'.repeat(300), ...given })
}

describe('a CSV export', () => {
  test('has the columns of the interface, in its order', async () => {
    const { query } = fresh()
    assert.equal(
      await text((await warehouse.stream(query, 'csv')).body),
      'direction,start_time,end_time,destination,number_alias,callerid,total_cost,destination_name,callerid_country,' +
        'line_information,result,call_fail_sip_code,call_fail_reason,duration,billed_duration,rate,first_increment,' +
        'subsequent_increment,cost_subtotal,connect_fee,usf_fee,ccrf,cnam_lookup_fee,custom_x_tag,customer_ip\n',
    )
  })

  test('gives back every text in every column, formulas made harmless', async () => {
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
  test('gives back every text in every column as it was, and money as text', async () => {
    const { query, records } = await hostile()
    const lines = (await text((await warehouse.stream(query, 'ndjson')).body)).split('\n').slice(0, -1)
    assert.deepEqual(
      lines.map((line) => JSON.parse(line) as unknown),
      records.map((record) => Object.fromEntries(EXPORT_COLUMNS.map((column) => [column, jsonCell(record, column)]))),
    )
    const { num_calls } = await warehouse.totals(query)
    assert.deepEqual(
      await warehouse.sample(query, 2),
      lines.slice(0, 2).map((line) => JSON.parse(line) as unknown),
    )
    assert.equal(num_calls, lines.length)
  })
})

describe('a Parquet export', { skip: embedded === undefined && 'reads the file with the embedded engine' }, () => {
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

  test('without calls is a file all the same', async () => {
    const { query } = fresh()
    const bytes = await buffer((await warehouse.stream(query, 'parquet')).body)
    assert.equal(bytes.subarray(-4).toString(), 'PAR1')
  })
})

describe('an export', () => {
  test('is sorted by start time, then id', async () => {
    const { query, record } = fresh()
    const random = chance(7)
    const records = Array.from({ length: 3000 }, (_, index) =>
      record({
        id: `r${random.below(1e9)}-${index}`,
        start_time: new Date(Date.UTC(2025, random.below(3), 1, 0, 0, random.below(200))),
        number_alias: `n${index}`,
      }),
    )
    await warehouse.insert(records)
    const rows = await warehouse.sample(query, 5000)
    const sorted = records.toSorted((a, b) => a.start_time.getTime() - b.start_time.getTime() || (a.id < b.id ? -1 : 1))
    assert.deepEqual(
      rows.map((row) => row['number_alias']),
      sorted.map((each) => each.number_alias),
    )
  })

  test('without calls has zero totals', async () => {
    const { query } = fresh()
    const zero = {
      num_calls: 0,
      total_cost: '0',
      call_subtotal: '0',
      connect_fees: '0',
      cnamlookup_fees: '0',
      usf_fees: '0',
      ccrf: '0',
      billed_seconds: '0',
      billed_minutes: '0',
    }
    assert.deepEqual(await warehouse.export(query, 'ndjson', text), { totals: zero, result: '' })
    assert.deepEqual(await warehouse.estimate(query), { num_calls: 0, total_cost: '0', bytes: 0 })
  })

  test('has the totals of its own rows to the last digit, while records keep coming in', async () => {
    const { query, record } = await many(2000)
    const random = chance(11)
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
    assert.ok((counts.at(-1) ?? 0) > (counts[0] ?? 0), 'nothing came in meanwhile')
  })

  test('says how large its file will be, about', async () => {
    const { query } = await many(5000)
    const { bytes, num_calls } = await warehouse.estimate(query)
    const file = await text((await warehouse.stream(query, 'csv')).body)
    assert.equal(num_calls, 5000)
    assert.ok(Math.abs(bytes / file.length - 1) < 0.05, `${bytes} for ${file.length}`)
  })
})

describe('an export whose records move', () => {
  test('breaks off: one came that had to be in it', async () => {
    const { query, record } = await many()
    const { body } = await warehouse.stream(query, 'csv')
    await straggler(record({ id: 'late' }))
    await assert.rejects(text(body), SnapshotMoved)
  })

  test('breaks off: one was removed', async () => {
    const { query } = await many()
    const { body } = await warehouse.stream(query, 'csv')
    await clickhouse.run(
      `ALTER TABLE ${database}.cdr DELETE WHERE account_id = ${query.account_id} AND id = 'r77' SETTINGS mutations_sync = 1`,
    )
    await assert.rejects(text(body), SnapshotMoved)
  })

  test('is started again, and then whole', async () => {
    const { query, record } = await many()
    let attempts = 0
    const { totals, result } = await warehouse.export(query, 'ndjson', async (body) => {
      attempts += 1
      if (attempts === 1) await straggler(record({ id: 'late' }))
      return (await text(body)).split('\n').length - 1
    })
    assert.deepEqual([attempts, totals.num_calls, result], [2, 20_001, 20_001])
  })
})

describe('an export that is broken off', () => {
  test(
    'by its reader leaves nothing running in the engine',
    { skip: embedded === undefined && 'asks the engine' },
    async () => {
      const { query } = await many()
      const stop = new AbortController()
      const { body } = await warehouse.stream(query, 'csv', { signal: stop.signal })
      await once(body, 'readable')
      stop.abort(new Error('enough'))
      await assert.rejects(text(body), /enough/)
      await until(async () => (await pulse(embedded ?? '', 1000))?.busy === 0)
    },
  )

  test(
    'by the end of its engine is reported as lost',
    { skip: embedded === undefined && 'kills the engine' },
    async () => {
      const engine = await testEngine()
      const own = openWarehouse({ at: { socket: engine.socket } })
      after(() => own.close())
      await own.ensureSchema()
      await own.insert(Array.from({ length: 20_000 }, (_, index) => bulky({ id: `r${index}` })))
      const query = { account_id: ACCOUNT, filter: ALL_TIME }
      const { body } = await own.stream(query, 'csv')
      await once(body, 'readable')
      process.kill(engine.pid() ?? assert.fail('no engine runs'), 'SIGKILL')
      await assert.rejects(text(body), WarehouseUnavailable)
      const { totals } = await own.export(query, 'csv', text)
      assert.equal(totals.num_calls, 20_000)
    },
  )

  test('by an error of the server in mid-file tells that error', async () => {
    const { stream, tag } = await clickhouse.bytes(
      'SELECT throwIf(number = 3000000) FROM numbers(5000000) FORMAT CSV',
      { max_threads: 1 },
      'query',
    )
    const meter = makeMeter('csv', { totals: { num_calls: 5_000_000 }, newlines: '0' }, tag)
    const read = async (): Promise<void> => {
      for await (const chunk of stream as AsyncIterable<Buffer>) meter.see(chunk)
      meter.finish()
    }
    await assert.rejects(read(), (error: unknown) => error instanceof WarehouseFailed && error.code === '395')
  })

  test('by a writer that returns early is no export', async () => {
    const { query } = await many()
    await assert.rejects(
      warehouse.export(query, 'csv', () => Promise.resolve('done')),
      /before the end/,
    )
  })
})

describe('slow readers', () => {
  test('hold up a third export, and nothing else', async () => {
    const { query } = await many()
    const slow = [await warehouse.stream(query, 'csv'), await warehouse.stream(query, 'csv')]
    let entered = false
    const third = warehouse.stream(query, 'ndjson').finally(() => {
      entered = true
    })
    assert.equal(await warehouse.count(query), 20_000)
    assert.equal((await warehouse.sample(query, 1)).length, 1)
    assert.equal(entered, false)
    slow[0]?.body.destroy()
    const { body } = await third
    await Promise.all([text(body), slow[1] && text(slow[1].body)])
  })

  test('a wait for its turn can be given up', async () => {
    const { query } = await many(10)
    const held = [await warehouse.stream(query, 'csv'), await warehouse.stream(query, 'csv')]
    await assert.rejects(warehouse.stream(query, 'csv', { signal: AbortSignal.timeout(100) }), { name: 'TimeoutError' })
    for (const { body } of held) body.destroy()
    await text((await warehouse.stream(query, 'csv')).body)
  })
})

/** Leaves a record as an insert does that began before an export and became visible after. */
function straggler(record: CdrRecord): Promise<void> {
  const line = `${insertLine(record).slice(0, -1)},"1"]`
  return clickhouse.insert(`${database}.cdr`, [...INSERTED_COLUMNS, 'arrival'], Buffer.from(line))
}

/** One record for each hostile text, in every text column. */
async function hostile(): Promise<{ query: CdrQuery; records: CdrRecord[] }> {
  const { query, record } = fresh()
  const records = HOSTILE_TEXTS.map((nasty, index) =>
    record({
      id: nasty,
      start_time: new Date(Date.UTC(2025, 0, 1, 0, 0, index, index)),
      end_time: new Date(Date.UTC(2025, 0, 1, 0, 5, index, 999)),
      destination: nasty,
      number_alias: nasty,
      callerid: nasty,
      destination_name: nasty,
      destination_country: nasty,
      callerid_country: nasty,
      line_information: nasty,
      call_fail_reason: nasty,
      call_fail_sip_code: index % 2 === 0 ? null : 486,
      custom_x_tag: [nasty, 'tag', nasty],
      customer_ip: nasty,
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
  const runs = ['=', '+', '-', '@', '\t', '\r'].includes(cell.slice(0, 1)) && !/^\+?\d+$/.test(cell)
  return runs && !MONEY.has(column) ? `'${cell}` : cell
}

const MONEY = new Set(['total_cost', 'rate', 'cost_subtotal', 'connect_fee', 'usf_fee', 'ccrf', 'cnam_lookup_fee'])

function jsonCell(record: CdrRecord, column: string): unknown {
  if (column === 'total_cost') {
    const { cost_subtotal, connect_fee, usf_fee, ccrf, cnam_lookup_fee } = record
    return formatUnits(
      [cost_subtotal, connect_fee, usf_fee, ccrf, cnam_lookup_fee].reduce((sum, amount) => sum + units(amount), 0n),
      8,
    )
  }
  const value: unknown = Reflect.get(record, column)
  if (value instanceof Date) return value.toISOString()
  return MONEY.has(column) ? formatUnits(units(String(value)), 8) : value
}

function units(amount: string): bigint {
  const [whole = '', fraction = ''] = amount.replace('-', '').split('.')
  const size = BigInt(whole + fraction.padEnd(8, '0'))
  return amount.startsWith('-') ? -size : size
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 20_000
  while (!(await holds())) assert.ok(performance.now() < deadline, 'waited for in vain')
}

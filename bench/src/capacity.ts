import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { exportCalls } from './call-records.ts'
import { engineStatement, measureCopy } from './copies.ts'
import { addAccounts, insertRows } from './growth/grow.ts'
import { formatNumber, loadNow, mb, median, table } from './report.ts'
import { newAccount, newOrder, watchMemory, withService, type Account, type Service } from './service.ts'

/** What one of each thing costs. `npm run capacity` calculates with these results. */
export async function benchCapacity(rows: number): Promise<void> {
  await withService({ restarted: true }, async (service) => {
    const account = await newAccount(service)
    const others = await addAccounts(service)
    await measureDatabase(service, account)
    await measureCalls(service, account, others, rows)
  })
}

/** Units that are made over HTTP have all that belongs to them: events, jobs, keys. */
const made = { accounts: 400, orders: 200, numbers_per_order: 10, exports: 50 } as const
const inserted = 200_000

async function measureDatabase(service: Service, account: Account): Promise<void> {
  const { account_id } = account
  const bytes_per = async (count: number, add: () => Promise<unknown>) => {
    const before = await databaseBytes(service)
    await add()
    return [formatNumber(count), formatNumber(Math.round(((await databaseBytes(service)) - before) / count))]
  }
  const repeat = async (count: number, add: (n: number) => Promise<unknown>) => {
    for (let n = 0; n < count; n++) await add(n)
  }
  const range = { from: 0, to: inserted }
  const series = 'generate_series($1::bigint, $2::bigint - 1) i'
  table({
    name: 'units',
    title: 'Bytes in PostgreSQL, with indexes and events',
    head: ['', 'measured', 'bytes each'],
    rows: [
      [
        'account with a key',
        ...(await bytes_per(made.accounts, () => repeat(made.accounts, () => newAccount(service)))),
      ],
      [
        'number',
        ...(await bytes_per(inserted, () =>
          insertRows(service, {
            sql: `insert into number (account_id, value, alias, number_type, monthly_cost, created_at)
              select ${account_id}, 13000000000 + i, 'Room ' || i, 'longcode', 1.25, now() from ${series}`,
            tables: 'number',
            ...range,
          }),
        )),
      ],
      [
        'event',
        ...(await bytes_per(inserted, () =>
          insertRows(service, {
            sql: `insert into event (chain_id, sequence, occurred_at, actor, type, subject_type, subject_id, data, salt, content_hash, hash)
              select ${account_id}, 1000000 + i, now(), 'key:1', 'number.updated', 'number', 13000000000 + i,
                '{"changed": ["alias"]}', uuid_send(gen_random_uuid()), sha256(int8send(i)), sha256(int8send(i)) from ${series}`,
            tables: 'event',
            ...range,
          }),
        )),
      ],
      [
        `port order of ${made.numbers_per_order} numbers`,
        ...(await bytes_per(made.orders, () => repeat(made.orders, (n) => newOrder(account, numbersOf(n))))),
      ],
      [
        'call-record export',
        ...(await bytes_per(made.exports, () => repeat(made.exports, () => exportCalls(service, account)))),
      ],
    ],
  })
}

const numbersOf = (order: number): string[] =>
  Array.from(
    { length: made.numbers_per_order },
    (_, i) => `+1206556${String(order * made.numbers_per_order + i).padStart(4, '0')}`,
  )

async function databaseBytes(service: Service): Promise<number> {
  const client = new pg.Client({ connectionString: service.database_url })
  await client.connect()
  try {
    const { rows } = await client.query<{ bytes: string }>('select pg_database_size(current_database()) as bytes')
    return Number(rows[0]?.bytes)
  } finally {
    await client.end()
  }
}

/** Call records of a year: a tenth of them one account's, the others of a hundred accounts. */
async function measureCalls(
  service: Service,
  account: Account,
  others: readonly string[],
  rows: number,
): Promise<void> {
  const statement = (sql: string) => engineStatement(path.join(service.folder, 'cdrs'), sql)
  const sizes = [rows / 100, rows / 10, rows]
  const measured: string[][] = []
  const loads: number[] = []
  const demo = await bytesOf(statement)
  for (const [i, size] of sizes.entries()) {
    await fill(statement, { account_id: account.account_id, others, from: sizes[i - 1] ?? 0, to: size })
    const stored = await bytesOf(statement)
    const month = { start_call_start_time: '2025-03-01 00:00:00', start_call_end_time: '2025-04-01 00:00:00' }
    const stopWatching = watchMemory(service.processes)
    const runs: { seconds: number; cpu_s: number; bytes: number }[] = []
    let exported = 0
    for (let round = 0; round < 3; round++)
      runs.push(
        await measureCopy(service, async () => {
          const file = await exportCalls(service, account, 'csv', month)
          exported = file.num_calls
          return file.bytes
        }),
      )
    const peak = stopWatching()
    const of = (value: (run: (typeof runs)[number]) => number) => median(runs.map(value))
    measured.push([
      formatNumber(size),
      ((stored.cdr - demo.cdr) / size).toFixed(1),
      ((stored.cdr_id - demo.cdr_id) / size).toFixed(1),
      formatNumber(exported),
      of(({ seconds }) => seconds).toFixed(2),
      ((of(({ cpu_s }) => cpu_s) * 1e6) / exported).toFixed(1),
      (of(({ bytes }) => bytes) / exported).toFixed(1),
      ...['api', 'worker', 'engine'].map((name) => mb(peak[name] ?? 0)),
    ])
    loads.push(loadNow())
  }
  table({
    name: 'calls',
    title:
      'Call records of a year in the embedded engine, a tenth of one account: disk, and an export of a month of that account as csv.gz; medians of 3',
    head: [
      'call records',
      'records, bytes each',
      'claims, bytes each',
      'in the month',
      'export, s',
      'CPU, µs each',
      'file, bytes each',
      'API, MB',
      'worker, MB',
      'engine, MB',
    ],
    rows: measured,
    loads,
  })
}

type Statement = (sql: string) => Promise<string>

/** By the engine itself, because ingest of as many would take an hour. Random ids and numbers, so that they compress like real ones. */
async function fill(
  statement: Statement,
  { account_id, others, from, to }: { account_id: string; others: readonly string[]; from: number; to: number },
): Promise<void> {
  const share = Math.floor((to - from) / 12)
  const random = (salt: number, below: number) => `cityHash64(number, ${salt}) % ${below}`
  for (let month = 0; month < 12; month++) {
    const begin = `toDateTime64('2025-${String(month + 1).padStart(2, '0')}-01', 3, 'UTC')`
    const source = `(SELECT number, if(number % 10 = 0, ${account_id}, arrayElement([${others.join()}], 1 + intDiv(number, 10) % ${others.length})) AS account_id,
      ${begin} + toIntervalMillisecond(${random(1, 28 * 86_400_000)}) AS start_time, ${random(2, 8)} < 5 AS is_completed,
      is_completed * (1 + ${random(3, 600)}) AS duration,
      concat('1', toString(2000000000 + ${random(4, 7_999_999_999)})) AS destination, concat('1206556', leftPad(toString(${random(5, 10_000)}), 4, '0')) AS callerid
      FROM numbers(${from + month * share}, ${share}))`
    const settings = 'SETTINGS max_threads = 2, max_insert_threads = 1'
    await statement(`INSERT INTO demarc.cdr (account_id, start_time, id, direction, end_time, destination, number_alias, callerid, destination_name,
        destination_country, callerid_country, line_information, result, duration, billed_duration, rate, first_increment, subsequent_increment,
        cost_subtotal, usf_fee, custom_x_tag, customer_ip, destination_digits, callerid_digits, number_alias_folded)
      SELECT account_id, start_time, toString(generateUUIDv4(number)), if(number % 3 = 0, 'inbound', 'outbound'), start_time + duration + 1,
        destination, concat('Customer ', toString(${random(6, 400)})) AS alias, callerid, 'Seattle, WA',
        'US', 'US', 'landline', if(is_completed, 'completed', 'no_answer'), duration, duration, 0.0098, 6, 6,
        toDecimal64(duration * 163 / 1000000, 8), toDecimal64(duration * 5 / 100000, 8), [concat('t', toString(number % 20))],
        concat('192.0.2.', toString(${random(7, 250)})), destination, callerid, lower(alias)
      FROM ${source} ${settings}`)
    await statement(`INSERT INTO demarc.cdr_id (id_hash, start_time, account_id)
      SELECT cityHash64(number, 'id'), start_time, account_id FROM ${source} ${settings}`)
  }
}

/** Disk used by each table, bytes, once the engine has merged what it wants to merge. */
async function bytesOf(statement: Statement): Promise<{ cdr: number; cdr_id: number }> {
  const merging = async () => Number(await statement('SELECT count() FROM system.merges'))
  while ((await merging()) > 0) await sleep(1000)
  const bytes = async (name: string) =>
    Number(
      await statement(
        `SELECT sum(bytes_on_disk) FROM system.parts WHERE database = 'demarc' AND table = '${name}' AND active`,
      ),
    )
  return { cdr: await bytes('cdr'), cdr_id: await bytes('cdr_id') }
}

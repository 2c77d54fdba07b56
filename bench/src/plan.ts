import { formatNumber, type Table } from './report.ts'

/** What an installation of a given size needs, calculated from what the benchmarks measured of one of each thing. */

export interface Size {
  accounts: number
  calls_per_day: number
  numbers_per_account: number
  /** For how long call records are kept. */
  months: number
  requests_per_second: number
  /** Of one machine. */
  cores: number
  disk_tb: number
}

/** What a plan takes for granted, and shows. */
const ASSUMED = {
  /** Of the busiest hour, compared with the day's average. */
  peak: 3,
  /** Of a core, of memory, and of a disk. The rest is for merges, backups, and the loss of a neighbor. */
  usable: 0.7,
  /** Each call record is exported this often in its life. */
  exported: 2,
  /** Per account and year, with ten numbers each. */
  orders: 1,
  /** Changes of each number per year. Each is an event, and events are kept. */
  changes: 4,
  /** Of events, orders, and exports in PostgreSQL. */
  years: 5,
  replicas: 3,
} as const

const days_per_month = 365.25 / 12

/** CPU in microseconds, sizes in bytes, of one of each. */
interface Costs {
  account: number
  number: number
  event: number
  order: number
  call: number
  ingest_api: number
  ingest_engine: number
  exported: number
  request_api: number
  request_database: number
  api_memory: number
  worker_memory: number
  engine_memory: number
}

type Recorded = Readonly<Record<string, { tables: readonly Table[] }>>

/** Reads the costs from the recorded results. Throws if one is not there. */
export function costsOf(all: Recorded): Costs {
  const cell = (
    bench: string,
    name: string,
    row: (first: string, nth: number, of: number) => boolean,
    column: string,
  ): number => {
    const table = all[bench]?.tables.find((each) => each.name === name)
    const found = table?.rows.find(([first = ''], nth) => row(first, nth, table.rows.length))
    const value = Number(found?.[table?.head.indexOf(column) ?? -1]?.replaceAll(',', ''))
    if (Number.isNaN(value)) throw new Error(`bench/results.json has no ${column} in ${bench}/${name}`)
    return value
  }
  const unit = (name: string) => cell('capacity', 'units', (first) => first === name, 'bytes each')
  const largest = (column: string) => cell('capacity', 'calls', (_, nth, of) => nth === of - 1, column)
  const live = (column: string) => cell('ingest', 'ingest', (_, nth) => nth === 0, column)
  const read = (column: string) =>
    cell('operations', 'operations', (first) => first.startsWith('GET /v2/cnams'), column)
  const memory = (name: string) => cell('ingest', 'resources', () => true, `${name}, MB`) * 1e6
  return {
    account: unit('account with a key'),
    number: unit('number'),
    event: unit('event'),
    order: unit('port order of 10 numbers'),
    call: largest('records, bytes each') + largest('claims, bytes each'),
    ingest_api: live('API CPU, µs/record'),
    ingest_engine: live('engine CPU, µs/record'),
    exported: largest('CPU, µs each'),
    request_api: read('CPU, µs/request'),
    request_database: read('PostgreSQL CPU, µs/request'),
    api_memory: memory('api'),
    worker_memory: memory('worker'),
    engine_memory: memory('engine'),
  }
}

export interface Plan {
  rows: [what: string, value: string][]
  layout: string
  /** Which limit of one machine is reached first, and at how many calls a day. */
  first: string
}

export function planOf(size: Size, costs: Costs): Plan {
  const { usable, peak, exported, replicas } = ASSUMED
  const calls = size.calls_per_day * days_per_month * size.months
  const peak_calls = (size.calls_per_day / 86_400) * peak
  const cores_of = (per_second: number, us: number) => (per_second * us) / 1e6
  const api = cores_of(peak_calls, costs.ingest_api) + cores_of(size.requests_per_second, costs.request_api)
  const database = cores_of(size.requests_per_second, costs.request_database)
  const engine = cores_of(peak_calls, costs.ingest_engine)
  const exports = cores_of(peak_calls * exported, costs.exported)
  const total = api + database + engine + exports
  const calls_bytes = calls * costs.call
  const database_bytes = databaseBytes(size, costs)
  const disk = size.disk_tb * 1e12
  const fits = total <= size.cores * usable && calls_bytes + database_bytes <= disk * usable
  const shards = Math.max(
    Math.ceil(calls_bytes / (disk * usable)),
    Math.ceil((engine + exports) / (size.cores * usable)),
  )
  const apis = Math.max(2, Math.ceil(api / usable))
  return {
    rows: [
      ['Call records kept', formatNumber(calls)],
      ['Call records on disk, each copy', bytes(calls_bytes)],
      ['PostgreSQL on disk, each copy', bytes(database_bytes)],
      ['Call records per second, in the busiest hour', formatNumber(peak_calls)],
      ['Cores: API', cores(api)],
      ['Cores: PostgreSQL', cores(database)],
      ['Cores: ingest in the call-record store', cores(engine)],
      ['Cores: exports', cores(exports)],
    ],
    layout: fits
      ? `One machine with embedded engines, ${bytes(costs.api_memory + costs.worker_memory + costs.engine_memory)} of memory beside PostgreSQL.`
      : shards <= 1
        ? `Servers of your own: one PostgreSQL, one ClickHouse, ${apis} API processes, 2 workers.`
        : `PostgreSQL with a standby, a ClickHouse cluster of ${shards} shards with ${replicas} replicas (${shards * replicas} servers), ${apis} API processes, at least ${Math.max(2, Math.ceil(exports / usable / 4))} workers.`,
    first: firstLimit(size, costs, { database_bytes }),
  }
}

function databaseBytes({ accounts, numbers_per_account, months }: Size, costs: Costs): number {
  const { orders, changes, years } = ASSUMED
  const numbers = accounts * numbers_per_account
  // a line of the ledger per account and month is about as large as a number's row
  return (
    accounts * (costs.account + orders * years * costs.order + months * costs.number) +
    numbers * (costs.number + changes * years * costs.event)
  )
}

function firstLimit(size: Size, costs: Costs, { database_bytes }: { database_bytes: number }): string {
  const { usable, peak, exported } = ASSUMED
  const per_core = (us: number, available: number) => ((available * usable * 1e6) / us / peak) * 86_400
  const limits = [
    ['the disk', (size.disk_tb * 1e12 * usable - database_bytes) / (costs.call * days_per_month * size.months)],
    ['the one thread of the API', per_core(costs.ingest_api, 1)],
    ['the cores', per_core(costs.ingest_api + costs.ingest_engine + exported * costs.exported, size.cores)],
  ] as const
  const [name, at] = limits.toSorted((a, b) => a[1] - b[1])[0] ?? limits[0]
  return `${name}, at ${formatNumber(Math.max(0, Math.floor(at / 1e5)) * 1e5)} calls a day`
}

/** The lines that say what the plan takes for granted. */
export const assumptions = (): string[] => [
  `The busiest hour has ${ASSUMED.peak} times the average, and each call record is exported ${ASSUMED.exported} times.`,
  `Each account has ${ASSUMED.orders} port order of ten numbers a year, and each number changes ${ASSUMED.changes} times a year; both are kept for ${ASSUMED.years} years.`,
  `Cores and disks are used up to ${ASSUMED.usable * 100} %.`,
]

/** Sizes from a first customer to a national carrier. The largest has 10¹² call records. */
const examples = [
  [100, 100_000],
  [1000, 1_000_000],
  [10_000, 10_000_000],
  [100_000, 250_000_000],
  [1_000_000, 2_530_000_000],
] as const

/** With the defaults of everything else. */
export const sizeOf = (accounts: number, calls_per_day: number): Size => ({
  accounts,
  calls_per_day,
  numbers_per_account: 20,
  months: 13,
  requests_per_second: Math.ceil(accounts / 100),
  cores: 8,
  disk_tb: 2,
})

/** What the examples need, calculated from the recorded results. */
export function plansTable(all: Recorded): Table {
  const costs = costsOf(all)
  const plans = examples.map(([accounts, calls]) => ({ accounts, calls, ...planOf(sizeOf(accounts, calls), costs) }))
  return {
    name: 'plans',
    title: 'Calculated for machines with 8 cores and 2 TB, 20 numbers per account, and call records of 13 months',
    head: ['accounts', 'calls a day', ...(plans[0]?.rows.map(([what]) => what) ?? []), 'what it takes'],
    rows: plans.map(({ accounts, calls, rows, layout }) => [
      formatNumber(accounts),
      formatNumber(calls),
      ...rows.map(([, value]) => value),
      layout,
    ]),
  }
}

const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'] as const

function bytes(count: number): string {
  const power = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, count)) / 3)))
  return `${formatNumber(count / 1000 ** power, power > 1 ? 1 : 0)} ${units[power]}`
}

const cores = (count: number): string => formatNumber(count, count < 10 ? 2 : 0)

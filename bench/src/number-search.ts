import { readFileSync } from 'node:fs'
import pg from 'pg'
import { insertRows } from './growth/grow.ts'
import { addInventory, profiles } from './growth/inventory.ts'
import { load } from './load.ts'
import { formatNumber, loadNow, table } from './report.ts'
import { newAccount, withService, type Service } from './service.ts'

/** Searches of the number inventory by each combination of filters, with totals compared with SQL. */

const page = 200
const requests = { short: 50, long: 500 } as const
/** If searches do not show all numbers after this time, the first measurement reports the difference. */
const read_max_ms = 120_000
/** Linux counts CPU time in this many ticks a second. */
const ticks_per_s = 100

interface Search {
  name: string
  query: string
  /** The same condition in SQL: of a number `n` as text, and its profile `p`. */
  where: string
  /** Least length of a run of consecutive numbers. */
  run?: number
}

const searches: readonly Search[] = [
  { name: 'no filter', query: '', where: 'true' },
  { name: 'starts with', query: 'starts_with=2200', where: "n like '12200%'" },
  { name: 'digits anywhere', query: 'contains=37', where: "n like '%37%'" },
  { name: 'ends with', query: 'ends_with=99', where: "n like '%99'" },
  {
    name: 'rate center and state',
    query: 'rate_center=CENTER1&state=OR',
    where: "p.rate_center = 'CENTER1' and p.state = 'OR'",
  },
  { name: 'spells', query: 'spells=cat', where: "n like '%228%'" },
  { name: 'consecutive', query: 'consecutive=9', where: 'true', run: 9 },
  { name: 'near ZIP Code', query: 'near_zip=98001', where: "left(p.zip, 3) = '980'" },
  { name: 'price', query: 'max_monthly_cost=1.3&max_setup_cost=1', where: 'monthly_cost <= 1.3 and setup_cost <= 1' },
  {
    name: 'digits, state, and price',
    query: 'contains=3&ends_with=7&state=WA&max_monthly_cost=1.3',
    where: "n like '%3%' and n like '%7' and p.state = 'WA' and monthly_cost <= 1.3",
  },
  {
    name: 'everything',
    query: 'starts_with=12&contains=2&spells=ad&state=OR&max_setup_cost=2&near_zip=98001&consecutive=2',
    where: "n like '%2%' and n like '%23%' and p.state = 'OR' and setup_cost <= 2 and left(p.zip, 3) = '980'",
    run: 2,
  },
]

export async function benchNumberSearch(long: boolean): Promise<void> {
  const sizes = long ? [10_000, 100_000, 1_000_000, 2_000_000, 10_000_000] : [10_000, 100_000]
  await withService({}, async (service) => {
    const { authorization } = await newAccount(service)
    const rows: string[][] = []
    const memory: string[][] = []
    const loads: number[] = []
    await addProfiles(service)
    for (const [i, size] of sizes.entries()) {
      await addInventory(service, sizes[i - 1] ?? 0, size)
      memory.push(await firstSearch(service, authorization, size))
      for (const search of searches) rows.push(...(await measure(service, authorization, { search, size, long })))
      loads.push(loadNow())
    }
    table({
      name: 'number-search',
      title: `Searching the number inventory over HTTP, pages of ${page} with the total, which SQL confirms`,
      head: ['numbers', 'filters', 'page', 'matches', 'median, ms', '99th percentile, ms', 'CPU of the API, ms'],
      rows,
      loads,
    })
    table({
      name: 'number-search-memory',
      title: 'From the first search after numbers were loaded, which reads the index, until searches show them',
      head: ['numbers', 'time, s', 'memory of the API, MB', 'more than without, bytes per number'],
      rows: memory,
      loads,
    })
  })
}

async function addProfiles(service: Service): Promise<void> {
  await query(service, "insert into price_class values ('bench', 1.30, 2, now()) on conflict do nothing")
  await insertRows(service, {
    // far above the demo's own profiles; every fifth has a price class
    sql: `insert into inventory_profile
        (id, number_type, rate_center, lata, state, zip, monthly_cost, setup_cost, price_class, capabilities)
      overriding system value select 1000 + i, 'longcode', 'CENTER' || i, '', (array['WA', 'OR', 'CA', 'NY'])[1 + i % 4],
        (98000 + i % 1000)::text, case when i % 5 > 0 then 1.25 + i % 7 end, case when i % 5 > 0 then i % 3 end,
        case when i % 5 = 0 then 'bench' end, ''
      from generate_series($1::bigint, $2::bigint - 1) i`,
    tables: 'inventory_profile',
    from: 0,
    to: profiles,
  })
}

let without_mb = 0

async function firstSearch(service: Service, authorization: string, size: number): Promise<string[]> {
  if (without_mb === 0) without_mb = memoryOf(service)
  const expected = await countBySql(service, { where: 'true' })
  const began = performance.now()
  // a search waits for the index for at most two seconds, and then answers from the one before
  while ((await total(service, authorization, '')) !== expected && performance.now() - began < read_max_ms);
  const time_s = (performance.now() - began) / 1000
  const mb = memoryOf(service)
  const bytes = Math.max(0, ((mb - without_mb) * 1e6) / size)
  return [formatNumber(size), formatNumber(time_s, 2), formatNumber(mb), formatNumber(bytes)]
}

async function measure(
  service: Service,
  authorization: string,
  { search, size, long }: { search: Search; size: number; long: boolean },
): Promise<string[][]> {
  const found = await total(service, authorization, search.query)
  const expected = await countBySql(service, search)
  if (found !== expected) throw new Error(`${search.name}: the total is ${found}, and SQL counts ${expected}`)
  const offsets = { first: 0, last: Math.max(0, found - page) }
  const rows: string[][] = []
  for (const [name, offset] of Object.entries(offsets)) {
    const path = `/v2/numbers/available?limit=${page}&offset=${offset}&${search.query}`
    const request = () => `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\n\r\n`
    const before = cpuOf(service)
    const requests_max = long ? requests.long : requests.short
    const result = await load({ port: service.port, request, connections: 1, duration_s: 60, requests_max })
    if (result.errors > 0) throw new Error(`${path}: ${result.errors} responses were not 200`)
    const cpu_ms = (cpuOf(service) - before) / result.requests
    const times = [result.p50_ms, result.p99_ms, cpu_ms].map((ms) => formatNumber(ms, 2))
    rows.push([formatNumber(size), search.name, name, formatNumber(found), ...times])
  }
  return rows
}

async function total({ base_url }: Service, authorization: string, filters: string): Promise<number> {
  const response = await fetch(`${base_url}/v2/numbers/available?limit=1&${filters}`, { headers: { authorization } })
  const { meta } = (await response.json()) as { meta: { total_count: number } }
  return meta.total_count
}

async function countBySql(service: Service, { where, run = 1 }: Pick<Search, 'where' | 'run'>): Promise<number> {
  const { rows } = await query(
    service,
    `with priced as (
      select i.number, i.number::text as n, i.profile_id, coalesce(k.monthly_cost, p.monthly_cost) as monthly_cost,
        coalesce(k.setup_cost, p.setup_cost) as setup_cost
      from inventory_number i join inventory_profile p on p.id = i.profile_id left join price_class k on k.name = p.price_class
      where i.status = 'available'
    ), matching as (
      select number - row_number() over (order by number) as run
      from priced join inventory_profile p on p.id = profile_id where ${where.replaceAll(/\b(monthly|setup)_cost/g, 'priced.$1_cost')}
    )
    select coalesce(sum(n), 0)::integer as n from (select count(*) as n from matching group by run having count(*) >= ${run}) runs`,
  )
  return Number((rows[0] as { n: number } | undefined)?.n)
}

async function query({ database_url }: Service, sql: string) {
  const client = new pg.Client({ connectionString: database_url })
  await client.connect()
  try {
    return await client.query(sql)
  } finally {
    await client.end()
  }
}

const apiOf = (service: Service): number[] => service.processes()['api'] ?? []
const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0)

/** CPU time of the API's processes, ms. */
const cpuOf = (service: Service): number =>
  sum(
    apiOf(service).map((pid) => {
      // behind the name, which is in parentheses: fields 14 and 15 of proc(5)
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
      return ((Number(fields[11]) + Number(fields[12])) * 1000) / ticks_per_s
    }),
  )

/** Resident memory of the API's processes, MB. */
const memoryOf = (service: Service): number =>
  sum(
    apiOf(service).map(
      (pid) => (Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024) / 1e6,
    ),
  )

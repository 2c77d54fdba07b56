/** Sums by group, and the latest records of a query. At the same moment, both read the same records as an export. */

import { FORMATS } from './columns.ts'
import { ceilUnits, formatUnits } from './decimal.ts'
import { MONEY } from './limits.ts'
import { AMOUNTS } from './schema.ts'
import { fromClause, planSlices, wholeSlice, type Store } from './slices.ts'
import type { CdrGrouping, CdrQuery, CdrSums, CdrSummary, RecentCdr } from './types.ts'

const NOTHING: CdrSums = { num_calls: 0, billed_seconds: '0', total_cost: '0' }

/** SQL of each grouping. A number without digits, such as `anonymous`, is grouped by its text. */
const KEYS = {
  direction: 'direction',
  result: 'result',
  country: 'destination_country',
  alias: 'number_alias',
  number: `if(direction = 'inbound', ${digitsOrText('destination')}, ${digitsOrText('callerid')})`,
} as const satisfies Record<Exclude<CdrGrouping, 'fee' | object>, string>

/** Sums of a query's records, and of the `most` groups with the most calls. */
export async function summarize(
  store: Store,
  query: CdrQuery,
  { by, most }: { by: CdrGrouping; most: number },
  signal?: AbortSignal,
): Promise<CdrSummary> {
  const from = await fromRecords(store, query, signal)
  if (from === null) return { totals: NOTHING, groups: [], others: null }
  return by === 'fee' ? sumFees(store, from, signal) : sumGroups(store, from, { by, most }, signal)
}

/** The latest records of a query, at most `most`, with the columns of an NDJSON export. */
export async function readNewest(
  store: Store,
  query: CdrQuery,
  most: number,
  signal?: AbortSignal,
): Promise<RecentCdr[]> {
  const from = await fromRecords(store, query, signal)
  if (from === null) return []
  const newest = `ORDER BY start_time DESC, id DESC LIMIT ${most}`
  // read keys first, so that other columns are read only for these records
  const rows = await store.clickhouse.rows<[id: string, line: string]>(
    `SELECT id, formatRow('JSONEachRow', ${FORMATS.ndjson.select})
${from} AND (start_time, id) IN (SELECT start_time, id ${from} ${newest})
${newest}
SETTINGS ${Object.entries(FORMATS.ndjson.settings)
      .map(([name, value]) => `${name} = '${String(value)}'`)
      .join(', ')}`,
    signal,
  )
  return rows.map(([id, line]) => ({ id, columns: columnsOf(line) }))
}

/** `formatRow` writes an object. */
function columnsOf(line: string): Record<string, unknown> {
  return JSON.parse(line) as Record<string, unknown>
}

/** FROM and WHERE for all records of a query, without repeated deliveries; null without records. */
async function fromRecords(store: Store, query: CdrQuery, signal?: AbortSignal): Promise<string | null> {
  const plan = await planSlices(store, query, signal)
  const slice = wholeSlice(plan)
  return slice && fromClause(store.database, query, slice, plan.horizon)
}

async function sumGroups(
  { clickhouse }: Store,
  from: string,
  { by, most }: { by: Exclude<CdrGrouping, 'fee'>; most: number },
  signal?: AbortSignal,
): Promise<CdrSummary> {
  const key = typeof by === 'string' ? KEYS[by] : periodOf(by.starts)
  const groups = `SELECT toString(${key}) AS group_key, count() AS calls, sum(billed_duration) AS seconds, sum(total_cost) AS cost\n${from}\nGROUP BY group_key`
  // window sums over all groups make the totals consistent with them
  const rows = await clickhouse.rows<[key: string, ...string[]]>(
    `SELECT group_key, toString(calls), toString(seconds), toString(cost),
toString(sum(calls) OVER ()), toString(sum(seconds) OVER ()), toString(sum(cost) OVER ()), toString(count() OVER ())
FROM (${groups})
ORDER BY calls DESC, group_key
LIMIT ${most}`,
    signal,
  )
  const totals = sumsOf(rows[0]?.slice(4))
  const shown = rows.map(([group_key, ...sums]) => ({ key: group_key, ...sumsOf(sums) }))
  const count = Number(rows[0]?.[7] ?? 0) - rows.length
  return { totals, groups: shown, others: count === 0 ? null : { groups: count, ...shown.reduce(minus, totals) } }
}

async function sumFees({ clickhouse }: Store, from: string, signal?: AbortSignal): Promise<CdrSummary> {
  const fees = AMOUNTS.map(
    (fee) => `toString(countIf(${fee} != 0)), toString(sumIf(billed_duration, ${fee} != 0)), toString(sum(${fee}))`,
  )
  const [row = []] = await clickhouse.rows<string[]>(
    `SELECT toString(count()), toString(sum(billed_duration)), toString(sum(total_cost)), ${fees.join(', ')}\n${from}`,
    signal,
  )
  return {
    totals: sumsOf(row),
    groups: AMOUNTS.map((key, index) => ({ key, ...sumsOf(row.slice(3 * (index + 1))) })),
    others: null,
  }
}

/** SQL of the start of a call's period, in epoch milliseconds. */
function periodOf(starts: readonly Date[]): string {
  const bounds = starts.map((start) => start.getTime()).join(', ')
  return `roundDown(toUnixTimestamp64Milli(start_time), CAST([${bounds}], 'Array(Int64)'))`
}

function digitsOrText(column: 'destination' | 'callerid'): string {
  return `if(${column}_digits = '', ${column}, ${column}_digits)`
}

function sumsOf([num_calls, billed_seconds = '0', total_cost = '0']: readonly string[] = []): CdrSums {
  return { num_calls: Number(num_calls ?? 0), billed_seconds, total_cost }
}

function minus(sums: CdrSums, group: CdrSums): CdrSums {
  const difference = (name: 'billed_seconds' | 'total_cost', places: number) =>
    formatUnits(ceilUnits(sums[name], places) - ceilUnits(group[name], places), places)
  return {
    num_calls: sums.num_calls - group.num_calls,
    billed_seconds: difference('billed_seconds', 0),
    total_cost: difference('total_cost', MONEY.places),
  }
}

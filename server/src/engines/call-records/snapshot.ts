import { WarehouseUnavailable } from './errors.ts'
import type { ClickHouse } from './clickhouse.ts'
import { ceilUnits, formatUnits } from './decimal.ts'
import { MONEY } from './limits.ts'
import type { CdrTotals } from './types.ts'

/** Totals and checksum of one slice's records at a point in time. Numbers are decimal strings. */
export type Snapshot = {
  totals: CdrTotals
  /** Newlines inside the cells of the CSV file. */
  newlines: number
  /** Sum of each record's hash, so their order does not matter. */
  checksum: string
  /** Names of the parts that contain the records. */
  parts: readonly string[]
}

const AGGREGATES = [
  'toString(count())',
  'toString(sum(total_cost))',
  'toString(sum(cost_subtotal))',
  'toString(sum(connect_fee))',
  'toString(sum(cnam_lookup_fee))',
  'toString(sum(usf_fee))',
  'toString(sum(ccrf))',
  'toString(sum(billed_duration))',
  'toString(sum(newlines))',
  // identifies the records; the sums cover their costs
  'toString(sum(cityHash64(start_time, end_time, arrival)))',
]
const PARTS = 'arraySort(groupUniqArray(_part))'

/** A FROM clause with its conditions, and whether to skip repeated deliveries. */
export type Records = { from: string; repeated: boolean }

export async function takeSnapshot(
  clickhouse: ClickHouse,
  { from, repeated }: Records,
  signal?: AbortSignal,
): Promise<Snapshot> {
  const [row] = await clickhouse.rows<[parts: string[], ...string[]]>(
    `SELECT ${[repeated ? '[]' : PARTS, ...AGGREGATES].join(', ')}\n${from}`,
    signal,
  )
  if (row === undefined) throw new WarehouseUnavailable('The call-record store returned no totals')
  const [parts, num_calls, total_cost = '', call_subtotal = '', connect_fees = '', cnamlookup_fees = '', ...more] = row
  const [usf_fees = '', ccrf = '', billed_seconds = '', newlines, checksum = ''] = more
  const totals = { total_cost, call_subtotal, connect_fees, cnamlookup_fees, usf_fees, ccrf, billed_seconds }
  return { totals: { num_calls: Number(num_calls), ...totals }, newlines: Number(newlines), checksum, parts }
}

/**
 * Whether the records still match the snapshot. A part never changes and its name is never reused, so the same parts have the
 * same records. The totals are read again only if parts were merged, added or removed, or if there are repeated deliveries.
 */
export async function isUnchanged(clickhouse: ClickHouse, records: Records, expected: Snapshot): Promise<boolean> {
  if (!records.repeated) {
    const [row] = await clickhouse.rows<[parts: string[]]>(`SELECT ${PARTS}\n${records.from}`)
    if (row !== undefined && same(row[0], expected.parts)) return true
  }
  const { parts: _now, ...now } = await takeSnapshot(clickhouse, records)
  const { parts: _before, ...before } = expected
  return same(now, before)
}

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

/** The totals of all slices. */
export function sumTotals(totals: readonly CdrTotals[]): CdrTotals {
  const add = (name: Exclude<keyof CdrTotals, 'num_calls'>): string =>
    formatUnits(
      totals.reduce((sum, each) => sum + ceilUnits(each[name], MONEY.places), 0n),
      MONEY.places,
    )
  return {
    num_calls: totals.reduce((sum, each) => sum + each.num_calls, 0),
    total_cost: add('total_cost'),
    call_subtotal: add('call_subtotal'),
    connect_fees: add('connect_fees'),
    cnamlookup_fees: add('cnamlookup_fees'),
    usf_fees: add('usf_fees'),
    ccrf: add('ccrf'),
    billed_seconds: add('billed_seconds'),
  }
}

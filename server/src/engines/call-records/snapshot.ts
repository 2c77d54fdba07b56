import { WarehouseUnavailable } from './errors.ts'
import type { ClickHouse } from './clickhouse.ts'
import { ceilUnits, formatUnits } from './decimal.ts'
import { MONEY } from './limits.ts'
import type { CdrTotals } from './types.ts'

/** Totals and checksum of the records of one slice at one moment. Numbers as decimal strings. */
export type Snapshot = {
  totals: CdrTotals
  /** Newlines inside the cells of the CSV file. */
  newlines: number
  /** Order-free sum of a hash over each record. */
  checksum: string
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
  'toString(sum(cityHash64(start_time, end_time, duration, billed_duration, total_cost, cost_subtotal, arrival)))',
]

/** `from` is a FROM clause with its conditions. */
export async function takeSnapshot(clickhouse: ClickHouse, from: string, signal?: AbortSignal): Promise<Snapshot> {
  const [row] = await clickhouse.rows<string[]>(`SELECT ${AGGREGATES.join(', ')}\n${from}`, signal)
  if (row === undefined) throw new WarehouseUnavailable('The call-record store returned no totals')
  const [num_calls, total_cost = '', call_subtotal = '', connect_fees = '', cnamlookup_fees = '', ...more] = row
  const [usf_fees = '', ccrf = '', billed_seconds = '', newlines, checksum = ''] = more
  const totals = { total_cost, call_subtotal, connect_fees, cnamlookup_fees, usf_fees, ccrf, billed_seconds }
  return { totals: { num_calls: Number(num_calls), ...totals }, newlines: Number(newlines), checksum }
}

export function equalSnapshots(a: Snapshot, b: Snapshot): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

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

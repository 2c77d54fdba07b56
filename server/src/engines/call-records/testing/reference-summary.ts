/** A second, simple implementation of summaries, to compare the store with. */

import { referenceTotals } from './reference-filter.ts'
import type { CdrGrouping, CdrRecord, CdrSums, CdrSummary } from '../types.ts'

const FEES = ['cost_subtotal', 'connect_fee', 'usf_fee', 'ccrf', 'cnam_lookup_fee'] as const

/** Creates and sorts every group, then truncates the list. */
export function referenceSummary(records: CdrRecord[], by: CdrGrouping, most: number): CdrSummary {
  if (records.length === 0) return { totals: sums([]), groups: [], others: null }
  if (by === 'fee') return { totals: sums(records), groups: FEES.map((fee) => feeOf(records, fee)), others: null }
  const groups = Array.from(
    Map.groupBy(records, (record) => keyOf(record, by)),
    ([key, members]) => ({ key, members }),
  ).toSorted((a, b) => b.members.length - a.members.length || Buffer.compare(Buffer.from(a.key), Buffer.from(b.key)))
  const rest = groups.slice(most)
  return {
    totals: sums(records),
    groups: groups.slice(0, most).map(({ key, members }) => ({ key, ...sums(members) })),
    others: rest.length === 0 ? null : { groups: rest.length, ...sums(rest.flatMap(({ members }) => members)) },
  }
}

function keyOf(record: CdrRecord, by: Exclude<CdrGrouping, 'fee'>): string {
  if (by === 'direction') return record.direction
  if (by === 'result') return record.result
  if (by === 'country') return record.destination_country.toUpperCase()
  if (by === 'alias') return record.number_alias.toWellFormed()
  if (by === 'number') return ownNumber(record.direction === 'inbound' ? record.destination : record.callerid)
  const start = by.starts.findLast((each) => each.getTime() <= record.start_time.getTime())
  return String(start?.getTime())
}

function ownNumber(text: string): string {
  const digits = [...text].filter((c) => c >= '0' && c <= '9').join('')
  return [...text].every((c) => '0123456789+ ()-'.includes(c)) && digits !== '' ? digits : text
}

function sums(records: CdrRecord[]): CdrSums {
  const { num_calls, billed_seconds, total_cost } = referenceTotals(records)
  return { num_calls, billed_seconds, total_cost }
}

/** Calls with this amount, without their other amounts. */
function feeOf(records: CdrRecord[], fee: (typeof FEES)[number]) {
  const none = { cost_subtotal: '0', connect_fee: '0', usf_fee: '0', ccrf: '0', cnam_lookup_fee: '0' }
  const having = records.filter((record) => /[1-9]/.test(record[fee]))
  return { key: fee, ...sums(having.map((record) => ({ ...record, ...none, cost_subtotal: record[fee] }))) }
}

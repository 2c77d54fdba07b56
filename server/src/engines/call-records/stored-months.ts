/**
 * What the store has by account and month, in one query each. Records that were delivered more than once and are not merged yet
 * count each time: where a sum differs from the ledger, `Warehouse.totals` has the exact one.
 */

import { EVERY_SHARD } from './modes.ts'
import { accountNumber, compileFilter } from './filter.ts'
import type { Store } from './slices.ts'
import { monthRange } from './month-sums.ts'
import type { MonthSums } from './types.ts'

const MONTH = 'toYYYYMM(start_time)'
const SUMS = 'toString(count()), toString(sum(billed_duration)), toString(sum(total_cost))'

/** The months of an account from `first` to `last`, both included, in which it has records. */
export async function readMonths(
  { clickhouse, database }: Store,
  { account_id, first, last }: { account_id: string; first: string; last: string },
  signal?: AbortSignal,
): Promise<MonthSums[]> {
  const filter = {
    start_call_start_time: monthRange(first).start_call_start_time,
    start_call_end_time: monthRange(last).start_call_end_time,
  }
  const rows = await clickhouse.rows<[month: string, ...string[]]>(
    `SELECT toString(${MONTH}) AS month, ${SUMS} FROM ${database}.cdr WHERE ${compileFilter({ account_id, filter })} GROUP BY month`,
    signal,
  )
  return rows.map(([month, ...sums]) => monthSums(account_id, monthName(month), sums))
}

/** Up to `most` accounts after `after`, in order, that have records in a month. */
export async function readAccounts(
  { clickhouse, database }: Store,
  { month, after, most, until }: { month: string; after: string; most: number; until?: number | undefined },
  signal?: AbortSignal,
): Promise<MonthSums[]> {
  const rows = await clickhouse.rows<[account_id: string, ...string[]]>(
    `SELECT toString(account_id), ${SUMS} FROM ${database}.cdr
WHERE ${inMonth(month)} AND account_id > ${accountNumber(after)}${until === undefined ? '' : ` AND arrival <= ${until}`}
GROUP BY account_id ORDER BY account_id LIMIT ${most}
${EVERY_SHARD}`,
    signal,
  )
  return rows.map(([account_id, ...sums]) => monthSums(account_id, month, sums))
}

/** The months in which any account has records, in order. */
export async function readMonthNames({ clickhouse, database }: Store, signal?: AbortSignal): Promise<string[]> {
  const rows = await clickhouse.rows<[month: string]>(
    `SELECT toString(${MONTH}) AS month FROM ${database}.cdr GROUP BY month ORDER BY month ${EVERY_SHARD}`,
    signal,
  )
  return rows.map(([month]) => monthName(month))
}

/** The condition for a UTC month, `YYYY-MM`. */
export const inMonth = (month: string): string => `${MONTH} = ${monthNumber(month)}`

const monthSums = (account_id: string, month: string, sums: readonly string[]): MonthSums => {
  const [num_calls, billed_seconds = '0', total_cost = '0'] = sums
  return { account_id, month, num_calls: Number(num_calls), billed_seconds, total_cost }
}

const monthName = (number: string): string => `${number.slice(0, 4)}-${number.slice(4)}`

function monthNumber(month: string): string {
  if (!/^\d{4}-\d{2}$/.test(month)) throw new RangeError(`${JSON.stringify(month)} is not a month`)
  return month.replace('-', '')
}

/** Sums of records by account and month, as the ledger has them. */

import { ceilUnits, formatUnits } from './decimal.ts'
import { MONEY } from './limits.ts'
import type { RecordBlock } from './rows.ts'
import type { CdrSums, MonthSums } from './types.ts'

type Sums = {
  account_id: string
  month: Month
  num_calls: number
  billed_seconds: number
  small: number
  units: bigint
}
/** `first_ms` is included, `end_ms` excluded. */
type Month = { name: string; first_ms: number; end_ms: number }

/** Above this, a sum moves from the exact number to the bigint, which is slower. One row adds less than 5e15. */
const EXACT_MAX = 4e15

/** Adds up records. Exact: amounts are integers of the smallest unit. */
export class SumsByMonth {
  readonly #found = new Map<string, Sums>()
  /** Consecutive records usually belong to the same account and month. */
  #last: Sums | undefined

  add(block: RecordBlock, row: number): void {
    const account_id = block.accountAt(row)
    const start_ms = block.startAt(row)
    let sums = this.#last
    if (sums?.account_id !== account_id || start_ms < sums.month.first_ms || start_ms >= sums.month.end_ms)
      sums = this.#last = this.#of(account_id, monthOf(start_ms))
    sums.num_calls += 1
    sums.billed_seconds += block.billedAt(row)
    addCost(sums, block.costAt(row))
  }

  all(): MonthSums[] {
    return [...this.#found.values()].map(({ account_id, month, num_calls, billed_seconds, small, units }) => ({
      account_id,
      month: month.name,
      num_calls,
      billed_seconds: String(billed_seconds),
      total_cost: formatUnits(units + BigInt(small), MONEY.places),
    }))
  }

  #of(account_id: string, month: Month): Sums {
    const key = `${account_id} ${month.name}`
    const known = this.#found.get(key)
    if (known !== undefined) return known
    const sums = { account_id, month, num_calls: 0, billed_seconds: 0, small: 0, units: 0n }
    this.#found.set(key, sums)
    return sums
  }
}

function addCost(sums: Sums, cost: number | bigint): void {
  if (typeof cost === 'bigint') {
    sums.units += cost
    return
  }
  sums.small += cost
  if (Math.abs(sums.small) <= EXACT_MAX) return
  sums.units += BigInt(sums.small)
  sums.small = 0
}

/** The sum of sums. */
export function addSums(all: readonly CdrSums[]): CdrSums {
  const add = (name: 'billed_seconds' | 'total_cost', places: number): string =>
    formatUnits(
      all.reduce((sum, each) => sum + ceilUnits(each[name], places), 0n),
      places,
    )
  return {
    num_calls: all.reduce((sum, each) => sum + each.num_calls, 0),
    billed_seconds: add('billed_seconds', 0),
    total_cost: add('total_cost', MONEY.places),
  }
}

/** The UTC month of a time. */
export function monthOf(ms: number): Month {
  const at = new Date(ms)
  const [year, month] = [at.getUTCFullYear(), at.getUTCMonth()]
  return { name: at.toISOString().slice(0, 7), first_ms: Date.UTC(year, month), end_ms: Date.UTC(year, month + 1) }
}

/** The start and end of a month given as `YYYY-MM`, the end excluded. */
export function monthRange(month: string): { start_call_start_time: Date; start_call_end_time: Date } {
  const [year = 0, number = 1] = month.split('-').map(Number)
  return {
    start_call_start_time: new Date(Date.UTC(year, number - 1)),
    start_call_end_time: new Date(Date.UTC(year, number)),
  }
}

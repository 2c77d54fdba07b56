import { callOf, type Call } from './call.ts'
import type { Batches } from './sort.ts'

/** Compares two sorted sides, call by call. */

export interface Tolerances {
  time_ms: number
  duration_s: number
  /** Units of 10^-8 dollars. */
  cost: bigint
}

export type Difference =
  | { kind: 'missing'; mine: Call; theirs: null }
  | { kind: 'extra'; mine: null; theirs: Call }
  | { kind: 'duration' | 'cost'; mine: Call; theirs: Call }

export interface Summary {
  mine_calls: number
  export_calls: number
  matched: number
  /** Calls in my file that aren't in the export. */
  missing: number
  /** Calls in the export that aren't in my file. */
  extra: number
  different_duration: number
  different_cost: number
  mine_seconds: number
  export_seconds: number
  /** Null if a side has no costs. */
  mine_cost: bigint | null
  export_cost: bigint | null
}

/**
 * Pairs calls with the same numbers and times within the tolerance, earliest first, and returns the counts. Calls `report` with
 * every difference, in the order of the sides.
 */
export async function compare(
  sides: { mine: Batches; theirs: Batches },
  tolerances: Tolerances,
  report: (difference: Difference) => Promise<void>,
): Promise<Summary> {
  const summary = emptySummary()
  const mine = new Side(sides.mine, (call) => add(summary, 'mine', call))
  const theirs = new Side(sides.theirs, (call) => add(summary, 'export', call))
  await mine.advance()
  await theirs.advance()
  while (mine.call || theirs.call) {
    const [own, other] = [mine.call, theirs.call]
    const order = orderOf(own, other, tolerances.time_ms)
    if (own && order < 0) {
      summary.missing++
      await report({ kind: 'missing', mine: own, theirs: null })
    } else if (other && order > 0) {
      summary.extra++
      await report({ kind: 'extra', mine: null, theirs: other })
    } else if (own && other) {
      await pair(own, other, tolerances, summary, report)
    }
    if (order <= 0) await mine.advance()
    if (order >= 0) await theirs.advance()
  }
  return summary
}

/** Negative: my call has no match left; positive: the export's call has none; 0: the calls match. */
function orderOf(mine: Call | null, theirs: Call | null, tolerance_ms: number): number {
  if (!mine || !theirs) return mine ? -1 : 1
  if (mine.key !== theirs.key) return mine.key < theirs.key ? -1 : 1
  const apart_ms = mine.start_ms - theirs.start_ms
  return Math.abs(apart_ms) <= tolerance_ms ? 0 : apart_ms
}

async function pair(
  mine: Call,
  theirs: Call,
  { duration_s, cost }: Tolerances,
  summary: Summary,
  report: (difference: Difference) => Promise<void>,
): Promise<void> {
  summary.matched++
  if (Math.abs(mine.duration - theirs.duration) > duration_s) {
    summary.different_duration++
    await report({ kind: 'duration', mine, theirs })
  }
  if (mine.cost === null || theirs.cost === null) return
  const apart = mine.cost - theirs.cost
  if ((apart < 0n ? -apart : apart) <= cost) return
  summary.different_cost++
  await report({ kind: 'cost', mine, theirs })
}

const emptySummary = (): Summary => ({
  mine_calls: 0,
  export_calls: 0,
  matched: 0,
  missing: 0,
  extra: 0,
  different_duration: 0,
  different_cost: 0,
  mine_seconds: 0,
  export_seconds: 0,
  mine_cost: null,
  export_cost: null,
})

function add(summary: Summary, side: 'mine' | 'export', { duration, cost }: Call): void {
  summary[`${side}_calls`]++
  summary[`${side}_seconds`] += duration
  if (cost !== null) summary[`${side}_cost`] = (summary[`${side}_cost`] ?? 0n) + cost
}

/** One side with its next call. */
class Side {
  call: Call | null = null
  readonly #batches: Batches
  readonly #read: (call: Call) => void
  #lines: readonly string[] = []
  #at = 0

  constructor(batches: Batches, read: (call: Call) => void) {
    this.#batches = batches
    this.#read = read
  }

  async advance(): Promise<void> {
    if (this.#at === this.#lines.length) {
      const next = await this.#batches.next()
      this.#lines = next.done ? [] : next.value
      this.#at = 0
    }
    const line = this.#lines[this.#at]
    this.call = line === undefined ? null : callOf(line)
    if (this.call === null) return
    this.#at++
    this.#read(this.call)
  }
}

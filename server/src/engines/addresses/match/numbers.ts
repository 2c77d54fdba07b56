import type { StreetRow } from './rows.ts'

/**
 * Whether the data has a number: `point` this exact number, `range` within a range of its parity, `gap` between the street's
 * lowest and highest but in none of its ranges, `unnumbered` the street has no numbers in the data, `outside`.
 */
export type NumberStatus = 'point' | 'range' | 'gap' | 'unnumbered' | 'outside'

const RANK: Record<NumberStatus, number> = { point: 4, range: 3, unnumbered: 2, gap: 1, outside: 0 }

/** The best status of `numbers` on the street. In authoritative data a gap is outside. */
export function numberStatus(row: StreetRow, numbers: readonly number[]): NumberStatus {
  if (row.ranges === null && row.points === null) return 'unnumbered'
  let best: NumberStatus = 'outside'
  for (const n of numbers) {
    const status = row.points ? inPoints(row.points, n) : inRanges(row.ranges ?? [], n)
    if (RANK[status] > RANK[best]) best = status
  }
  return best === 'gap' && row.authority === 'authoritative' ? 'outside' : best
}

export function better(a: NumberStatus, b: NumberStatus): boolean {
  return RANK[a] > RANK[b]
}

/** Whether the data has the number itself, or a range that holds it. */
export function hasNumber(status: NumberStatus): boolean {
  return status === 'point' || status === 'range'
}

function inPoints(points: readonly number[], n: number): NumberStatus {
  let [low, high] = [0, points.length - 1]
  while (low <= high) {
    const middle = (low + high) >> 1
    const found = points[middle] ?? 0
    if (found === n) return 'point'
    if (found < n) low = middle + 1
    else high = middle - 1
  }
  return n > (points[0] ?? n) && n < (points.at(-1) ?? n) ? 'gap' : 'outside'
}

function inRanges(ranges: readonly (readonly number[])[], n: number): NumberStatus {
  let [lowest, highest] = [Number.POSITIVE_INFINITY, 0]
  for (const [low = 0, high = 0, parity = 0] of ranges) {
    if (n >= low && n <= high && (parity === 0 || n % 2 === parity % 2)) return 'range'
    lowest = Math.min(lowest, low)
    highest = Math.max(highest, high)
  }
  return n >= lowest && n <= highest ? 'gap' : 'outside'
}

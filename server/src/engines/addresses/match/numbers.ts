import { isPlain, parseHouseNumber, type HouseNumber } from '../normalize/number.ts'
import type { StreetRow } from './rows.ts'

/**
 * Whether the data has a number: `point`, exactly this number; `range`, within a range of its parity; `gap`, neither in the
 * data nor excluded by it; `unnumbered`, the data has no numbers for the street; `outside`. A gap is between the lowest and
 * highest known number of the street, or within a range but with a letter or fraction, which ranges don't cover.
 */
export type NumberStatus = 'point' | 'range' | 'gap' | 'unnumbered' | 'outside'

const RANK: Record<NumberStatus, number> = { point: 4, range: 3, unnumbered: 2, gap: 1, outside: 0 }

/** The numbers of a street, as points or ranges. */
export type StoredNumbers = Pick<StreetRow, 'authority' | 'ranges' | 'points' | 'others'>

/** A range of numbers with one prefix; parity 0 any, 1 odd, 2 even. */
export interface NumberRange {
  prefix: string
  low: number
  high: number
  parity: number
}

export function hasNumbers({ ranges, points, others }: StoredNumbers): boolean {
  return ranges !== null || points !== null || others !== null
}

/** Compares prefix, letter, and fraction too. In authoritative data, a gap is `outside`. */
export function numberStatus(row: StoredNumbers, number: HouseNumber): NumberStatus {
  if (!hasNumbers(row)) return 'unnumbered'
  if (isPlain(number) ? hasPoint(row, number.n) : exactNumbers(row).some(({ key }) => key === number.key))
    return 'point'
  const inRange = rangesOf(row, number.prefix).some((range) => holds(range, number.n))
  const hasOnlyDigits = number.suffix === '' && number.fraction === ''
  if (inRange && hasOnlyDigits) return 'range'
  if (row.authority === 'authoritative' || hasRelative(row, number)) return 'outside'
  const [lowest, highest] = ends(row, number.prefix)
  return inRange || (number.n > lowest && number.n < highest) ? 'gap' : 'outside'
}

export function better(a: NumberStatus, b: NumberStatus): boolean {
  return RANK[a] > RANK[b]
}

/** Whether the data has the number itself or a range that contains it. */
export function hasNumber(status: NumberStatus): boolean {
  return status === 'point' || status === 'range'
}

/** The lowest and highest number with a prefix; `[Infinity, 0]` if the street has none. */
export function ends(row: StoredNumbers, prefix: string): [lowest: number, highest: number] {
  const all = rangesOf(row, prefix).flatMap(({ low, high }) => [low, high])
  if (prefix === '' && row.points) all.push(row.points[0] ?? 0, row.points.at(-1) ?? 0)
  for (const exact of exactNumbers(row)) if (exact.prefix === prefix) all.push(exact.n)
  return all.length === 0 ? [Number.POSITIVE_INFINITY, 0] : [Math.min(...all), Math.max(...all)]
}

/** Whether a digits-only number is known. */
export function hasPoint({ points }: StoredNumbers, n: number): boolean {
  if (points === null) return false
  const at = firstFrom(points, n)
  return points[at] === n
}

/** The index of the first number that is not below `n`; `points` is ascending. */
export function firstFrom(points: readonly number[], n: number): number {
  let [low, high] = [0, points.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((points[middle] ?? 0) < n) low = middle + 1
    else high = middle
  }
  return low
}

export function holds({ low, high, parity }: NumberRange, n: number): boolean {
  return n >= low && n <= high && (parity === 0 || n % 2 === parity % 2)
}

/** Known numbers with a prefix, letter, or fraction. */
export function exactNumbers({ others }: StoredNumbers): HouseNumber[] {
  return (others ?? []).filter((text) => !text.includes('|')).map(storedNumber)
}

/** All ranges, or those of one prefix. */
export function rangesOf({ ranges, others }: StoredNumbers, prefix?: string): NumberRange[] {
  const plain = (ranges ?? []).map(([low = 0, high = 0, parity = 0]) => ({ prefix: '', low, high, parity }))
  const all = [...plain, ...(others ?? []).filter((text) => text.includes('|')).map(storedRange)]
  return prefix === undefined ? all : all.filter((range) => range.prefix === prefix)
}

/** Stored as `N6W23001|N6W23099|1`. */
function storedRange(text: string): NumberRange {
  const [from = '', to = '', parity = '0'] = text.split('|')
  const [low, high] = [storedNumber(from), storedNumber(to)]
  return { prefix: high.prefix, low: low.n, high: high.n, parity: Number(parity) }
}

/** A range may begin at zero (`N6W0`), although no house has that number. */
function storedNumber(text: string): HouseNumber {
  const number = parseHouseNumber(text, 'US')
  return typeof number === 'string' ? { text, prefix: '', n: 0, suffix: '', fraction: '', key: text } : number
}

/** Whether point data has the number with another letter or fraction, so there is no gap. */
function hasRelative(row: StoredNumbers, { prefix, n }: HouseNumber): boolean {
  return (prefix === '' && hasPoint(row, n)) || exactNumbers(row).some((one) => one.prefix === prefix && one.n === n)
}

import { isHyphenated, lowOfRange, withoutHyphen, type HouseNumber } from '../normalize/number.ts'
import { exactNumbers, firstFrom, hasPoint, holds, rangesOf, type NumberRange, type StoredNumbers } from './numbers.ts'

/** Numbers that a street has instead of one that it lacks. */

/** The integers to look up streets by that may have a number or another form of it. */
export function soughtNumbers(number: HouseNumber): number[] {
  const all = isHyphenated(number) ? [lowOfRange(number), withoutHyphen(number)] : [number.n]
  return all.filter((n) => n !== undefined)
}

/**
 * Numbers of the street that may be other forms of the given one: another prefix, letter, or fraction; the low number of a
 * building's range; or a missing or extra hyphen. Most likely first.
 */
export function otherForms(row: StoredNumbers, number: HouseNumber): string[] {
  const found = isHyphenated(number) ? formsOfHyphenated(row, number) : formsOfWhole(row, number)
  return [...new Set(found)].filter((text) => text !== number.text)
}

function formsOfWhole(row: StoredNumbers, { prefix, n }: HouseNumber): string[] {
  const exact = exactNumbers(row)
  const ranges = rangesOf(row).filter((range) => !isHyphenated(range) && holds(range, n))
  const plain = hasPoint(row, n) ? [String(n)] : []
  const bare = [...plain, ...ranges.map((range) => `${range.prefix}${n}`)]
  const same = exact.filter((one) => one.n === n && !isHyphenated(one))
  const mine = (text: string) => text === `${prefix}${n}`
  return [
    ...bare.filter(mine),
    ...same.filter((one) => one.prefix === prefix).map(({ text }) => text),
    ...bare.filter((text) => !mine(text)),
    ...same.filter((one) => one.prefix !== prefix).map(({ text }) => text),
    ...(prefix === '' ? withHyphen(row, n) : []),
  ]
}

/** For 8715 in data that writes 87-15. */
function withHyphen(row: StoredNumbers, n: number): string[] {
  const exact = exactNumbers(row).filter((one) => withoutHyphen(one) === n)
  const ranges = rangesOf(row).filter(({ prefix }) => {
    const first = prefix.slice(0, -1)
    return isHyphenated({ prefix }) && String(n).startsWith(first) && String(n).length >= first.length + 2
  })
  const inRanges = ranges.flatMap((range) => {
    const last = String(n).slice(range.prefix.length - 1)
    return holds(range, Number(last)) ? [`${range.prefix}${last}`] : []
  })
  return [...exact.map(({ text }) => text), ...inRanges]
}

function formsOfHyphenated(row: StoredNumbers, number: HouseNumber): string[] {
  const { prefix, n } = number
  const low = lowOfRange(number)
  const joined = withoutHyphen(number)
  const has = (one: number) => hasPoint(row, one) || rangesOf(row, '').some((range) => holds(range, one))
  return [
    ...(rangesOf(row, prefix).some((range) => holds(range, n)) ? [written(prefix, n)] : []),
    ...exactNumbers(row)
      .filter((one) => one.prefix === prefix && one.n === n)
      .map(({ text }) => text),
    ...(low !== undefined && has(low) ? [String(low)] : []),
    // 14-20 is a range, not 1420
    ...(low === undefined && joined !== undefined && has(joined) ? [String(joined)] : []),
  ]
}

/** The numbers of the street nearest to one that it lacks, with the same prefix, nearest first. */
export function nearestNumbers(row: StoredNumbers, { prefix, n }: HouseNumber, count: number): string[] {
  const near = new Map<number, string>()
  const points = prefix === '' ? (row.points ?? []) : []
  const at = firstFrom(points, n)
  for (const one of points.slice(Math.max(0, at - count), at + count)) near.set(one, String(one))
  for (const exact of exactNumbers(row))
    if (exact.prefix === prefix && !near.has(exact.n)) near.set(exact.n, exact.text)
  for (const range of rangesOf(row, prefix))
    for (const one of nearestIn(range, n)) if (!near.has(one)) near.set(one, written(prefix, one))
  return [...near]
    .filter(([one]) => Math.abs(one - n) <= reach(n))
    .toSorted(([a], [b]) => Math.abs(a - n) - Math.abs(b - n) || a - b)
    .slice(0, count)
    .map(([, text]) => text)
}

/** Maximum distance to the intended number: a block, or more where numbers measure the distance along a road. */
function reach(n: number): number {
  return Math.max(100, n / 10)
}

/** The nearest number of a range, or two if the given one is between them. */
function nearestIn({ prefix, low, high, parity }: NumberRange, n: number): number[] {
  // a range may begin at zero, although no house has that number
  const lowest = low === 0 && !isHyphenated({ prefix }) ? 1 : low
  const one = Math.min(Math.max(n, lowest), high)
  const fitting = parity === 0 || one % 2 === parity % 2 ? [one] : [one - 1, one + 1]
  return fitting.filter((number) => number >= lowest && number <= high)
}

function written(prefix: string, n: number): string {
  return `${prefix}${isHyphenated({ prefix }) ? String(n).padStart(2, '0') : n}`
}

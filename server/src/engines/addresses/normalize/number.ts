import { fold } from './text.ts'
import type { Country } from './types.ts'

/** A house number: `87-15`, `12B`, `12 1/2`, `N6W23001`. Numbers are equal only if all their parts are. */
export interface HouseNumber {
  /** As written in responses. */
  text: string
  /** `N6W` of a grid number; `87-` of a hyphenated number, with `n` after the hyphen. */
  prefix: string
  n: number
  suffix: string
  fraction: string
  /** Equal for equal numbers: 87-5 is 87-05, and neither is 8705. */
  key: string
}

export const HIGHEST_NUMBER = 99_999_999

const PLAIN = /^(\d{1,9})$/
const LETTERED = /^(\d{1,9})[ -]?([A-Z]{1,2})$/
const FRACTION = /^(\d{1,9})(?:[ -]?([A-Z]))?[ -](\d{1,2}\/\d{1,2})$/
const HYPHENATED = /^(\d{1,6})-(\d{1,5})([A-Z]?)(?: (\d{1,2}\/\d{1,2}))?$/
/** Wisconsin and Illinois grids (N6W23001), Puerto Rico's lettered blocks (B-5). */
const GRID = /^([NSEW]\d{1,4} ?[NSEW]|[A-Z]{1,2})[ -]?(\d{1,9})([A-Z]?)(?: (\d{1,2}\/\d{1,2}))?$/

/**
 * Parses a house number from text or an integer. Returns a message for the field if it isn't one. In Canada, `45-1234` is unit
 * 45 of 1234 (Canada Post); the unit belongs in the address type fields.
 */
export function parseHouseNumber(value: unknown, country: Country): HouseNumber | string {
  if (typeof value === 'number' ? !Number.isInteger(value) : typeof value !== 'string')
    return 'Not a valid house number.'
  const text = fold(String(value)).replace(/\s*([-/])\s*/g, '$1')
  const plain = PLAIN.exec(text)
  if (plain) return numberFrom({ n: plain[1] })
  const fraction = FRACTION.exec(text)
  if (fraction) return numberFrom({ n: fraction[1], suffix: fraction[2], fraction: fraction[3] })
  const lettered = LETTERED.exec(text)
  if (lettered) return numberFrom({ n: lettered[1], suffix: lettered[2] })
  const hyphenated = HYPHENATED.exec(text)
  if (hyphenated) {
    const number = inTwoParts(hyphenated[1] ?? '', hyphenated[2] ?? '', hyphenated[3] ?? '', hyphenated[4] ?? '')
    return country === 'CA' ? unitBefore(number, hyphenated[1] ?? '', hyphenated[2] ?? '') : number
  }
  const grid = GRID.exec(text)
  if (grid) return numberFrom({ prefix: grid[1]?.replace(' ', ''), n: grid[2], suffix: grid[3], fraction: grid[4] })
  return 'Not a valid house number.'
}

/** Whether the number is digits only, without prefix, letter, or fraction. */
export function isPlain({ prefix, suffix, fraction }: HouseNumber): boolean {
  return prefix === '' && suffix === '' && fraction === ''
}

export function isHyphenated({ prefix }: Pick<HouseNumber, 'prefix'>): boolean {
  return prefix.endsWith('-')
}

/**
 * The low number of a building's range, as cities write it for landmarks: 14 of `14-20`, 2101 of `2101-07`, where the second
 * part is the last digits of the high number. Undefined for other numbers.
 */
export function lowOfRange({ prefix, text, n }: HouseNumber): number | undefined {
  if (!prefix.endsWith('-')) return undefined
  const first = prefix.slice(0, -1)
  const digits = /-(\d+)/.exec(text)?.[1] ?? ''
  if (digits.length > first.length) return undefined
  const high = Number(first.slice(0, first.length - digits.length) + String(n).padStart(digits.length, '0'))
  return high > Number(first) ? Number(first) : undefined
}

/** A hyphenated number in data that omits the hyphen: 8715 for 87-15, 8705 for 87-5. */
export function withoutHyphen({ prefix, n }: Pick<HouseNumber, 'prefix' | 'n'>): number | undefined {
  // Queens writes at least two digits after the hyphen
  return prefix.endsWith('-') ? Number(prefix.slice(0, -1) + String(n).padStart(2, '0')) : undefined
}

function numberFrom(parts: {
  prefix?: string | undefined
  n: string | undefined
  suffix?: string | undefined
  fraction?: string | undefined
}): HouseNumber | string {
  const { prefix = '', suffix = '', fraction = '' } = parts
  const n = Number(parts.n)
  if (n < 1 || n > HIGHEST_NUMBER) return `Must be between 1 and ${HIGHEST_NUMBER}.`
  const text = `${prefix}${n}${rest(suffix, fraction)}`
  return { text, prefix, n, suffix, fraction, key: text }
}

function inTwoParts(first: string, second: string, suffix: string, fraction: string): HouseNumber | string {
  const prefix = `${Number(first)}-`
  const n = Number(second)
  const joined = withoutHyphen({ prefix, n }) ?? 0
  if (joined < 1 || joined > HIGHEST_NUMBER) return `Must be between 1 and ${HIGHEST_NUMBER}.`
  const after = rest(suffix, fraction)
  return { text: `${prefix}${second}${after}`, prefix, n, suffix, fraction, key: `${prefix}${n}${after}` }
}

/** In Canada, a hyphen follows a unit, or joins the lowest and highest number of a building. */
function unitBefore(number: HouseNumber | string, first: string, second: string): string {
  const low = typeof number === 'string' ? undefined : lowOfRange(number)
  const range = low === undefined ? '' : ` Enter only ${low} if it is the lowest number of the building.`
  return `Enter only ${second}, and ${first} as address_type_number if it is a unit.${range}`
}

function rest(suffix: string, fraction: string): string {
  return `${suffix}${fraction === '' ? '' : ` ${fraction}`}`
}

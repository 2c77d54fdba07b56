import { fold } from './text.ts'
import type { Country } from './types.ts'

/** A house number: `87-15`, `12B`, `12 1/2`, `N6W23001`. */
export interface HouseNumber {
  /** In the form of a response. */
  text: string
  prefix: string
  /** Compared with ranges; without its hyphen, so that 8715 and 87-15 are one number. */
  n: number
  suffix: string
  fraction: string
  /** `n`, and for the form of a building's range (`120-124`) its lower end too. */
  compare: readonly number[]
  /** Equal for equal numbers. */
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
 * Parses a house number given as text or as an integer. Returns the message for the field when it is none.
 * In Canada `45-1234` is unit 45 of 1234 (Canada Post), which belongs into the address type fields.
 */
export function parseHouseNumber(value: unknown, country: Country): HouseNumber | string {
  if (typeof value === 'number' ? !Number.isInteger(value) : typeof value !== 'string')
    return 'Not a valid house number.'
  const text = fold(String(value)).replace(/\s*([-/])\s*/g, '$1')
  const plain = PLAIN.exec(text)
  if (plain) return whole({ n: plain[1] })
  const fraction = FRACTION.exec(text)
  if (fraction) return whole({ n: fraction[1], suffix: fraction[2], fraction: fraction[3] })
  const lettered = LETTERED.exec(text)
  if (lettered) return whole({ n: lettered[1], suffix: lettered[2] })
  const hyphenated = HYPHENATED.exec(text)
  if (hyphenated && country === 'CA')
    return `Give ${hyphenated[2] ?? ''} alone, and ${hyphenated[1] ?? ''} as address_type_number if it is a unit.`
  if (hyphenated) return folded(hyphenated[1] ?? '', hyphenated[2] ?? '', hyphenated[3] ?? '', hyphenated[4] ?? '')
  const grid = GRID.exec(text)
  if (grid) return whole({ prefix: grid[1]?.replace(' ', ''), n: grid[2], suffix: grid[3], fraction: grid[4] })
  return 'Not a valid house number.'
}

function whole(parts: {
  prefix?: string | undefined
  n: string | undefined
  suffix?: string | undefined
  fraction?: string | undefined
}): HouseNumber | string {
  const { prefix = '', suffix = '', fraction = '' } = parts
  const n = Number(parts.n)
  if (n < 1 || n > HIGHEST_NUMBER) return `Must be between 1 and ${HIGHEST_NUMBER}.`
  const text = `${prefix}${n}${suffix}${fraction === '' ? '' : ` ${fraction}`}`
  return { text, prefix, n, suffix, fraction, compare: [n], key: text }
}

function folded(first: string, second: string, suffix: string, fraction: string): HouseNumber | string {
  // Queens writes two digits after the hyphen at least: 87-05
  const n = Number(first + second.padStart(2, '0'))
  if (n < 1 || n > HIGHEST_NUMBER) return `Must be between 1 and ${HIGHEST_NUMBER}.`
  const low = Number(first)
  const building = first.length >= 2 && first.length === second.length && Number(second) > low
  const rest = `${suffix}${fraction === '' ? '' : ` ${fraction}`}`
  return {
    text: `${low}-${second}${rest}`,
    prefix: '',
    n,
    suffix,
    fraction,
    compare: building ? [n, low] : [n],
    key: `${n}${rest}`,
  }
}

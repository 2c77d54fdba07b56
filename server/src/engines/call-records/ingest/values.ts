/**
 * Checks and converts field values. After an error, each function returns a placeholder that is never used, because the record
 * is rejected. Pure.
 */

import { isIP } from 'node:net'
import { parseMoment, required, unpairedSurrogate } from '@demarc/client'
import { MONEY, TIME, UINT32_MAX } from '../limits.ts'
import type { LineErrors } from './line-errors.ts'
import type { FieldName } from './fields.ts'
import { LIMITS } from './limits.ts'

const absent = (value: unknown): value is undefined | null | '' => value === undefined || value === null || value === ''

/** A decimal id without leading zeros, so that each account has one representation. */
export const isAccountId = (text: string): boolean => /^(?:0|[1-9]\d{0,17})$/.test(text)

export function account(value: unknown, errors: LineErrors): string {
  if (absent(value)) return (errors.add('account_id', required), '')
  if (typeof value === 'string' && isAccountId(value)) return value
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return String(value)
  errors.add('account_id', 'Must be the ID of an account.')
  return ''
}

/** Required text; `callerid` may be empty, meaning that the caller withheld it. */
export function requiredText(field: FieldName, value: unknown, most: number, errors: LineErrors): string {
  if (value === '' && field === 'callerid') return ''
  if (absent(value)) return (errors.add(field, required), '')
  return text(field, value, most, errors)
}

export function text(field: FieldName, value: unknown, most: number, errors: LineErrors): string {
  if (absent(value)) return ''
  if (typeof value !== 'string') return (errors.add(field, 'Must be text.'), '')
  if (value.length > most) errors.add(field, `At most ${most} characters.`)
  // The store would replace it with U+FFFD, and two ids could become one.
  if (!value.isWellFormed()) errors.add(field, unpairedSurrogate)
  return value
}

export function oneOf<W extends string>(field: FieldName, value: unknown, words: readonly W[], errors: LineErrors): W {
  const found = words.find((each) => each === value)
  if (found !== undefined) return found
  errors.add(field, absent(value) ? required : `Must be one of: ${words.join(', ')}`)
  return words[0] as W
}

/** ISO 3166-1 alpha-2 in any case, returned in upper case. */
export function country(field: FieldName, value: unknown, errors: LineErrors): string {
  if (absent(value)) return ''
  if (typeof value === 'string' && /^[A-Za-z]{2}$/.test(value)) return value.toUpperCase()
  errors.add(field, 'Must be a two-letter country code (ISO 3166-1 alpha-2).')
  return ''
}

export function address(field: FieldName, value: unknown, errors: LineErrors): string {
  if (absent(value)) return ''
  if (typeof value === 'string' && isIP(value) !== 0) return value
  errors.add(field, 'Must be an IPv4 or IPv6 address.')
  return ''
}

/** A JSON integer, or digits. */
function integerOf(value: unknown): number {
  if (typeof value === 'number') return Number.isInteger(value) ? value : Number.NaN
  return typeof value === 'string' && /^\d{1,10}$/.test(value) ? Number(value) : Number.NaN
}

export function requiredSeconds(field: FieldName, value: unknown, errors: LineErrors): number {
  if (absent(value)) return (errors.add(field, required), 0)
  return seconds(field, value, errors)
}

export function seconds(field: FieldName, value: unknown, errors: LineErrors): number {
  if (absent(value)) return 0
  const number = integerOf(value)
  if (number >= 0 && number <= UINT32_MAX) return number
  errors.add(field, `Must be a whole number of seconds from 0 to ${UINT32_MAX}.`)
  return 0
}

/** RFC 3261 section 7.2. Switches write 0 for a call that did not fail. */
export function sipCode(field: FieldName, value: unknown, errors: LineErrors): number | null {
  if (absent(value)) return null
  const number = integerOf(value)
  if (number === 0) return null
  if (number >= 100 && number <= 699) return number
  errors.add(field, 'Must be a SIP status code from 100 to 699.')
  return null
}

/** Exact decimal text. An absent value is zero. */
export function money(field: FieldName, value: unknown, errors: LineErrors): string {
  if (absent(value)) return '0'
  if (typeof value === 'string') {
    if (MONEY.pattern.test(value)) return value
    const plain = withoutExponent(value)
    if (plain !== null && MONEY.pattern.test(plain)) return plain
  }
  errors.add(field, `Must be an amount with at most 9 digits and ${MONEY.places} decimal places.`)
  return '0'
}

/** Writes `1.2e-7` as `0.00000012`, because many JSON writers use exponents for small numbers. Null for other text. */
function withoutExponent(source: string): string | null {
  const match = /^(-?)(\d{1,20})(?:\.(\d{1,20}))?[eE]([+-]?\d{1,2})$/.exec(source)
  if (match === null) return null
  const [, sign = '', integer = '', fraction = '', exponent = ''] = match
  const digits = integer + fraction
  const point = integer.length + Number(exponent)
  const before = point > 0 ? digits.slice(0, point).padEnd(point, '0') : '0'
  const after = (point < 0 ? '0'.repeat(-point) + digits : digits.slice(point)).replace(/0+$/, '')
  return sign + before.replace(/^0+(?=\d)/, '') + (after === '' ? '' : `.${after}`)
}

export function tags(field: FieldName, value: unknown, errors: LineErrors): readonly string[] {
  if (absent(value)) return []
  if (!Array.isArray(value) || !value.every((tag) => typeof tag === 'string')) {
    errors.add(field, 'Must be a list of strings.')
    return []
  }
  if (value.length > LIMITS.tags) errors.add(field, `At most ${LIMITS.tags} entries.`)
  for (const tag of value) {
    if (tag === '') errors.add(field, 'Has an empty entry.')
    text(field, tag, LIMITS.tag_chars, errors)
  }
  return value
}

/**
 * The two common time formats, on days that every month has. Nearly all records match, and this is ten times as fast as
 * `parseMoment`. `T` requires a zone; a space excludes one.
 */
const COMMON_MOMENT =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])(?:T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,3})?Z| (?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,3})?)$/

/** Epoch milliseconds; NaN after an error. */
export function moment(field: FieldName, value: unknown, errors: LineErrors): number {
  if (absent(value)) return (errors.add(field, required), Number.NaN)
  const ms = typeof value === 'string' ? readMoment(value) : null
  if (ms !== null && ms >= TIME.first && ms <= TIME.last) return ms
  errors.add(
    field,
    ms === null
      ? 'Must be a valid time: ISO 8601 with Z or an offset, or YYYY-MM-DD HH:MM:SS in UTC.'
      : 'Must be a time from 1900 to 2299.',
  )
  return Number.NaN
}

/** Most records of a body share one day. */
let day = { text: '', first_ms: Number.NaN }

/** A faster equivalent of the contract's `parseMoment`. */
export function readMoment(text: string): number | null {
  if (!COMMON_MOMENT.test(text)) return parseMoment(text)
  const date = text.slice(0, 10)
  if (date !== day.text) day = { text: date, first_ms: Date.parse(date) }
  const seconds = digitsAt(text, 11, 2) * 3600 + digitsAt(text, 14, 2) * 60 + digitsAt(text, 17, 2)
  return day.first_ms + seconds * 1000 + millisecondsAt(text, 19)
}

function digitsAt(text: string, from: number, length: number): number {
  let value = 0
  for (let at = from; at < from + length; at += 1) value = value * 10 + text.charCodeAt(at) - 48
  return value
}

/** Milliseconds of a fraction of up to three digits: 500 for `.5`, 0 without one. */
function millisecondsAt(text: string, point: number): number {
  if (text.charCodeAt(point) !== 0x2e) return 0
  const end = text.endsWith('Z') ? text.length - 1 : text.length
  const length = end - point - 1
  return digitsAt(text, point + 1, length) * 10 ** (3 - length)
}

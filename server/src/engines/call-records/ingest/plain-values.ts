/** The values of a plain line, checked as values.ts checks them. Numbers are NaN where the general way must decide. Pure. */

import { isIP } from 'node:net'
import { MONEY, TIME, UINT32_MAX } from '../limits.ts'
import { LIMITS } from './limits.ts'
import { NUMBER, startsWith, TEXT, type PlainLine } from './plain-line.ts'
import { readMoment } from './values.ts'

const PLUS = 0x2b
const MINUS = 0x2d
const POINT = 0x2e
const ZERO = 0x30
const NINE = 0x39
const COLON = 0x3a
const T = 0x54
const Z = 0x5a

const UNITS = 10 ** MONEY.places
/** Amounts of more digits are rare, and in units of the last place not all of them are exact numbers. */
const WHOLE_DIGITS = 7
const SECONDS_DIGITS = 10
const DAY_CHARS = 10
const MINUTE_CHARS = 'YYYY-MM-DD HH:MM:SS'.length
const MAX_FRACTION = 3

export function isText({ kind, from, to }: PlainLine, field: number, most: number): boolean {
  return kind[field] === TEXT && (to[field] ?? 0) - (from[field] ?? 0) <= most
}

/** Each word with the quote that ends it. */
export function isOneOf({ kind, bytes, from }: PlainLine, field: number, words: readonly Buffer[]): boolean {
  if (kind[field] !== TEXT) return false
  const start = from[field] ?? 0
  for (const word of words) if (startsWith(bytes, start, word)) return true
  return false
}

export function isCountry({ kind, bytes, from, to }: PlainLine, field: number): boolean {
  const start = from[field] ?? 0
  return kind[field] === TEXT && to[field] === start + 2 && isLetter(bytes[start]) && isLetter(bytes[start + 1])
}

const isLetter = (code = 0) => (code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a
const isDigit = (code = 0) => code >= ZERO && code <= NINE

export function areTags({ tags, tag_from, tag_to }: PlainLine): boolean {
  for (let at = 0; at < tags; at += 1) {
    const length = (tag_to[at] ?? 0) - (tag_from[at] ?? 0)
    if (length === 0 || length > LIMITS.tag_chars) return false
  }
  return true
}

export function isAddress(line: PlainLine, field: number): boolean {
  if (line.kind[field] !== TEXT) return false
  return isIPv4(line.bytes, line.from[field] ?? 0, line.to[field] ?? 0) || isIP(line.text(field)) !== 0
}

function isIPv4(bytes: Buffer, from: number, to: number): boolean {
  let at = from
  for (let part = 0; part < 4; part += 1) {
    const start = at
    while (at < to && at < start + 3 && isDigit(bytes[at])) at += 1
    if (at === start || (bytes[start] === ZERO && at > start + 1) || digits(bytes, start, at) > 255) return false
    if (part < 3 && bytes[at++] !== POINT) return false
  }
  return at === to
}

/** Only digits; NaN without any. */
function digits(bytes: Buffer, from: number, to: number): number {
  let value = from < to ? 0 : Number.NaN
  for (let at = from; at < to; at += 1) value = isDigit(bytes[at]) ? value * 10 + (bytes[at] ?? 0) - ZERO : Number.NaN
  return value
}

/** JSON has no numbers that begin with a zero before another digit. */
function beginsAsNumber(bytes: Buffer, from: number, to: number): boolean {
  return bytes[from] !== ZERO || to === from + 1 || bytes[from + 1] === POINT
}

/** Whole seconds. */
export function secondsOf({ kind, bytes, from, to }: PlainLine, field: number): number {
  const start = from[field] ?? 0
  const end = to[field] ?? 0
  if (end - start > SECONDS_DIGITS || (kind[field] === NUMBER && !beginsAsNumber(bytes, start, end))) return Number.NaN
  const value = digits(bytes, start, end)
  return value <= UINT32_MAX ? value : Number.NaN
}

/** 0 for a call that did not fail. */
export function sipCodeOf(line: PlainLine, field: number): number {
  const value = secondsOf(line, field)
  return value === 0 || (value >= 100 && value <= 699) ? value : Number.NaN
}

/** In units of the last place. */
export function moneyOf({ kind, bytes, from, to }: PlainLine, field: number): number {
  const end = to[field] ?? 0
  const sign = bytes[from[field] ?? 0] === MINUS ? -1 : 1
  const start = (from[field] ?? 0) + (sign < 0 ? 1 : 0)
  if (kind[field] === NUMBER && !beginsAsNumber(bytes, start, end)) return Number.NaN
  let point = start
  while (point < end && bytes[point] !== POINT) point += 1
  if (point - start > WHOLE_DIGITS) return Number.NaN
  const whole = digits(bytes, start, point)
  if (point === end) return sign * whole * UNITS
  const places = end - point - 1
  if (places > MONEY.places) return Number.NaN
  return sign * (whole * UNITS + digits(bytes, point + 1, end) * 10 ** (MONEY.places - places))
}

/** The day of the last time: the records of a body are mostly of one. */
export type Day = { bytes: Buffer; first_ms: number }

/** Epoch milliseconds of the two common formats of a time. */
export function momentOf(line: PlainLine, field: number, day: Day): number {
  const { kind, bytes, from, to } = line
  const start = from[field] ?? 0
  const zoned = bytes[start + DAY_CHARS] === T
  const end = (to[field] ?? 0) - (zoned ? 1 : 0)
  if (kind[field] !== TEXT || end < start + MINUTE_CHARS) return Number.NaN
  if (zoned ? bytes[end] !== Z : bytes[start + DAY_CHARS] !== 0x20) return Number.NaN
  if (bytes[start + 13] !== COLON || bytes[start + 16] !== COLON) return Number.NaN
  const hours = digits(bytes, start + 11, start + 13)
  const minutes = digits(bytes, start + 14, start + 16)
  const seconds = digits(bytes, start + 17, start + 19)
  if (!(hours <= 23 && minutes <= 59 && seconds <= 59)) return Number.NaN
  const of_day_ms = ((hours * 60 + minutes) * 60 + seconds) * 1000 + fractionOf(bytes, start + MINUTE_CHARS, end)
  const ms = dayOf(line, start, day) + of_day_ms
  return ms >= TIME.first && ms <= TIME.last ? ms : Number.NaN
}

function fractionOf(bytes: Buffer, point: number, end: number): number {
  if (point === end) return 0
  const places = end - point - 1
  return bytes[point] === POINT && places <= MAX_FRACTION
    ? digits(bytes, point + 1, end) * 10 ** (MAX_FRACTION - places)
    : Number.NaN
}

function dayOf({ bytes }: PlainLine, start: number, day: Day): number {
  if (day.bytes.length > 0 && startsWith(bytes, start, day.bytes)) return day.first_ms
  day.bytes = Buffer.from(bytes.subarray(start, start + DAY_CHARS))
  day.first_ms = readMoment(`${day.bytes.toString('latin1')}T00:00:00Z`) ?? Number.NaN
  return day.first_ms
}

/** Where the digits of a number begin that has nothing but a `+` before them; -1 for what has more. */
export function plainDigits({ bytes, from, to }: PlainLine, field: number): number {
  const start = (from[field] ?? 0) + (bytes[from[field] ?? 0] === PLUS ? 1 : 0)
  for (let at = start; at < (to[field] ?? 0); at += 1) if (!isDigit(bytes[at])) return -1
  return start
}

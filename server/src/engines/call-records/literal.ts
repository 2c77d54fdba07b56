/**
 * SQL literals. All text is written as hexadecimal, so no quoting is needed; the engine evaluates the constant once per query.
 * A list of any length is one JSON text, which the parser reads as one literal.
 */

import { wellFormed } from './normalization.ts'

export function text(value: string): string {
  return `unhex('${Buffer.from(value, 'utf8').toString('hex')}')`
}

/** A constant array, `Array(String)`. */
export function texts(values: readonly string[]): string {
  return extract(values.map(wellFormed), 'Array(String)')
}

/** A subquery of one column for `IN`. */
export function textSet(values: readonly string[]): string {
  return `(SELECT arrayJoin(${texts(values)}))`
}

/** A constant of a nested ClickHouse type; 64-bit integers in `value` as strings. */
export function extract(value: unknown, type: string): string {
  return `JSONExtract(${text(JSON.stringify(value))}, '${type}')`
}

/** The same for an array of any length, from parts that `jsonPart` encoded. */
export function extractParts(parts: readonly string[], type: string): string {
  return `JSONExtract(unhex('5b${parts.join('2c')}5d'), '${type}')`
}

/** Some values of an array. */
export const jsonPart = (values: readonly unknown[]): string =>
  Buffer.from(JSON.stringify(values).slice(1, -1), 'utf8').toString('hex')

/**
 * A subquery of one `UInt64` column, with each of `values` as 16 hexadecimal digits: one literal, which is faster to parse than
 * a list.
 */
export function uint64Set(values: readonly string[]): string {
  return `(SELECT reinterpretAsUInt64(reverse(substring(unhex('${values.join('')}'), 1 + 8 * number, 8))) FROM numbers(${values.length}))`
}

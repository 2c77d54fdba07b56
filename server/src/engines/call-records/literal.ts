/**
 * SQL literals. Text of any origin goes in as hexadecimal and nothing else, so no quoting rule can be got wrong; the engine folds the
 * constant once per query. Lists go in as one JSON text: the parser sees one literal, however many entries.
 */

import { wellFormed } from './comparing.ts'

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

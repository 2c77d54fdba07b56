/** Parses one line of NDJSON. Pure. */

import { MONEY_FIELDS, type Values } from './fields.ts'

export type JsonObject = { [key: string]: unknown }

/** The line's object, or an error message. */
export function parseObject(text: string): JsonObject | string {
  return asObject(() => JSON.parse(text))
}

/**
 * Replaces money sent as JSON numbers with its source text, because a binary float cannot represent every amount. A regular
 * expression finds it in the line, several times as fast as a reviver: unlike text inside a string, a key has unescaped quotes,
 * and a record without unknown fields is not nested, so the last match of a name is the value that JSON.parse returned. If that
 * value differs (the key was written with escapes), the reviver is used.
 */
export function withExactMoney(text: string, values: Values): Values {
  if (!MONEY_FIELDS.some((field) => typeof values[field] === 'number')) return values
  const sources = new Map<string, string>()
  for (const [, field = '', source = ''] of text.matchAll(MONEY_IN_LINE)) sources.set(field, source)
  const exact = { ...values }
  for (const field of MONEY_FIELDS) {
    if (typeof values[field] !== 'number') continue
    const source = sources.get(field)
    if (source === undefined || Number(source) !== values[field]) return revived(text, values)
    exact[field] = source
  }
  return exact
}

const MONEY_IN_LINE = new RegExp(`"(${MONEY_FIELDS.join('|')})"\\s*:\\s*(-?\\d[\\d.eE+-]*)`, 'g')

function revived(text: string, values: Values): Values {
  const exact = asObject(() => JSON.parse(text, sourceOfMoney))
  return typeof exact === 'string' ? values : exact
}

/** Node's types lack the reviver's third argument (ECMA-262, JSON.parse source text access). */
function sourceOfMoney(key: string, value: unknown, context?: { source?: string }): unknown {
  return typeof value === 'number' && MONEY_FIELDS.some((field) => field === key) ? context?.source : value
}

function asObject(parse: () => unknown): JsonObject | string {
  let value: unknown
  try {
    value = parse()
  } catch (error) {
    // RangeError: nested deeper than the stack
    if (error instanceof SyntaxError || error instanceof RangeError)
      return `Is not JSON: ${error.message.slice(0, 200).toWellFormed()}`
    throw error
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject
  return 'Must be a JSON object.'
}

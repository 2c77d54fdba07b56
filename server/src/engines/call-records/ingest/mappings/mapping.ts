/** Converts a switch's records to call records. A mapping is data that this module interprets. Pure. */

import { createHash } from 'node:crypto'
import { isField, type FieldName, type Values } from '../fields.ts'
import type { JsonObject } from '../json.ts'

/** One source of a field's value. The first rule that yields a value applies; otherwise the field is absent. */
type Rule = {
  /** Columns, or dotted paths into the JSON. The first nonempty one is used. */
  from?: readonly string[]
  /** Columns whose nonempty values are joined with `-`. */
  join?: readonly string[]
  /** Decodings to apply to the text, in this order. */
  decode?: readonly Decoding[]
  /** The switch's values and the contract's. Other values yield nothing. */
  translate?: Readonly<Record<string, string>>
  /** A constant. */
  value?: string
  /** Limits the rule to answered or unanswered calls. */
  only?: 'answered' | 'unanswered'
}

/** Columns of a CSV without a header line. */
export type Layout = {
  columns: readonly string[]
  /** Patterns that distinguish this layout from another with the same number of columns. */
  where?: Readonly<Record<string, RegExp>>
}

export type Mapping = {
  reads: 'application/x-ndjson' | 'text/csv'
  /** The possible layouts of a CSV row, distinguished by the number of cells and `where`; the first match applies. */
  layouts?: readonly Layout[]
  /** Yields a value only for answered calls. */
  answered: Rule
  /** Without account_id: the request names the account. */
  fields: { readonly [F in Exclude<FieldName, 'account_id'>]?: readonly Rule[] }
}

/** A virtual column of every CSV row: a digest of all its cells, for records without an id. */
export const ROW_DIGEST = 'row_digest'

/**
 * Decodings by name. Each returns undefined for text that means no value, and unexpected text unchanged, so that the field's
 * check reports it.
 */
const DECODINGS = {
  /** As in a URL. An invalid escape shows that the switch is configured not to encode. */
  percent: (text) => {
    try {
      return decodeURIComponent(text)
    } catch (error) {
      if (error instanceof URIError) return text
      throw error
    }
  },
  /** Microseconds since 1970, truncated to milliseconds. 0 means never. */
  epoch_us: (text) => (text === '0' ? undefined : /^\d{10,17}$/.test(text) ? isoTime(Number(text.slice(0, -3))) : text),
  /** Seconds since 1970. 0 means never. */
  epoch_s: (text) => (text === '0' ? undefined : /^\d{4,11}$/.test(text) ? isoTime(Number(text) * 1000) : text),
  /** Local time of the switch. Some switches write the beginning of 1970, in their zone, for never. */
  stamp: (text) => (/^(?:1969-12-31|1970-01-01) /.test(text) ? undefined : text),
  /** `sip:487`. Causes of other protocols yield nothing. */
  sip_cause: (text) => /^sip:(\d{3})$/.exec(text)?.[1],
} as const satisfies Record<string, (text: string) => string | undefined>

type Decoding = keyof typeof DECODINGS

/** Looks up a record's column or path. */
type Lookup = (name: string) => string | undefined

/** Converts one record of the switch to the contract's fields. */
export function mapped(mapping: Mapping, lookup: Lookup): Values {
  const answered = valueOf(mapping.answered, lookup) === undefined ? 'unanswered' : 'answered'
  const values: Values = {}
  for (const [field, rules] of Object.entries(mapping.fields)) {
    if (!isField(field)) continue
    for (const rule of rules) {
      if (rule.only !== undefined && rule.only !== answered) continue
      const value = valueOf(rule, lookup)
      if (value === undefined) continue
      values[field] = value
      break
    }
  }
  return values
}

function valueOf(rule: Rule, lookup: Lookup): string | undefined {
  if (rule.value !== undefined) return rule.value
  let text = rule.join === undefined ? firstOf(rule.from ?? [], lookup) : joined(rule.join, lookup)
  for (const decoding of rule.decode ?? []) if (text !== undefined) text = DECODINGS[decoding](text)
  if (text === undefined || rule.translate === undefined) return text
  return Object.hasOwn(rule.translate, text) ? rule.translate[text] : undefined
}

function firstOf(names: readonly string[], lookup: Lookup): string | undefined {
  for (const name of names) {
    const text = lookup(name)
    if (text !== undefined && text !== '') return text
  }
  return undefined
}

function joined(names: readonly string[], lookup: Lookup): string | undefined {
  const texts = names.map(lookup).filter((text) => text !== undefined && text !== '')
  return texts.length === 0 ? undefined : texts.join('-')
}

/** Looks up texts and numbers of a JSON record by path: `callflow.0.caller_profile.uuid`. */
export function lookupIn(record: JsonObject): Lookup {
  return (path) => {
    let node: unknown = record
    for (const step of stepsOf(path)) {
      if (typeof node !== 'object' || node === null || !Object.hasOwn(node, step)) return undefined
      node = (node as JsonObject)[step]
    }
    return typeof node === 'string' ? node : typeof node === 'number' ? String(node) : undefined
  }
}

const steps = new Map<string, string[]>()

/** Cached. Only mappings define paths, so there are few. */
function stepsOf(path: string): string[] {
  const cached = steps.get(path)
  if (cached !== undefined) return cached
  const split = path.split('.')
  steps.set(path, split)
  return split
}

/** A row's cells by column; undefined if no layout matches. */
export function lookupCells(layouts: readonly Layout[], cells: readonly string[]): Lookup | undefined {
  const layout = layouts.find(
    ({ columns, where = {} }) =>
      columns.length === cells.length &&
      Object.entries(where).every(([column, pattern]) => pattern.test(cells[columns.indexOf(column)] ?? '')),
  )
  if (layout === undefined) return undefined
  return (column) => (column === ROW_DIGEST ? digestOf(cells) : cells[layout.columns.indexOf(column)])
}

/** 128 bits, as 32 hex digits. */
function digestOf(cells: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(cells)).digest('hex').slice(0, 32)
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString()
}

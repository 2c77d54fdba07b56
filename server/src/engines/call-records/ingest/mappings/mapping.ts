/** How records that a switch writes become ours. A mapping is data; this reads it. Pure. */

import { createHash } from 'node:crypto'
import { isField, type FieldName, type Values } from '../fields.ts'
import type { JsonObject } from '../json.ts'

/** One way to a field's value. The first rule of a field that gives something wins; without one the field is absent. */
type Rule = {
  /** Columns, or paths with dots into the JSON. The first that is there and not empty is taken. */
  from?: readonly string[]
  /** Columns of which those that are not empty are joined with `-`. */
  join?: readonly string[]
  /** How the text is spelt, the outermost spelling first. */
  spelt?: readonly Spelling[]
  /** The switch's words to ours. A word that is not among them gives nothing. */
  words?: Readonly<Record<string, string>>
  /** This, whatever the record says. */
  value?: string
  /** Only for calls that were answered, or only for those that were not. */
  only?: 'answered' | 'unanswered'
}

/** Columns of a CSV without a header line. */
export type Layout = {
  columns: readonly string[]
  /** Where another layout has as many columns: what tells this one by. */
  where?: Readonly<Record<string, RegExp>>
}

export type Mapping = {
  reads: 'application/x-ndjson' | 'text/csv'
  /** The layouts that a CSV row may have, told apart by the number of its cells and `where`; the first that fits. */
  layouts?: readonly Layout[]
  /** Gives something for a call that was answered, nothing for others. */
  answered: Rule
  /** account_id is not among them: the request names the account. */
  fields: { readonly [F in Exclude<FieldName, 'account_id'>]?: readonly Rule[] }
}

/** A column that every CSV row has: a digest of all its cells, for records that bring no id of their own. */
export const ROW_DIGEST = 'row_digest'

/**
 * Spellings by name. Nothing is answered where the text says that there is no value; text that is not of the form stays as it is, so that the
 * check of the field refuses it in its own words.
 */
const SPELLINGS = {
  /** As in a URL. A stray `%` shows that the switch was told not to encode. */
  percent: (text) => {
    try {
      return decodeURIComponent(text)
    } catch (error) {
      if (error instanceof URIError) return text
      throw error
    }
  },
  /** Microseconds since 1970, cut to milliseconds. 0 means never. */
  epoch_us: (text) => (text === '0' ? undefined : /^\d{10,17}$/.test(text) ? isoTime(Number(text.slice(0, -3))) : text),
  /** Seconds since 1970. 0 means never. */
  epoch_s: (text) => (text === '0' ? undefined : /^\d{4,11}$/.test(text) ? isoTime(Number(text) * 1000) : text),
  /** The switch's wall clock. Some write the beginning of 1970, in their zone, for never. */
  stamp: (text) => (/^(?:1969-12-31|1970-01-01) /.test(text) ? undefined : text),
  /** `sip:487`. Causes of other protocols are left out. */
  sip_cause: (text) => /^sip:(\d{3})$/.exec(text)?.[1],
} as const satisfies Record<string, (text: string) => string | undefined>

type Spelling = keyof typeof SPELLINGS

/** What a record says under a name. */
type Lookup = (name: string) => string | undefined

/** Our fields of one record of the switch. */
export function mapped(mapping: Mapping, lookup: Lookup): Values {
  const answered = given(mapping.answered, lookup) === undefined ? 'unanswered' : 'answered'
  const values: Values = {}
  for (const [field, rules] of Object.entries(mapping.fields)) {
    if (!isField(field)) continue
    for (const rule of rules) {
      if (rule.only !== undefined && rule.only !== answered) continue
      const value = given(rule, lookup)
      if (value === undefined) continue
      values[field] = value
      break
    }
  }
  return values
}

function given(rule: Rule, lookup: Lookup): string | undefined {
  if (rule.value !== undefined) return rule.value
  let text = rule.join === undefined ? firstOf(rule.from ?? [], lookup) : joined(rule.join, lookup)
  for (const spelling of rule.spelt ?? []) if (text !== undefined) text = SPELLINGS[spelling](text)
  if (text === undefined || rule.words === undefined) return text
  return Object.hasOwn(rule.words, text) ? rule.words[text] : undefined
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

/** Texts and numbers of a JSON record by their paths: `callflow.0.caller_profile.uuid`. */
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

/** Paths come from mappings, so they are few. */
function stepsOf(path: string): string[] {
  const known = steps.get(path)
  if (known !== undefined) return known
  const split = path.split('.')
  steps.set(path, split)
  return split
}

/** Cells of a row by their columns; undefined when no layout fits. */
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

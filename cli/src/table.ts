/** Tables, lines of CSV, and values of items as text. */

import { csvCell } from '@demarc/client'

export type Row = readonly string[]

/** The value at a path with dots: `validation.level`. */
export function valueAt(item: unknown, field: string): unknown {
  if (typeof item !== 'object' || item === null) return undefined
  const own = new Map(Object.entries(item))
  if (own.has(field)) return own.get(field)
  const dot = field.indexOf('.')
  return dot < 0 ? undefined : valueAt(own.get(field.slice(0, dot)), field.slice(dot + 1))
}

export const cells = (item: unknown, fields: readonly string[]): string[] =>
  fields.map((field) => textOf(valueAt(item, field)))

/** A value as text: nothing for null, commas between the entries of a list, JSON for what has an inside. */
export function textOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') return value
  if (Array.isArray(value) && value.every((each) => typeof each !== 'object')) return value.join(', ')
  return JSON.stringify(value)
}

/** The fields of an item for a person: those of inner objects one by one, `next.who`. */
export const fieldPaths = (item: Readonly<Record<string, unknown>>): string[] =>
  Object.entries(item).flatMap(([name, value]) =>
    typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0
      ? Object.keys(value).map((inner) => `${name}.${inner}`)
      : [name],
  )

/** A line by RFC 4180, quoted only where it must be. */
export const csvLine = (row: readonly string[]): string => `${row.map(csvCell).join(',')}\r\n`

const gap = 2
const narrowest = 6

/**
 * Formats rows in columns as wide as `sample` needs. Where that is wider than the terminal, the widest columns are cut.
 */
export function tableLines(sample: readonly Row[], width: number): (rows: readonly Row[]) => string[] {
  const widths = (sample[0] ?? []).map((_, i) => Math.max(...sample.map((row) => lengthOf(row[i] ?? ''))))
  const total = () => widths.reduce((sum, each) => sum + each, 0) + gap * Math.max(0, widths.length - 1)
  while (total() > width) {
    const widest = widths.indexOf(Math.max(...widths))
    if ((widths[widest] ?? 0) <= narrowest) break
    widths[widest] = (widths[widest] ?? 0) - 1
  }
  const cellOf = (text: string, width: number) => padded(cut(text, width), width)
  return (rows) =>
    rows.map((row) =>
      row
        .map((cell, i) => cellOf(cell, widths[i] ?? 0))
        .join(' '.repeat(gap))
        .trimEnd(),
    )
}

const lengthOf = (text: string): number => [...text].length
const padded = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - lengthOf(text)))
const cut = (text: string, width: number): string =>
  lengthOf(text) <= width ? text : `${[...text].slice(0, width - 1).join('')}…`

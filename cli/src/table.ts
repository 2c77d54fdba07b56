/** Formats tables, CSV lines, and item values as text. */

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

/** A value as text: empty for null, list entries separated by commas, JSON for objects. */
export function textOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') return value
  if (Array.isArray(value) && value.every((each) => typeof each !== 'object')) return value.join(', ')
  return JSON.stringify(value)
}

/** An item's fields for people; fields of nested objects are listed separately, as `next.who`. */
export const fieldPaths = (item: Readonly<Record<string, unknown>>): string[] =>
  Object.entries(item).flatMap(([name, value]) =>
    typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0
      ? Object.keys(value).map((inner) => `${name}.${inner}`)
      : [name],
  )

/** A CSV line (RFC 4180), with quotes only where needed. */
export const csvLine = (row: readonly string[]): string => `${row.map(csvCell).join(',')}\r\n`

const gap = 2
const narrowest = 6

/** Formats rows in columns as wide as `sample` needs. If the table is wider than the terminal, cuts the widest columns. */
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

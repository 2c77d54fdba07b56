/** Parses lines into values by the body's format: NDJSON or CSV, with the contract's fields or a mapping's. */

import { notKnown, required } from '@demarc/client'
import { invalid, problem } from '../../../platform/problem.ts'
import { Rows, type Row } from './csv.ts'
import { LineErrors } from './line-errors.ts'
import { FIELD_NAMES, FIELDS, isField, type FieldName, type Values } from './fields.ts'
import { parseObject, withExactMoney, type JsonObject } from './json.ts'
import type { Line } from './lines.ts'
import { lookupCells, lookupIn, mapped, mappingNamed, MAPPINGS, type Mapping } from './mappings/index.ts'

/** The unchecked values of one record. Without values, the line could not be parsed and `errors` has the reason. */
export type Entry = { line: number; values: Values | undefined; errors: LineErrors; source: Source }

/** The input: the text of a line or the cells of a row; null if unreadable. */
export type Source = string | readonly string[] | null

export type Reader = {
  /** The records that these lines complete. Throws 422 for an invalid CSV header. */
  take: (lines: readonly Line[]) => Entry[]
  flush: () => Entry[]
}

const CONTENT_TYPES = ['application/x-ndjson', 'text/csv'] as const
type ContentType = (typeof CONTENT_TYPES)[number]

export type Format = {
  content_type: string
  mapping?: string | undefined
  /** The account of records that do not name one. */
  account_id?: string | undefined
}

/** Throws 415 for an unsupported type, and 422 for an unknown mapping or one without its account. */
export function openReader({ content_type, mapping: name, account_id }: Format): Reader {
  const type = contentType(content_type)
  if (name === undefined) return type === 'text/csv' ? csvReader(account_id !== undefined) : jsonReader(ownFields)
  const mapping = mappingNamed(name)
  if (mapping === undefined) throw invalid({ mapping: [`Must be one of: ${Object.keys(MAPPINGS).join(', ')}`] })
  if (account_id === undefined)
    throw invalid({ account_id: [`${required} Records in mapping ${name} do not name an account.`] })
  if (mapping.reads !== type)
    throw problem(
      'unsupported-media-type',
      `Mapping ${name} reads ${mapping.reads}. Set the Content-Type header to that type.`,
    )
  return type === 'text/csv'
    ? rowReader((row) => mappedRow(mapping, row))
    : jsonReader((_text, record) => mapped(mapping, lookupIn(record)))
}

function contentType(header: string): ContentType {
  const [type = '', ...parameters] = header.toLowerCase().split(';')
  const found = CONTENT_TYPES.find((each) => each === type.trim())
  if (found === undefined)
    throw problem('unsupported-media-type', `This operation accepts ${CONTENT_TYPES.join(' or ')}.`)
  const charset = parameters.map((each) => /^\s*charset\s*=\s*"?([^"\s]*)"?\s*$/.exec(each)?.[1]).find(Boolean)
  if (charset !== undefined && !['utf-8', 'utf8', 'us-ascii'].includes(charset))
    throw problem('unsupported-media-type', 'Send call records in UTF-8. Other charsets are not supported.')
  return found
}

/** Adds unknown fields to `errors`. */
type ReadObject = (text: string, record: JsonObject, errors: LineErrors) => Values

function jsonReader(read: ReadObject): Reader {
  const entryOf = (line: Line): Entry | undefined => {
    if ('text' in line && !line.text.startsWith('{') && line.text.trim() === '') return undefined
    const errors = new LineErrors()
    const entry: Entry = { line: line.number, values: undefined, errors, source: 'text' in line ? line.text : null }
    if ('error' in line) return (errors.addLine(line.error), entry)
    const record = parseObject(line.text)
    if (typeof record === 'string') errors.addLine(record)
    else entry.values = read(line.text, record, errors)
    return entry
  }
  return {
    take: (lines) => lines.map(entryOf).filter((entry) => entry !== undefined),
    flush: () => [],
  }
}

function ownFields(text: string, record: JsonObject, errors: LineErrors): Values {
  for (const key in record) if (!isField(key)) errors.addUnknown(key)
  return withExactMoney(text, record)
}

/** Parses CSV rows; malformed ones become entries without values. */
function rowReader(read: (row: { line: number; cells: string[] }) => Entry): Reader {
  const rows = new Rows()
  const entryOf = (row: Row, lines: readonly Line[]): Entry => ('cells' in row ? read(row) : unreadable(row, lines))
  return {
    take: (lines) => rows.take(lines).map((row) => entryOf(row, lines)),
    flush: () => rows.flush().map((row) => entryOf(row, [])),
  }
}

/** A malformed row. Its text is its first line's, unless that was already taken. */
function unreadable({ line, error }: { line: number; error: string }, lines: readonly Line[]): Entry {
  const errors = new LineErrors()
  errors.addLine(error)
  const first = lines.find((each) => each.number === line)
  return { line, values: undefined, errors, source: first && 'text' in first ? first.text : null }
}

function mappedRow(mapping: Mapping, { line, cells }: { line: number; cells: string[] }): Entry {
  const errors = new LineErrors()
  const layouts = mapping.layouts ?? []
  const lookup = lookupCells(layouts, cells)
  if (lookup !== undefined) return { line, values: mapped(mapping, lookup), errors, source: cells }
  const lengths = [...new Set(layouts.map(({ columns }) => columns.length))].toSorted((a, b) => a - b)
  errors.addLine(`Has ${cells.length} cells; the mapping reads ${lengths.join(', ')}.`)
  return { line, values: undefined, errors, source: cells }
}

/** CSV with the contract's fields. The header row names them, in any order. */
function csvReader(account_is_given: boolean): Reader {
  let header: readonly FieldName[] | undefined
  const rows = new Rows()
  const entries = (some: readonly Row[], lines: readonly Line[]): Entry[] => {
    const found: Entry[] = []
    for (const row of some) {
      if (header === undefined) header = readHeader(row, account_is_given)
      else found.push(entryOf(header, row, lines))
    }
    return found
  }
  return {
    take: (lines) => entries(rows.take(lines), lines),
    flush: () => entries(rows.flush(), []),
  }
}

function readHeader(row: Row, account_is_given: boolean): FieldName[] {
  if (!('cells' in row)) throw invalid({ header: [`The first line must name the columns. ${row.error}`] })
  const names = row.cells.map((cell) => cell.trim())
  const errors = new LineErrors()
  for (const name of names) {
    if (!isField(name)) errors.add(name.slice(0, 100), notKnown)
    else if (names.indexOf(name) !== names.lastIndexOf(name)) errors.add(name, 'Appears more than once.')
  }
  for (const name of FIELD_NAMES) {
    if (FIELDS[name].required && !names.includes(name) && !(name === 'account_id' && account_is_given))
      errors.add(name, required)
  }
  if (errors.any) throw invalid(errors.messages())
  return names.filter(isField)
}

function entryOf(header: readonly FieldName[], row: Row, lines: readonly Line[]): Entry {
  if (!('cells' in row)) return unreadable(row, lines)
  const errors = new LineErrors()
  if (row.cells.length !== header.length) {
    errors.addLine(`Has ${row.cells.length} cells; the header line names ${header.length} columns.`)
    return { line: row.line, values: undefined, errors, source: row.cells }
  }
  const values: Values = {}
  for (let at = 0; at < header.length; at += 1) {
    const name = header[at] as FieldName
    const cell = row.cells[at]
    values[name] = name === 'custom_x_tags' && cell !== '' ? cell?.split('|') : cell
  }
  return { line: row.line, values, errors, source: row.cells }
}

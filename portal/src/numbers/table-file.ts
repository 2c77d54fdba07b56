import {
  type ChangedAttribute,
  csvCell,
  readCsvRows,
  readNumberColumns,
  readNumberRow,
  type RowChange,
} from '@demarc/client/rules'
import type { Body } from '../api.ts'
import { type Change, fieldsOf, linesOf, type NamesOf, reasonsOf, type ReportedResult } from './changes.ts'

/** Numbers as a CSV with the columns of `demarc numbers apply`; names may replace ids. */

type NumberRow = Body<'listNumbers'>['data'][number]

export interface Named {
  id: string
  name: string
}

/** An account's records, by kind. */
export interface Catalog {
  routes: readonly Named[]
  cnams: readonly Named[]
  e911s: readonly Named[]
}

export interface ReadTable {
  changes: Change[]
  /** The first line of each change. */
  lines: number[]
  /** Rows refused before anything is sent. */
  refused: ReportedResult[]
}

const kinds: { readonly [K in ChangedAttribute]?: readonly [keyof Catalog, string] } = {
  primary_route_id: ['routes', 'route'],
  failover_route_id: ['routes', 'route'],
  cnam_id: ['cnams', 'caller ID name'],
  e911_id: ['e911s', 'emergency address'],
}

/** Reads the changes in a CSV. Throws an Error if the file as a whole is invalid. */
export async function readTable(text: string, catalog: Catalog): Promise<ReadTable> {
  const rows = readCsvRows([text], (after_line) => {
    throw new Error(`A quote after line ${after_line} is not closed.`)
  })
  const first = await rows.next()
  if (first.done === true)
    throw new Error('The file is empty. The first line must name the columns: number, alias, route.')
  const header = readNumberColumns(first.value.cells)
  if ('problem' in header) throw new Error([header.problem, header.remedy].filter(Boolean).join(' '))
  const table: ReadTable = { changes: [], lines: [], refused: [] }
  for await (const { line, cells } of rows) {
    const { number, change, problem } = readNumberRow(cells, header.attributes)
    const { read, wrong } = readCells(change, catalog)
    if (problem !== null) wrong['row'] = [problem]
    if (Object.keys(wrong).length > 0) table.refused.push(refusedRow(line, number, wrong))
    else {
      // each attribute was parsed by its field
      table.changes.push(read as unknown as Change)
      table.lines.push(line)
    }
  }
  if (table.changes.length + table.refused.length === 0) throw new Error('The file has only a header line.')
  return table
}

/** A row's cells in the API's form, and their errors by attribute. */
function readCells(change: RowChange, catalog: Catalog) {
  const read: Record<string, unknown> = {}
  const wrong: Record<string, string[]> = {}
  for (const [attribute, cell] of Object.entries(change)) {
    const kind = kinds[attribute as ChangedAttribute]
    const found = kind === undefined || cell === null ? cell : idOf(cell, catalog[kind[0]])
    if (found === undefined) wrong[attribute] = [`The ${kind?.[1]} "${cell}" was not found or is not unique.`]
    read[attribute] = attribute === 'cnam_lookups_enabled' ? cell === 'true' : found
  }
  if (!/^1[2-9]\d{9}$/.test(String(read['value'])))
    wrong['value'] = ['Not a valid number. Use 11 digits starting with 1, or 10 digits.']
  return { read, wrong }
}

/** Resolves an id or a unique name. */
function idOf(cell: string, list: readonly { id: string; name: string }[]): string | undefined {
  if (/^\d+$/.test(cell)) return cell
  const named = list.filter(({ name }) => name.toLowerCase() === cell.toLowerCase())
  return named.length === 1 ? named[0]?.id : undefined
}

const refusedRow = (line: number, value: string, wrong: Record<string, string[]>): ReportedResult => ({
  line,
  value,
  outcome: 'refused',
  from: {},
  to: {},
  errors: [{ status: 422, detail: wrong }],
})

const header = ['number', 'alias', 'route', 'failover', 'cnam', 'e911']

/** Writes numbers as a CSV. Records whose name is not unique are written as ids. */
export function tableOf(numbers: readonly NumberRow[], catalog: Catalog): string {
  const nameOf = (list: readonly { id: string; name: string }[], { data }: { data: { id: number } | null }) => {
    if (data === null || data.id === 0) return ''
    const name = list.find(({ id }) => id === String(data.id))?.name
    return name !== undefined && idOf(name, list) === String(data.id) ? name : String(data.id)
  }
  const lines = numbers.map(({ attributes: { value, alias }, relationships: r }) => [
    value,
    alias ?? '',
    nameOf(catalog.routes, r.primary_route),
    nameOf(catalog.routes, r.failover_route),
    nameOf(catalog.cnams, r.cnam_preset),
    nameOf(catalog.e911s, r.e911_address),
  ])
  return csvOf([header, ...lines])
}

/** Rows of cells as a CSV that spreadsheets open. */
export const csvOf = (lines: readonly (readonly string[])[]): string =>
  lines.map((cells) => `${cells.map(cellText).join(',')}\r\n`).join('')

/** Spreadsheets execute cells that start like a formula, so these are escaped. */
function cellText(text: string): string {
  return csvCell(/^[=+\-@\t\r]/.test(text) ? `'${text}` : text)
}

const reportHeader = ['line', 'number', 'result', 'field', 'reason', 'changes']

/** The result for each number as a CSV, for the records and for correcting rejected lines. */
export const reportOf = (results: readonly ReportedResult[], nameOf: NamesOf): string =>
  csvOf([
    reportHeader,
    ...results.map((result) => [
      result.line === undefined ? '' : String(result.line),
      result.value,
      result.outcome,
      fieldsOf(result).join('; '),
      reasonsOf(result).join(' '),
      linesOf(result, nameOf).join('; '),
    ]),
  ])

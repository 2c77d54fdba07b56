import { CsvError } from 'csv-parse'
import { csvCell } from '@demarc/client'
import { CsvRecords, neutralized } from '../../platform/csv.ts'
import { FileRefused, textOf } from '../../platform/file-text.ts'
import { BULK } from './limits.ts'
import { PLACE_COLUMNS, READ_COLUMNS, unread, type BulkFormat, type BulkRow, type RowResult } from './validate-row.ts'

const CORRECTIONS = [1, 2, 3] as const
const CORRECTION_COLUMNS = ['street_number', 'street_name', 'city', 'state', 'zip'] as const
const ADDED = [
  'verdict',
  'level',
  'detail',
  ...CORRECTIONS.flatMap((n) => CORRECTION_COLUMNS.map((column) => `correction_${n}_${column}`)),
]

/** A header line, then the rows; results are added in columns after the file's own. */
export const csv: BulkFormat = {
  async *rows(source) {
    let header: Header | undefined
    for await (const cells of recordsOf(source)) {
      if (header) yield rowOf(header, cells)
      else header = readHeader(cells)
    }
  },
}

/** The header line of the result, written with the first row, because only the reader knows the columns. */
interface Header {
  names: readonly string[]
  /** Positions of the file's own columns, without result columns of an earlier run. */
  own: readonly number[]
  written: boolean
}

async function* recordsOf(source: AsyncIterable<Uint8Array>): AsyncGenerator<string[]> {
  const records = new CsvRecords(BULK.record_max)
  try {
    for await (const text of textOf(source)) yield* await records.push(text)
    yield* await records.end()
  } catch (error) {
    if (error instanceof CsvError) throw new FileRefused(`The file is not CSV: ${error.message}.`, { cause: error })
    throw error
  }
}

function readHeader(cells: string[]): Header {
  const names = cells.map((name) => name.trim())
  const missing = PLACE_COLUMNS.filter((name) => !names.includes(name))
  if (missing.length > 0)
    throw new FileRefused(
      `The header line has no ${missing.join(', ')}. It must name the columns ${PLACE_COLUMNS.join(', ')}.`,
    )
  const twice = READ_COLUMNS.filter((name) => names.indexOf(name) !== names.lastIndexOf(name))
  if (twice.length > 0) throw new FileRefused(`The header line has ${twice.join(', ')} more than once.`)
  return { names, own: names.flatMap((name, i) => (ADDED.includes(name) ? [] : [i])), written: false }
}

function rowOf(header: Header, cells: string[]): BulkRow {
  const write = (result: RowResult) => {
    const line = written([...header.own.map((i) => cells[i] ?? ''), ...added(result)])
    if (header.written) return line
    header.written = true
    return written([...header.own.map((i) => header.names[i] ?? ''), ...ADDED]) + line
  }
  if (cells.length !== header.names.length) {
    const result = unread(`The row has ${cells.length} cells, the header line ${header.names.length}.`)
    return { unread: result, write }
  }
  return { fields: Object.fromEntries(header.names.map((name, i) => [name, cells[i] ?? ''])), write }
}

function added({ verdict, level, detail, corrections }: RowResult): string[] {
  const chosen = CORRECTIONS.flatMap((n) => CORRECTION_COLUMNS.map((column) => corrections[n - 1]?.[column] ?? ''))
  return [verdict, level ?? '', detailText(detail), ...chosen]
}

function detailText(detail: RowResult['detail']): string {
  if (detail === null || typeof detail === 'string') return detail ?? ''
  return Object.entries(detail)
    .map(([field, messages]) => `${field}: ${messages.join(' ')}`)
    .join(' ')
}

const written = (cells: readonly string[]): string => `${cells.map((cell) => csvCell(neutralized(cell))).join(',')}\n`

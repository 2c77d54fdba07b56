import { CsvRecords } from '../../../platform/csv.ts'
import { FileRefused, inChunks, textOf } from '../../../platform/file-text.ts'
import { IMPORT } from './limits.ts'
import { CsvError } from 'csv-parse'

/** The trimmed value of a column of the current record, by lower-case name; empty if there is no such column. */
export type Get = (column: string) => string

/** Called for each record; a returned promise is awaited before the next record is read. */
export type OnRecord = (get: Get) => Promise<void> | undefined

/** Called once with the lower-case column names, before the first record if the file has a header. */
export type OnColumns = (names: readonly string[]) => void

/** One field of a fixed-width line: first and last position, counted from 1, as layouts are published. */
export type Layout = Record<string, readonly [first: number, last: number]>

/** Index of a column whose name occurs twice in the header line. */
export const AMBIGUOUS = -1

/** Bytes parsed at once; records of larger chunks live long enough for the garbage collector to copy them. */
const CSV_CHUNK_BYTES = 32 * 1024

/** Reads CSV with a header line, from which the delimiter is detected. */
export async function eachCsvRecord(
  source: AsyncIterable<Buffer>,
  on_record: OnRecord,
  on_columns?: OnColumns,
): Promise<void> {
  let records: CsvRecords | undefined
  let columns: Map<string, number> | undefined
  let row: string[] = []
  const get: Get = (column) => {
    const at = columns?.get(column)
    if (at === undefined) return ''
    if (at === AMBIGUOUS)
      throw new FileRefused(`The header line has ${column} more than once. Rename one of the columns.`)
    return trimmed(row[at])
  }
  const each = async (reading: Promise<string[][]>) => {
    for (row of await orRefused(reading)) {
      if (columns) {
        const pending = on_record(get)
        if (pending) await pending
      } else {
        columns = columnsOf(row)
        on_columns?.([...columns.keys()])
      }
    }
  }
  let head = ''
  for await (const text of textOf(inChunks(source, CSV_CHUNK_BYTES))) {
    if (records) {
      await each(records.push(text))
      continue
    }
    head += text
    if (!head.includes('\n') && head.length <= IMPORT.record_max) continue
    records = csvRecords(delimiterOf(head))
    await each(records.push(head))
  }
  if (!records) await each((records = csvRecords(delimiterOf(head))).push(head))
  await each(records.end())
}

/** Avoids trim(), because nearly every cell is empty or needs no trimming. */
function trimmed(cell: string | undefined): string {
  if (cell === undefined || cell === '') return ''
  return isPlain(cell.charCodeAt(0)) && isPlain(cell.charCodeAt(cell.length - 1)) ? cell : cell.trim()
}

const isPlain = (code: number) => code > 0x20 && code < 0x7f

function columnsOf(header: readonly string[]): Map<string, number> {
  if (header.length > IMPORT.columns_max)
    throw new FileRefused(`The header line has more than ${IMPORT.columns_max} columns. Is the file CSV with a header?`)
  const columns = new Map<string, number>()
  header.forEach((cell, i) => {
    const name = cell.trim().toLowerCase()
    columns.set(name, columns.has(name) ? AMBIGUOUS : i)
  })
  return columns
}

/** Reads fixed-width lines. */
export async function eachFixedRecord(
  source: AsyncIterable<Buffer>,
  layout: Layout,
  on_record: OnRecord,
): Promise<void> {
  let line = ''
  const get: Get = (column) => {
    const field = layout[column]
    return field ? line.slice(field[0] - 1, field[1]).trim() : ''
  }
  await eachLine(source, (next) => {
    line = next
    return line.trim() === '' ? undefined : on_record(get)
  })
}

/** Calls `on_line` for each line without its line break. Throws FileRefused for a line longer than a record may be. */
export function eachLine(
  source: AsyncIterable<Buffer>,
  on_line: (line: string) => Promise<void> | undefined,
): Promise<void> {
  return eachLineOf(textOf(source), on_line)
}

/** The same for text. */
export async function eachLineOf(
  source: AsyncIterable<string>,
  on_line: (line: string) => Promise<void> | undefined,
): Promise<void> {
  let rest = ''
  const parse = async (text: string) => {
    let start = 0
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      const pending = on_line(text.slice(start, text[end - 1] === '\r' ? end - 1 : end))
      if (pending) await pending
      start = end + 1
    }
    rest = text.slice(start)
    if (rest.length > IMPORT.record_max)
      throw new FileRefused(`A line is longer than ${IMPORT.record_max} characters. Put each record on its own line.`)
  }
  for await (const text of source) await parse(rest + text)
  await parse(`${rest}\n`)
}

/** What was read of a source to detect its format, and the rest, which is closed with it. */
export async function* rejoined<T extends { length: number }>(head: T, rest: AsyncIterator<T>): AsyncGenerator<T> {
  try {
    if (head.length > 0) yield head
    for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value
  } finally {
    await rest.return?.()
  }
}

const DELIMITERS = [',', '\t', ';', '|']

/** The most frequent of comma, tab, semicolon, and bar in the first line. */
export function delimiterOf(text: string): string {
  const header = text.split('\n', 1)[0] ?? ''
  const counts = DELIMITERS.map((delimiter) => header.split(delimiter).length)
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ','
}

/** A quote inside a cell is an ordinary character: `12" PIPE LN`. Accepts both line endings. */
export function csvRecords(delimiter: string): CsvRecords {
  return new CsvRecords(IMPORT.record_max, { delimiter, relax_quotes: true, record_delimiter: ['\r\n', '\n'] })
}

const REFUSALS: Record<string, string> = {
  CSV_MAX_RECORD_SIZE: `A row is longer than ${IMPORT.record_max} characters: it has an unclosed quote, or the file is not CSV. Fix that row.`,
  CSV_QUOTE_NOT_CLOSED: 'A quote near the end of the file is not closed. Fix that row, or send the complete file.',
}

/** Turns CSV errors into FileRefused. */
export async function orRefused(reading: Promise<string[][]>): Promise<string[][]> {
  try {
    return await reading
  } catch (error) {
    const refusal = error instanceof CsvError ? REFUSALS[error.code] : undefined
    if (refusal === undefined) throw error
    throw new FileRefused(refusal, { cause: error })
  }
}

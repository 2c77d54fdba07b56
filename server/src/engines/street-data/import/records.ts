import { isAscii, isUtf8 } from 'node:buffer'
import type { CsvRecords } from '../../../platform/csv.ts'
import { FileRefused, inChunks, textOf } from '../../../platform/file-text.ts'
import { csvRecords, delimiterOf, orRefused } from './csv.ts'
import { IMPORT } from './limits.ts'

/** The value of a column of the current record, by its name in lower case; trimmed, empty when there is no such column. */
export type Get = (column: string) => string

/** Called for each record; a returned promise is awaited before the next is read. */
export type OnRecord = (get: Get) => Promise<void> | undefined

/** One field of a fixed-width line: first and last position, counted from 1, as layouts are published. */
export type Layout = Record<string, readonly [first: number, last: number]>

/** Index of a column whose name is in the header line twice. */
const AMBIGUOUS = -1

/** Parsed at once: the records of larger chunks live so long that the garbage collector copies them. */
const CSV_CHUNK_BYTES = 32 * 1024

/** Reads CSV with a header line, whose delimiter is detected from it. */
export async function eachCsvRecord(source: AsyncIterable<Buffer>, on_record: OnRecord): Promise<void> {
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
      } else columns = columnsOf(row)
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

/** Checked before trim() because nearly every cell is empty or has nothing to trim. */
function trimmed(cell: string | undefined): string {
  if (cell === undefined || cell === '') return ''
  return isPlain(cell.charCodeAt(0)) && isPlain(cell.charCodeAt(cell.length - 1)) ? cell : cell.trim()
}

const isPlain = (code: number) => code > 0x20 && code < 0x7f

function columnsOf(header: readonly string[]): Map<string, number> {
  if (header.length > IMPORT.columns_max)
    throw new FileRefused(`The header line has more than ${IMPORT.columns_max} columns. Is the file CSV with a header?`)
  const columns = new Map<string, number>()
  header.forEach((given, i) => {
    const name = given.trim().toLowerCase()
    columns.set(name, columns.has(name) ? AMBIGUOUS : i)
  })
  return columns
}

/** Reads one JSON object per line; a GeoJSON feature's properties are its columns. A line that is not JSON is a record without columns. */
export async function eachJsonRecord(source: AsyncIterable<Buffer>, on_record: OnRecord): Promise<void> {
  let columns = new Map<string, unknown>()
  const get: Get = (column) => {
    const value = columns.get(column)
    // JSON may escape a NUL, which the file's text cannot have
    return typeof value === 'string' ? withoutNul(value).trim() : typeof value === 'number' ? String(value) : ''
  }
  await eachLine(source, (line) => {
    if (line === '') return undefined
    columns = new Map(Object.entries(properties(line)).map(([name, value]) => [name.toLowerCase(), value]))
    return on_record(get)
  })
}

const withoutNul = (text: string) => (text.includes('\0') ? text.replaceAll('\0', ' ') : text)

function properties(line: string): object {
  let parsed: unknown
  try {
    parsed = JSON.parse(line)
  } catch (error) {
    if (error instanceof SyntaxError) return {}
    throw error
  }
  if (typeof parsed !== 'object' || parsed === null) return {}
  const inner = 'properties' in parsed ? parsed.properties : parsed
  return typeof inner === 'object' && inner !== null ? inner : {}
}

/** Reads lines of fixed width. */
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

/** Calls for each line, without its line break. Throws FileRefused for one that is longer than a record may be. */
export async function eachLine(
  source: AsyncIterable<Buffer>,
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
      throw new FileRefused(
        `A line is longer than ${IMPORT.record_max} characters. Put each record on a line of its own.`,
      )
  }
  for await (const text of textOf(source)) await parse(rest + text)
  await parse(`${rest}\n`)
}

/** Reads a dBASE table: the attribute part of a shapefile. Deleted records are skipped. Throws FileRefused where the header is wrong. */
export async function eachDbfRecord(source: AsyncIterable<Buffer>, on_record: OnRecord): Promise<void> {
  let bytes: Buffer = Buffer.alloc(0)
  let table: DbfTable | undefined
  let at = 0
  const get: Get = (column) => {
    const field = table?.fields.get(column)
    return field ? fieldText(bytes.subarray(at + field.start, at + field.end)) : ''
  }
  let over = false
  for await (const chunk of source) {
    // what follows the records is read and discarded, so that the archive's checksum is verified
    if (over) continue
    bytes = bytes.length === 0 ? chunk : Buffer.concat([bytes, chunk])
    if (!table) {
      table = dbfTable(bytes)
      if (!table) continue
      bytes = bytes.subarray(table.header_length)
    }
    for (at = 0; at + table.record_length <= bytes.length && table.left > 0; at += table.record_length) {
      table.left--
      if (bytes[at] === DELETED) continue
      const pending = on_record(get)
      if (pending) await pending
    }
    bytes = bytes.subarray(at)
    if (table.left === 0 && bytes.length > table.record_length) {
      if (bytes[0] === PRESENT || bytes[0] === DELETED)
        throw new FileRefused('The table has more records than its header says. Export it again.')
      over = true
    }
  }
  if (!table || table.left > 0)
    throw new FileRefused('The table ends early: it has fewer records than its header says. Send it whole.')
}

/** UTF-8, as the Census Bureau writes it, or else Latin-1, the default of a table without a code page; padded with blanks or NULs. */
function fieldText(bytes: Buffer): string {
  const encoding = !isAscii(bytes) && isUtf8(bytes) ? 'utf8' : 'latin1'
  return withoutNul(bytes.toString(encoding)).trim()
}

const PRESENT = 0x20
const DELETED = 0x2a
const END_OF_FIELDS = 0x0d

interface DbfTable {
  header_length: number
  record_length: number
  /** Records not yet read. */
  left: number
  fields: Map<string, { start: number; end: number }>
}

/** Undefined until the whole header has arrived. */
function dbfTable(bytes: Buffer): DbfTable | undefined {
  if (bytes.length < 32) return undefined
  const [header_length, record_length] = [bytes.readUInt16LE(8), bytes.readUInt16LE(10)]
  if (bytes[0] !== 3 || header_length < 33 || record_length < 2)
    throw new FileRefused('The file is no dBASE table. Send the .dbf of the shapefile, or the zip it came in.')
  if (bytes.length < header_length) return undefined
  const fields = new Map<string, { start: number; end: number }>()
  let start = 1
  for (let i = 32; i + 32 <= header_length && bytes[i] !== END_OF_FIELDS; i += 32) {
    const name = bytes.toString('latin1', i, i + 11).replace(/\0.*$/, '')
    const end = start + (bytes[i + 16] ?? 0)
    fields.set(name.toLowerCase(), { start, end })
    start = end
  }
  if (start > record_length)
    throw new FileRefused(
      'The header of the table is damaged: its columns are wider than its records. Export it again.',
    )
  return { header_length, record_length, left: bytes.readUInt32LE(4), fields }
}

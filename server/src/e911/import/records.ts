import { StringDecoder } from 'node:string_decoder'
import type { Readable } from 'node:stream'
import { parse } from 'csv-parse'

/** The value of a column of the record at hand, by its name in lower case; trimmed, empty when there is no such column. */
export type Get = (column: string) => string

/** Called for each record; what is returned to wait for is waited for before the next is read. */
export type TakeRecord = (get: Get) => Promise<void> | undefined

/** One field of a fixed-width line: first and last position, counted from 1, as layouts are published. */
export type Layout = Record<string, readonly [first: number, last: number]>

const DELIMITERS = [',', '\t', ';', '|']
/** A field longer than this means an unclosed quote, not data. */
const MOST_RECORD_BYTES = 1 << 20

/** Reads text with a header line. Comma, tab, semicolon or bar between fields, told by the header. */
export async function eachCsvRecord(stream: Readable, take: TakeRecord): Promise<void> {
  const { head, rest } = await peek(stream)
  const firstLine = head.toString('utf8').split(/\r?\n/, 1)[0] ?? ''
  const counts = DELIMITERS.map((delimiter) => firstLine.split(delimiter).length)
  const delimiter = DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ','
  const parser = parse({
    delimiter,
    bom: true,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    max_record_size: MOST_RECORD_BYTES,
  })
  const feeding = feed(rest, parser)
  let columns: Map<string, number> | undefined
  let row: string[] = []
  const get: Get = (column) => row[columns?.get(column) ?? -1]?.trim() ?? ''
  for await (const record of parser) {
    row = record as string[]
    if (!columns) {
      columns = new Map(row.map((name, i) => [name.trim().toLowerCase(), i]))
      continue
    }
    const pending = take(get)
    if (pending) await pending
  }
  await feeding
}

/** Reads one JSON object per line; a GeoJSON feature's properties count as its columns. Lines that are no JSON are given as empty. */
export async function eachJsonRecord(stream: Readable, take: TakeRecord): Promise<void> {
  let columns = new Map<string, unknown>()
  const get: Get = (column) => {
    const value = columns.get(column)
    return typeof value === 'string' ? value.trim() : typeof value === 'number' ? String(value) : ''
  }
  await eachLine(stream, (line) => {
    if (line === '') return undefined
    columns = new Map(Object.entries(properties(line)).map(([name, value]) => [name.toLowerCase(), value]))
    return take(get)
  })
}

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
export async function eachFixedRecord(stream: Readable, layout: Layout, take: TakeRecord): Promise<void> {
  let line = ''
  const get: Get = (column) => {
    const field = layout[column]
    return field ? line.slice(field[0] - 1, field[1]).trim() : ''
  }
  await eachLine(stream, (next) => {
    line = next
    return line.trim() === '' ? undefined : take(get)
  })
}

/** Calls for each line, without its end. */
export async function eachLine(stream: Readable, take: (line: string) => Promise<void> | undefined): Promise<void> {
  const decoder = new StringDecoder('utf8')
  let rest = ''
  const give = async (text: string) => {
    let start = 0
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      const pending = take(text.slice(start, text[end - 1] === '\r' ? end - 1 : end))
      if (pending) await pending
      start = end + 1
    }
    rest = text.slice(start)
    if (rest.length > MOST_RECORD_BYTES) throw new Error('A line is longer than any record can be.')
  }
  for await (const chunk of stream) await give(rest + decoder.write(chunk as Buffer))
  await give(`${rest}${decoder.end()}\n`)
}

/** Reads a dBASE table: the attribute part of a shapefile. Deleted records are left out. */
export async function eachDbfRecord(stream: Readable, take: TakeRecord): Promise<void> {
  let bytes: Buffer = Buffer.alloc(0)
  let table: DbfTable | undefined
  let at = 0
  const get: Get = (column) => {
    const field = table?.fields.get(column)
    return field ? bytes.toString('utf8', at + field.start, at + field.end).trim() : ''
  }
  for await (const chunk of stream) {
    bytes = bytes.length === 0 ? (chunk as Buffer) : Buffer.concat([bytes, chunk as Buffer])
    if (!table) {
      table = dbfTable(bytes)
      if (!table) continue
      bytes = bytes.subarray(table.header_length)
    }
    for (at = 0; at + table.record_length <= bytes.length && table.left > 0; at += table.record_length) {
      table.left--
      if (bytes[at] === DELETED) continue
      const pending = take(get)
      if (pending) await pending
    }
    bytes = bytes.subarray(at)
  }
  if (!table || table.left > 0) throw new Error('The table ends early.')
}

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
  if (bytes[0] !== 3 || header_length < 33 || record_length < 2) throw new Error('The file is no dBASE table.')
  if (bytes.length < header_length) return undefined
  const fields = new Map<string, { start: number; end: number }>()
  let start = 1
  for (let i = 32; i + 32 <= header_length && bytes[i] !== END_OF_FIELDS; i += 32) {
    const name = bytes.toString('latin1', i, i + 11).replace(/\0.*$/, '')
    const end = start + (bytes[i + 16] ?? 0)
    fields.set(name.toLowerCase(), { start, end })
    start = end
  }
  return { header_length, record_length, left: bytes.readUInt32LE(4), fields }
}

async function peek(stream: Readable): Promise<{ head: Buffer; rest: AsyncIterable<Buffer> }> {
  const chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  const first = await chunks.next()
  const head = first.done ? Buffer.alloc(0) : first.value
  async function* rest() {
    yield head
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value
  }
  return { head, rest: rest() }
}

/** Resolves when all is written. A failure of the source becomes one of the parser, which whoever reads it meets. */
async function feed(source: AsyncIterable<Buffer>, parser: ReturnType<typeof parse>): Promise<void> {
  try {
    for await (const chunk of source) {
      if (!parser.write(chunk)) await new Promise<void>((resolve) => parser.once('drain', resolve))
    }
    parser.end()
  } catch (error) {
    parser.destroy(error instanceof Error ? error : new Error(String(error)))
  }
}

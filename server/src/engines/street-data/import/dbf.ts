import { isAscii, isUtf8 } from 'node:buffer'
import { FileRefused } from '../../../platform/file-text.ts'
import { withoutNul } from './json.ts'
import type { Get, OnColumns, OnRecord } from './records.ts'

/** Reads a dBASE table, the attribute part of a shapefile, without deleted records. Throws FileRefused for an invalid header. */
export async function eachDbfRecord(
  source: AsyncIterable<Buffer>,
  on_record: OnRecord,
  on_columns?: OnColumns,
): Promise<void> {
  let bytes: Buffer = Buffer.alloc(0)
  let table: DbfTable | undefined
  let at = 0
  const get: Get = (column) => {
    const field = table?.fields.get(column)
    if (field?.twice)
      throw new FileRefused(`The table has the column ${column} more than once. Rename one of the columns.`)
    return field ? fieldText(bytes.subarray(at + field.start, at + field.end)) : ''
  }
  let over = false
  for await (const chunk of source) {
    // the rest is read and discarded, so that the archive's checksum is verified
    if (over) continue
    bytes = bytes.length === 0 ? chunk : Buffer.concat([bytes, chunk])
    if (!table) {
      table = dbfTable(bytes)
      if (!table) continue
      on_columns?.([...table.fields.keys()])
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
    throw new FileRefused('The table ends early: it has fewer records than its header says. Send the complete file.')
}

/** UTF-8, as the Census Bureau writes it, or Latin-1, the default without a code page. Padded with blanks or NULs. */
function fieldText(bytes: Buffer): string {
  const encoding = !isAscii(bytes) && isUtf8(bytes) ? 'utf8' : 'latin1'
  return withoutNul(bytes.toString(encoding)).trim()
}

const PRESENT = 0x20
const DELETED = 0x2a
const END_OF_FIELDS = 0x0d

/** dBASE III, with or without memos, which are ignored. */
const VERSIONS = [0x03, 0x83, 0x8b]

/** Whether a file begins like a dBASE table. */
export function isDbf(start: Buffer): boolean {
  if (start.length < 32 || !VERSIONS.includes(start[0] ?? 0)) return false
  const [month = 0, day = 0] = start.subarray(2, 4)
  return month <= 12 && day <= 31 && start.readUInt16LE(8) >= 33 && start.readUInt16LE(10) >= 2
}

interface DbfTable {
  header_length: number
  record_length: number
  /** Records not yet read. */
  left: number
  fields: Map<string, Field>
}

interface Field {
  start: number
  end: number
  /** Another column has the same name. */
  twice: boolean
}

/** Undefined until the whole header has arrived. */
function dbfTable(bytes: Buffer): DbfTable | undefined {
  if (bytes.length < 32) return undefined
  const [header_length, record_length] = [bytes.readUInt16LE(8), bytes.readUInt16LE(10)]
  if (!isDbf(bytes))
    throw new FileRefused('The file is not a dBASE table. Send the .dbf of the shapefile, or the zip it came in.')
  if (bytes.length < header_length) return undefined
  const fields = new Map<string, Field>()
  let start = 1
  for (let i = 32; i + 32 <= header_length && bytes[i] !== END_OF_FIELDS; i += 32) {
    const name = bytes
      .toString('latin1', i, i + 11)
      .replace(/\0.*$/s, '')
      .trim()
      .toLowerCase()
    const end = start + (bytes[i + 16] ?? 0)
    fields.set(name, { start, end, twice: fields.has(name) })
    start = end
  }
  if (start > record_length)
    throw new FileRefused(
      'The header of the table is damaged: its columns are wider than its records. Export it again.',
    )
  return { header_length, record_length, left: bytes.readUInt32LE(4), fields }
}

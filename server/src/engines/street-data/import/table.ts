import { FileRefused } from '../../../platform/file-text.ts'
import { eachDbfRecord, isDbf } from './dbf.ts'
import { eachJsonRecord } from './json.ts'
import { otherFormat } from './other-formats.ts'
import { eachCsvRecord, type OnColumns, type OnRecord } from './records.ts'

/** Detects the syntax of a table by its first bytes. */

export interface Table {
  bytes: AsyncIterable<Buffer>
  read(source: AsyncIterable<Buffer>, on_record: OnRecord, on_columns?: OnColumns): Promise<void>
}

/** Precedes each feature of a text sequence (RFC 8142). */
const RECORD_SEPARATOR = '\x1e'
/** Enough for every signature and the header of a dBASE table. */
const HEAD_BYTES = 64

/** Throws FileRefused for an unsupported format, with the command to convert it. */
export async function openTable(input: { name: string; bytes: AsyncIterable<Buffer> }): Promise<Table> {
  const source = input.bytes[Symbol.asyncIterator]()
  let head: Buffer = Buffer.alloc(0)
  while (head.length < HEAD_BYTES) {
    const next = await source.next()
    if (next.done === true) break
    head = Buffer.concat([head, next.value])
  }
  const bytes = rejoined(head, source)
  if (isDbf(head)) return { bytes, read: eachDbfRecord }
  const other = otherFormat(input.name, head)
  if (other !== undefined) throw new FileRefused(other)
  return { bytes, read: isJson(head.toString('utf8')) ? eachJsonRecord : eachCsvRecord }
}

/** Skips a byte order mark and record separators. */
function isJson(head: string): boolean {
  return /^[{[]/.test(
    head
      .replaceAll(RECORD_SEPARATOR, '')
      .replace(/^\ufeff/, '')
      .trimStart(),
  )
}

async function* rejoined(head: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  try {
    if (head.length > 0) yield head
    for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value
  } finally {
    await rest.return?.()
  }
}

import { FileRefused } from '../../../platform/file-text.ts'
import { eachDbfRecord, isDbf } from './dbf.ts'
import { eachJsonRecord } from './json.ts'
import { eachCsvRecord, rejoined, type OnColumns, type OnRecord } from './records.ts'

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
  if (other !== undefined) {
    await source.return?.()
    throw new FileRefused(other)
  }
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

/** Unsupported formats that GDAL can convert. */

/** Signatures of files, and their formats. */
const SIGNATURES: [signature: Buffer, name: string][] = [
  [Buffer.from('SQLite format 3\0'), 'a GeoPackage or another SQLite database'],
  [Buffer.from('fgb'), 'FlatGeobuf'],
  [Buffer.from('PAR1'), 'Parquet'],
  [Buffer.from('<'), 'XML, such as GML and KML'],
  [Buffer.from('0000270a', 'hex'), 'the geometry of a shapefile, without its attributes'],
  [Buffer.from('d0cf11e0', 'hex'), 'an old Excel workbook or an Access database'],
]

/** Names of files and folders in archives. A workbook is itself an archive. */
const FILES = /(?:^|\/)([^/]+\.(?:gdb|gpkg|kml|gml|fgb|parquet|sqlite|mdb|xlsx)|xl)(?:\/|$)/i

/** The message for a file with one of the signatures; undefined for other files. */
function otherFormat(file: string, head: Buffer): string | undefined {
  const found = SIGNATURES.find(([signature]) => head.subarray(0, signature.length).equals(signature))
  return found && `${file} is ${found[1]}, which is not supported. ${convert(file)}`
}

/** The message for an archive with such a file or folder. */
export function otherFile(archive: string, names: readonly string[]): string | undefined {
  const found = names.map((name) => FILES.exec(name)?.[1]).find((name) => name !== undefined)
  if (found === undefined) return undefined
  return found.toLowerCase() === 'xl'
    ? `${archive} is an Excel workbook, which is not supported. Save it as CSV, or convert it: ogr2ogr -f CSV streets.csv ${archive}`
    : `The zip archive contains ${found}, which is not supported. ${convert(found)}`
}

const convert = (file: string) =>
  `Convert it: ogr2ogr -f CSV streets.csv ${file} LAYER (ogrinfo ${file} lists its layers).`

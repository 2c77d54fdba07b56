import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { pipeline } from 'node:stream'
import zlib from 'node:zlib'
import { usage } from '../../failure.ts'
import { isObject } from '../../item.ts'
import { csvRows } from '../../csv.ts'

/** Files of calls from exports and switches: CSV or NDJSON, plain, gzip, or Zstandard. */

export interface CallFile {
  /** The column names. */
  header: readonly string[]
  /** A row is a list of cells in the order of the header. */
  rows: AsyncGenerator<readonly string[]>
}

const magic = { gzip: '1f8b', zstd: '28b52ffd', parquet: '50415231' }

/** Opens a file and detects its format from its first bytes, not its name. `read` receives the number of bytes read so far. */
export async function openCallFile(file: string, read: (bytes: number) => void = () => undefined): Promise<CallFile> {
  const pieces = await textOf(file, read)
  const { begin, all } = await beginningOf(pieces)
  if (begin === '') throw usage('file', `${file} is empty.`)
  return begin.startsWith('{') ? await ndjsonFile(all, file) : await csvFile(all, file)
}

async function textOf(file: string, read: (bytes: number) => void): Promise<AsyncIterable<string>> {
  const handle = await open(file)
  const { buffer } = await handle.read(Buffer.alloc(4), 0, 4, 0)
  await handle.close()
  const begin = buffer.toString('hex')
  if (begin === magic.parquet)
    throw usage(
      'file',
      `${file} is Parquet, which is not supported here.`,
      'Request the export as csv, csv.zst, or ndjson.',
    )
  const bytes = createReadStream(file, { highWaterMark: 256 * 1024 })
  bytes.on('data', (chunk) => read(chunk.length))
  const unpacked = begin.startsWith(magic.gzip) ? zlib.createGunzip() : begin === magic.zstd ? zstdOf(file) : null
  // an error in the first stream ends the last, and its reader throws it
  const last = unpacked ? pipeline(bytes, unpacked, () => undefined) : bytes
  return decoded(last, file)
}

function zstdOf(file: string) {
  if (typeof zlib.createZstdDecompress !== 'function')
    throw usage(
      'file',
      `${file} is Zstandard, which Node ${process.versions.node} does not read.`,
      'Unpack it with zstd -d.',
    )
  return zlib.createZstdDecompress()
}

async function* decoded(chunks: AsyncIterable<Buffer>, file: string): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  try {
    for await (const chunk of chunks) yield decoder.decode(chunk, { stream: true })
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && /^Z_|^ZSTD|BUF_ERROR/.test(String(error.code)))) throw error
    throw usage('file', `${file} is damaged or truncated: ${error.message}.`, 'Download it again.')
  }
  yield decoder.decode()
}

/** The first characters, and everything with them. */
async function beginningOf(pieces: AsyncIterable<string>): Promise<{ begin: string; all: AsyncIterable<string> }> {
  const iterator = pieces[Symbol.asyncIterator]()
  let begin = ''
  while (begin === '') {
    const next = await iterator.next()
    if (next.done) break
    begin = next.value
  }
  async function* all() {
    yield begin
    yield* { [Symbol.asyncIterator]: () => iterator }
  }
  return { begin: begin.trimStart(), all: all() }
}

async function csvFile(pieces: AsyncIterable<string>, file: string): Promise<CallFile> {
  const rows = csvRows(pieces, file)
  const first = await rows.next()
  if (first.done) throw usage('file', `${file} has no header line.`)
  return { header: first.value.map((name) => name.trim()), rows }
}

/** The members of the first object are the columns. */
async function ndjsonFile(pieces: AsyncIterable<string>, file: string): Promise<CallFile> {
  const objects = objectsOf(pieces, file)
  const first = await objects.next()
  const header = first.done ? [] : Object.keys(first.value)
  async function* rows() {
    if (first.done) return
    yield rowOf(first.value, header)
    for await (const object of objects) yield rowOf(object, header)
  }
  return { header, rows: rows() }
}

const rowOf = (object: Readonly<Record<string, unknown>>, header: readonly string[]): string[] =>
  header.map((name) => {
    const value = object[name] ?? ''
    return typeof value === 'string' ? value : JSON.stringify(value)
  })

async function* objectsOf(pieces: AsyncIterable<string>, file: string): AsyncGenerator<Record<string, unknown>> {
  let rest = ''
  let line = 0
  const parsed = (text: string) => {
    const value: unknown = JSON.parse(text)
    if (isObject(value)) return value
    throw new SyntaxError('it is not an object')
  }
  try {
    for await (const piece of pieces) {
      const lines = (rest + piece).split('\n')
      rest = lines.pop() ?? ''
      for (const text of lines) {
        line++
        if (text.trim() !== '') yield parsed(text)
      }
    }
    line++
    if (rest.trim() !== '') yield parsed(rest)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw usage('file', `${file}, line ${line}: ${error.message}.`)
  }
}

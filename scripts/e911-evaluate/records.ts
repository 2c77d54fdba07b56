import { readFileSync } from 'node:fs'
import path from 'node:path'
import { gunzipSync, inflateRawSync } from 'node:zlib'

/** Reads the records of a source as text by column. Shares no code with the import, whose errors it should find. */

/** Values of a record by lower-case column name. */
export type Fields = ReadonlyMap<string, string>

/** The records of a file: CSV, dBASE, GeoJSON (one document or lines), or `number street` lines; plain, gzip, or zip. */
export function readRecords(file: string): Fields[] {
  const { name, bytes } = unpacked(path.basename(file).toLowerCase(), readFileSync(file))
  if (name.endsWith('.dbf')) return dbfRecords(bytes)
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '')
  if (/\.(geojson|geojsonl|json|jsonl|ndjson)$/.test(name)) return jsonRecords(text)
  return isTable(text) ? csvRecords(text) : lineRecords(text)
}

const READABLE = /\.(dbf|csv|txt|dat|geojson|geojsonl|json|jsonl|ndjson)$/

function unpacked(name: string, bytes: Buffer): { name: string; bytes: Buffer } {
  if (bytes.readUInt16BE(0) === 0x1f8b) return { name: name.replace(/\.gz$/, ''), bytes: gunzipSync(bytes) }
  return bytes.readUInt32BE(0) === 0x504b0304 ? largestEntry(bytes) : { name, bytes }
}

/** The largest readable entry of a zip archive, by its directory (APPNOTE.TXT 4.3.12). No ZIP64, so 4 GB at most. */
function largestEntry(zip: Buffer): { name: string; bytes: Buffer } {
  const end = zip.lastIndexOf(Buffer.from([0x50, 0x4b, 5, 6]))
  if (end < 0) throw new Error('The zip archive has no directory.')
  let best: { name: string; at: number; size: number; packed: number; method: number } | undefined
  for (let i = 0, o = zip.readUInt32LE(end + 16); i < zip.readUInt16LE(end + 10); i++) {
    const [name_length, extra, comment] = [28, 30, 32].map((each) => zip.readUInt16LE(o + each))
    const name = zip.toString('utf8', o + 46, o + 46 + (name_length ?? 0)).toLowerCase()
    const size = zip.readUInt32LE(o + 24)
    if (READABLE.test(name) && size > (best?.size ?? -1))
      best = {
        name,
        size,
        at: zip.readUInt32LE(o + 42),
        packed: zip.readUInt32LE(o + 20),
        method: zip.readUInt16LE(o + 10),
      }
    o += 46 + (name_length ?? 0) + (extra ?? 0) + (comment ?? 0)
  }
  if (!best) throw new Error('The zip archive has no file that can be read.')
  const start = best.at + 30 + zip.readUInt16LE(best.at + 26) + zip.readUInt16LE(best.at + 28)
  const packed = zip.subarray(start, start + best.packed)
  return { name: best.name, bytes: best.method === 0 ? packed : inflateRawSync(packed) }
}

/** dBASE III: fixed columns, each described by 32 bytes. */
function dbfRecords(bytes: Buffer): Fields[] {
  const [count, first, length] = [bytes.readUInt32LE(4), bytes.readUInt16LE(8), bytes.readUInt16LE(10)]
  const columns: { name: string; start: number; end: number }[] = []
  for (let o = 32, start = 1; bytes[o] !== 0x0d; o += 32) {
    const name = bytes
      .toString('latin1', o, o + 11)
      .replace(/\0.*$/s, '')
      .toLowerCase()
    const end = start + (bytes[o + 16] ?? 0)
    columns.push({ name, start, end })
    start = end
  }
  const records: Fields[] = []
  for (let i = 0; i < count; i++) {
    const at = first + i * length
    // an asterisk marks a deleted record
    if (bytes[at] === 0x2a) continue
    records.push(
      new Map(columns.map(({ name, start, end }) => [name, bytes.toString('utf8', at + start, at + end).trim()])),
    )
  }
  return records
}

function jsonRecords(text: string): Fields[] {
  const isCollection = text.trimStart().startsWith('{') && /"FeatureCollection"/.test(text.slice(0, 2000))
  const features: unknown[] = isCollection
    ? featuresOf(JSON.parse(text))
    : text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [JSON.parse(line)]))
  return features.map((feature) => {
    const properties = isObject(feature) && isObject(feature['properties']) ? feature['properties'] : feature
    return new Map(Object.entries(isObject(properties) ? properties : {}).map(([k, v]) => [k.toLowerCase(), plain(v)]))
  })
}

const isObject = (v: unknown): v is Record<string, unknown> => typeof v === 'object' && v !== null
const plain = (v: unknown) => (typeof v === 'string' ? v.trim() : typeof v === 'number' ? String(v) : '')

function featuresOf(parsed: unknown): unknown[] {
  return isObject(parsed) && Array.isArray(parsed['features']) ? parsed['features'] : []
}

function isTable(text: string): boolean {
  return /[,;\t|]/.test(text.slice(0, text.indexOf('\n')))
}

export function csvRecords(text: string): Fields[] {
  const header = text.slice(0, text.indexOf('\n'))
  const separator = [',', '\t', ';', '|'].toSorted((a, b) => header.split(b).length - header.split(a).length)[0] ?? ','
  const [names = [], ...rows] = csvRows(text, separator)
  const columns = names.map((name) => name.trim().toLowerCase())
  return rows.flatMap((row) =>
    row.length === 1 && row[0] === '' ? [] : [new Map(columns.map((name, i) => [name, (row[i] ?? '').trim()]))],
  )
}

/** Parses CSV (RFC 4180): quotes within a quoted field are doubled. */
function csvRows(text: string, separator: string): string[][] {
  const rows: string[][] = []
  const field = new RegExp(
    `(?:"((?:[^"]|"")*)"|([^${separator}\\r\\n]*))(${separator === '|' ? '\\|' : separator}|\\r?\\n|$)`,
    'gy',
  )
  let row: string[] = []
  for (let found = field.exec(text); found; found = field.exec(text)) {
    row.push(found[1] === undefined ? (found[2] ?? '') : found[1].replaceAll('""', '"'))
    if (found[3] === separator) continue
    rows.push(row)
    row = []
    if (field.lastIndex >= text.length) break
  }
  return rows
}

/** `105 B HOBBS CRES`: a letter that isn't a direction belongs to the number if more than one word follows. */
function lineRecords(text: string): Fields[] {
  return text.split('\n').flatMap((line) => {
    const found = /^(\d\S*(?: \d+\/\d+| (?![NSEW] )[A-Z](?= \S+ \S))?) (.+)$/.exec(line.trim().toUpperCase())
    return found
      ? [
          new Map([
            ['number', found[1] ?? ''],
            ['street', found[2] ?? ''],
          ]),
        ]
      : []
  })
}

/** Converts records of lines to CSV, which can be imported over HTTP. */
export function linesAsCsv(records: readonly Fields[]): string {
  const rows = records.map((fields) => `"${fields.get('number') ?? ''}","${fields.get('street') ?? ''}"`)
  return ['NUMBER,STREET', ...rows].join('\n')
}

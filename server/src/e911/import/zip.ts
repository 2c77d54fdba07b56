import type { FileHandle } from 'node:fs/promises'
import { Transform, type Readable } from 'node:stream'
import { createInflateRaw, crc32 } from 'node:zlib'

/** One file in a zip archive. */
export interface ZipEntry {
  name: string
  method: number
  crc: number
  packed_size: number
  size: number
  /** Of its local header. */
  offset: number
}

const END_OF_DIRECTORY = 0x06054b50
const END_OF_DIRECTORY_64 = 0x06064b50
const LOCATOR_64 = 0x07064b50
const DIRECTORY_ENTRY = 0x02014b50
const LOCAL_HEADER = 0x04034b50
const EXTRA_64 = 0x0001
const UNKNOWN_32 = 0xffffffff
/** End record with the longest comment, and the 64-bit locator before it. */
const MOST_TAIL = 22 + 0xffff + 20
/** An archive of street data has a handful of files; a directory beyond this is no such archive. */
const MOST_DIRECTORY_BYTES = 64 * 2 ** 20
const STORED = 0
const DEFLATED = 8

/** Reads the central directory (PKWARE APPNOTE 6.3). Throws when the file is no zip archive. */
export async function zipEntries(file: FileHandle): Promise<ZipEntry[]> {
  const { size } = await file.stat()
  const tail = await readAt(file, Math.max(0, size - MOST_TAIL), Math.min(size, MOST_TAIL))
  const end = tail.lastIndexOf(Buffer.from([0x50, 0x4b, 0x05, 0x06]))
  if (end < 0 || tail.length - end < 22 || tail.readUInt32LE(end) !== END_OF_DIRECTORY)
    throw new Error('The file is no complete zip archive.')
  let [length, offset] = [tail.readUInt32LE(end + 12), tail.readUInt32LE(end + 16)]
  if (end >= 20 && tail.readUInt32LE(end - 20) === LOCATOR_64) {
    const record = await readAt(file, Number(tail.readBigUInt64LE(end - 12)), 56)
    if (record.readUInt32LE(0) !== END_OF_DIRECTORY_64) throw new Error('The zip archive has no valid directory.')
    length = Number(record.readBigUInt64LE(40))
    offset = Number(record.readBigUInt64LE(48))
  }
  if (length > MOST_DIRECTORY_BYTES) throw new Error('The zip archive has too large a directory.')
  return parseDirectory(await readAt(file, offset, length))
}

/** The unpacked bytes of an entry. The stream fails when they are not those that were packed. */
export async function openZipEntry(file: FileHandle, entry: ZipEntry): Promise<Readable> {
  const header = await readAt(file, entry.offset, 30)
  if (header.readUInt32LE(0) !== LOCAL_HEADER) throw new Error(`${entry.name} is damaged in the zip archive.`)
  const start = entry.offset + 30 + header.readUInt16LE(26) + header.readUInt16LE(28)
  if (entry.method !== STORED && entry.method !== DEFLATED)
    throw new Error(`${entry.name} is packed by a method that is not understood (${entry.method}).`)
  if (entry.packed_size === 0) throw new Error(`${entry.name} is empty.`)
  const packed = file.createReadStream({ start, end: start + entry.packed_size - 1, autoClose: false })
  const checked = checking(entry)
  const fail = (error: Error) => checked.destroy(error)
  packed.on('error', fail)
  if (entry.method === STORED) return packed.pipe(checked)
  return packed.pipe(createInflateRaw().on('error', fail)).pipe(checked)
}

function checking(entry: ZipEntry): Transform {
  let [crc, size] = [0, 0]
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      crc = crc32(chunk, crc)
      size += chunk.length
      done(size > entry.size ? new Error(`${entry.name} is longer than the zip archive says.`) : null, chunk)
    },
    flush(done) {
      const sound = size === entry.size && crc === entry.crc
      done(sound ? null : new Error(`${entry.name} is damaged in the zip archive.`))
    },
  })
}

function parseDirectory(bytes: Buffer): ZipEntry[] {
  const entries: ZipEntry[] = []
  let at = 0
  while (at + 46 <= bytes.length && bytes.readUInt32LE(at) === DIRECTORY_ENTRY) {
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((i) => bytes.readUInt16LE(at + i))
    const nameEnd = at + 46 + (nameLength ?? 0)
    const entry = {
      name: bytes.toString('utf8', at + 46, nameEnd),
      method: bytes.readUInt16LE(at + 10),
      crc: bytes.readUInt32LE(at + 16),
      packed_size: bytes.readUInt32LE(at + 20),
      size: bytes.readUInt32LE(at + 24),
      offset: bytes.readUInt32LE(at + 42),
    }
    entries.push(widened(entry, bytes.subarray(nameEnd, nameEnd + (extraLength ?? 0))))
    at = nameEnd + (extraLength ?? 0) + (commentLength ?? 0)
  }
  return entries
}

/** Sizes of 4 GB and more stand in an extra field, only those that need it, in this order. */
function widened(entry: ZipEntry, extra: Buffer): ZipEntry {
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) !== EXTRA_64) continue
    let next = at + 4
    const wide = (value: number) => {
      if (value !== UNKNOWN_32) return value
      next += 8
      return Number(extra.readBigUInt64LE(next - 8))
    }
    const size = wide(entry.size)
    const packed_size = wide(entry.packed_size)
    return { ...entry, size, packed_size, offset: wide(entry.offset) }
  }
  return entry
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length)
  const { bytesRead } = await file.read(bytes, 0, length, position)
  if (bytesRead < length) throw new Error('The zip archive ends early.')
  return bytes
}

import type { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createInflateRaw, crc32 } from 'node:zlib'
import { FileRefused } from '../../../platform/file-text.ts'
import { bytesOf, type Source } from './source.ts'

/** One file in a zip archive. */
export interface ZipEntry {
  name: string
  flags: number
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
const ENCRYPTED = 1
const STORED = 0
const DEFLATED = 8
const chunkSize = 1 << 18

/** Reads the central directory (PKWARE APPNOTE 6.3). Throws FileRefused when the file is no zip archive. */
export async function zipEntries(file: Source): Promise<ZipEntry[]> {
  const tail_length = Math.min(file.bytes, MOST_TAIL)
  const tail = await bytesOf(file, file.bytes - tail_length, tail_length)
  const end = tail.lastIndexOf(Buffer.from([0x50, 0x4b, 0x05, 0x06]))
  if (end < 0 || tail.length - end < 22 || tail.readUInt32LE(end) !== END_OF_DIRECTORY)
    throw new FileRefused('The file is no complete zip archive. Send it whole.')
  let [length, offset] = [tail.readUInt32LE(end + 12), tail.readUInt32LE(end + 16)]
  if (end >= 20 && tail.readUInt32LE(end - 20) === LOCATOR_64) {
    const record = await bytesOf(file, Number(tail.readBigUInt64LE(end - 12)), 56)
    if (record.readUInt32LE(0) !== END_OF_DIRECTORY_64) throw damaged('Its directory')
    length = Number(record.readBigUInt64LE(40))
    offset = Number(record.readBigUInt64LE(48))
  }
  if (length > MOST_DIRECTORY_BYTES)
    throw new FileRefused('The zip archive has too large a directory. Send the one file that is needed, unpacked.')
  return parseDirectory(await bytesOf(file, offset, length))
}

const damaged = (name: string) => new FileRefused(`${name} is damaged in the zip archive. Send it again.`)

/** The unpacked bytes of an entry. Throws FileRefused when they are not those that were packed. */
export async function* zipEntryBytes(file: Source, entry: ZipEntry): AsyncGenerator<Buffer> {
  const { name, method, packed_size } = entry
  if ((entry.flags & ENCRYPTED) !== 0)
    throw new FileRefused(`${name} is encrypted in the zip archive. Send it without a password.`)
  if (method !== STORED && method !== DEFLATED)
    throw new FileRefused(`${name} is packed by a method that is not understood (${method}). Send it unpacked.`)
  if (packed_size === 0) throw new FileRefused(`${name} is empty.`)
  const header = await bytesOf(file, entry.offset, 30)
  if (header.readUInt32LE(0) !== LOCAL_HEADER) throw damaged(name)
  const start = entry.offset + 30 + header.readUInt16LE(26) + header.readUInt16LE(28)
  if (start + packed_size > file.bytes) throw damaged(name)
  const packed: AsyncIterable<Buffer> = await file.read({ start, end: start + packed_size })
  let [crc, size] = [0, 0]
  for await (const chunk of method === STORED ? packed : unpackedBy(createInflateRaw({ chunkSize }), packed, name)) {
    crc = crc32(chunk, crc)
    size += chunk.length
    if (size > entry.size) throw damaged(name)
    yield chunk
  }
  if (size !== entry.size || crc !== entry.crc) throw damaged(name)
}

/** What a decompressor makes of the bytes. Throws FileRefused, with `name` as its subject, where they cannot be unpacked. */
export async function* unpackedBy(
  unpack: Transform,
  packed: AsyncIterable<Buffer>,
  name: string,
): AsyncGenerator<Buffer> {
  // its outcome reaches the reader below too
  const feeding = pipeline(packed, unpack).catch(() => undefined)
  try {
    for await (const chunk of unpack) yield chunk as Buffer
  } catch (error) {
    if (error instanceof Error && 'code' in error && String(error.code).startsWith('Z_'))
      throw new FileRefused(`${name} cannot be unpacked: ${error.message}. Send it whole.`, { cause: error })
    throw error
  } finally {
    unpack.destroy()
    await feeding
  }
}

function parseDirectory(bytes: Buffer): ZipEntry[] {
  const entries: ZipEntry[] = []
  let at = 0
  while (at + 46 <= bytes.length && bytes.readUInt32LE(at) === DIRECTORY_ENTRY) {
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((i) => bytes.readUInt16LE(at + i))
    const nameEnd = at + 46 + (nameLength ?? 0)
    const entry = {
      name: bytes.toString('utf8', at + 46, nameEnd),
      flags: bytes.readUInt16LE(at + 8),
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
    // a field that is cut short is a directory that lies
    if (next + extra.readUInt16LE(at + 2) > extra.length) throw damaged(entry.name)
    const field_end = next + extra.readUInt16LE(at + 2)
    const wide = (value: number) => {
      if (value !== UNKNOWN_32) return value
      if (next + 8 > field_end) throw damaged(entry.name)
      next += 8
      return Number(extra.readBigUInt64LE(next - 8))
    }
    const size = wide(entry.size)
    const packed_size = wide(entry.packed_size)
    return { ...entry, size, packed_size, offset: wide(entry.offset) }
  }
  return entry
}

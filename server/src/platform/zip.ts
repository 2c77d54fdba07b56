import { callbackify } from 'node:util'
import { type Entry, fromRandomAccessReaderPromise, getFileNameLowLevel, RandomAccessReader, type ZipFile } from 'yauzl'

/** The bytes of an archive. Its directory is at the end. */
export interface ZipSource {
  bytes: number
  /** Rejects if there are fewer than `length` bytes from `start`. */
  read(start: number, length: number): Promise<Buffer>
}

export interface ZipEntry {
  /** As in the archive; it may be a path outside the folder. */
  name: string
  encrypted: boolean
  /** PKWARE APPNOTE 4.4.5: 0 stored, 8 deflated. */
  method: number
  crc: number
  packed_size: number
  size: number
  /** Position of its packed bytes. Throws ZipError if they are not within the archive. */
  start(): Promise<number>
}

/** The reason why an archive cannot be read; `message` has the details. */
export class ZipError extends Error {
  readonly reason: ZipReason

  constructor(reason: ZipReason, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'ZipError'
    this.reason = reason
  }
}

export type ZipReason = 'no complete archive' | 'ends early' | 'too large' | 'damaged' | 'overlapping'

/** Size of a directory entry, and of the header before its packed bytes, without its name, extra fields, and comment. */
const ENTRY_BYTES = 46
const HEADER_BYTES = 30
/** Size of the blocks in which the directory is read. */
const BLOCK_BYTES = 64 * 1024

/**
 * Reads the directory of an archive without unpacking. Entries may not overlap, so the archive is at least as large as all of
 * them packed. Throws ZipError, and anything that the source throws.
 */
export async function zipEntries(source: ZipSource, directory_bytes_max: number): Promise<ZipEntry[]> {
  const reader = new BlockReader(source)
  // names are not validated as paths, because nothing is written to them
  const options = { autoClose: false, decodeStrings: false, validateEntrySizes: false }
  const opened = fromRandomAccessReaderPromise(reader, source.bytes, options)
  const zip = await reader.orZipError(opened, 'no complete archive')
  return await reader.orZipError(readDirectory(reader, zip, directory_bytes_max), 'damaged')
}

async function readDirectory(reader: BlockReader, zip: ZipFile, bytes_max: number): Promise<ZipEntry[]> {
  const entries: ZipEntry[] = []
  const ranges: Range[] = []
  let bytes = 0
  for await (const entry of zip.eachEntry()) {
    bytes += ENTRY_BYTES + entry.fileNameLength + entry.extraFieldLength + entry.fileCommentLength
    if (bytes > bytes_max) throw new ZipError('too large', `The directory has more than ${bytes_max} bytes.`)
    entries.push(zipEntry(reader, zip, entry))
    const start = entry.relativeOffsetOfLocalHeader
    ranges.push({ start, end: start + HEADER_BYTES + entry.compressedSize })
  }
  refuseOverlapping(ranges)
  return entries
}

/** Bytes of an entry in the archive, at least: how long the name in its header is has not been read. */
interface Range {
  start: number
  end: number
}

/** No archiver lets entries share bytes; thousands of entries over the same bytes unpack to thousands of times the archive. */
function refuseOverlapping(ranges: Range[]): void {
  ranges.sort((a, b) => a.start - b.start)
  const overlapping = ranges.findIndex(({ start }, i) => start < (ranges[i - 1]?.end ?? 0))
  if (overlapping < 0) return
  throw new ZipError('overlapping', `Two entries have byte ${ranges[overlapping]?.start} in common.`)
}

function zipEntry(reader: BlockReader, zip: ZipFile, entry: Entry): ZipEntry {
  return {
    name: getFileNameLowLevel(entry.generalPurposeBitFlag, entry.fileNameRaw, entry.extraFields, false),
    encrypted: entry.isEncrypted(),
    method: entry.compressionMethod,
    crc: entry.crc32,
    packed_size: entry.compressedSize,
    size: entry.uncompressedSize,
    async start() {
      const header = zip.readLocalFileHeaderPromise(entry, { minimal: true })
      return (await reader.orZipError(header, 'damaged')).fileDataStart
    },
  }
}

class BlockReader extends RandomAccessReader {
  readonly #source: ZipSource
  #block: { start: number; bytes: Buffer } = { start: 0, bytes: Buffer.alloc(0) }
  /** The error of a failed read; the parser's own errors are about the content of the archive. */
  #failure: unknown

  constructor(source: ZipSource) {
    super()
    this.#source = source
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null) => void,
  ): void {
    callbackify(() => this.#readInto(buffer, offset, length, position))(callback)
  }

  async orZipError<T>(parsing: Promise<T>, reason: ZipReason): Promise<T> {
    try {
      return await parsing
    } catch (error) {
      if (error === this.#failure || error instanceof ZipError) throw error
      throw new ZipError(reason, error instanceof Error ? error.message : String(error), { cause: error })
    }
  }

  async #readInto(buffer: Buffer, offset: number, length: number, position: number): Promise<void> {
    try {
      const bytes = await this.#bytes(position, length)
      bytes.copy(buffer, offset)
    } catch (error) {
      this.#failure = error
      throw error
    }
  }

  async #bytes(position: number, length: number): Promise<Buffer> {
    const end = position + length
    if (!Number.isSafeInteger(end) || end > this.#source.bytes)
      throw new ZipError('ends early', `It has no bytes ${position} to ${end}.`)
    if (position < this.#block.start || end > this.#block.start + this.#block.bytes.length) {
      const size = Math.min(Math.max(length, BLOCK_BYTES), this.#source.bytes - position)
      this.#block = { start: position, bytes: await this.#source.read(position, size) }
    }
    return this.#block.bytes.subarray(position - this.#block.start, end - this.#block.start)
  }
}

import type { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createInflateRaw, crc32 } from 'node:zlib'
import { FileRefused } from '../../../platform/file-text.ts'
import { zipEntries, ZipError, type ZipEntry } from '../../../platform/zip.ts'
import { readBytes, type Source } from './source.ts'

/** An archive of street data has a handful of files, so its directory is small. */
const DIRECTORY_BYTES_MAX = 64 * 2 ** 20
const STORED = 0
const DEFLATED = 8
const chunkSize = 1 << 18

/** The files in an archive. Throws FileRefused if the file isn't a zip archive. */
export async function filesInZip(file: Source): Promise<ZipEntry[]> {
  const source = { bytes: file.bytes, read: (start: number, length: number) => readBytes(file, start, length) }
  return await orRefused(zipEntries(source, DIRECTORY_BYTES_MAX), 'Its directory')
}

/** The unpacked bytes of a file in an archive. Throws FileRefused if they don't match the checksum. */
export async function* unzipped(file: Source, entry: ZipEntry): AsyncGenerator<Buffer> {
  const { name, method, packed_size } = entry
  if (entry.encrypted) throw new FileRefused(`${name} is encrypted in the zip archive. Send it without a password.`)
  if (method !== STORED && method !== DEFLATED)
    throw new FileRefused(`${name} uses an unsupported compression method (${method}). Send it unpacked.`)
  if (packed_size === 0) throw new FileRefused(`${name} is empty.`)
  const start = await orRefused(entry.start(), name)
  const packed: AsyncIterable<Buffer> = await file.read({ start, end: start + packed_size })
  let [crc, size] = [0, 0]
  for await (const chunk of method === STORED ? packed : decompressed(createInflateRaw({ chunkSize }), packed, name)) {
    crc = crc32(chunk, crc)
    size += chunk.length
    if (size > entry.size) throw damaged(name)
    yield chunk
  }
  if (size !== entry.size || crc !== entry.crc) throw damaged(name)
}

const damaged = (name: string, cause?: Error) =>
  new FileRefused(`${name} is damaged in the zip archive. Send it again.`, { cause })

async function orRefused<T>(reading: Promise<T>, name: string): Promise<T> {
  try {
    return await reading
  } catch (error) {
    if (!(error instanceof ZipError)) throw error
    switch (error.reason) {
      case 'no complete archive':
        throw new FileRefused('The file is not a complete zip archive. Send the complete file.', { cause: error })
      case 'ends early':
        throw new FileRefused('The zip archive ends early. Send the complete file.', { cause: error })
      case 'too large':
        throw new FileRefused('The directory of the zip archive is too large. Send only the required file, unpacked.', {
          cause: error,
        })
      case 'overlapping':
        throw new FileRefused('Files in the zip archive overlap. Create the archive again.', {
          cause: error,
        })
      case 'damaged':
        throw damaged(name, error)
    }
  }
}

/** The output of a decompressor. Throws FileRefused with a message about `name` if the bytes cannot be unpacked. */
export async function* decompressed(
  decompressor: Transform,
  packed: AsyncIterable<Buffer>,
  name: string,
): AsyncGenerator<Buffer> {
  // the reader below gets the error too
  const feeding = pipeline(packed, decompressor).catch(() => undefined)
  try {
    for await (const chunk of decompressor) yield chunk as Buffer
  } catch (error) {
    if (error instanceof Error && 'code' in error && String(error.code).startsWith('Z_'))
      throw new FileRefused(`${name} cannot be unpacked: ${error.message}. Send the complete file.`, { cause: error })
    throw error
  } finally {
    decompressor.destroy()
    await feeding
  }
}

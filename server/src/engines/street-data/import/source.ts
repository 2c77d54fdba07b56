import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import path from 'node:path'
import { Readable } from 'node:stream'
import type { FileStore } from '../../../platform/files/index.ts'
import { FileRefused } from '../../../platform/file-text.ts'

/** A file with random access, because archives have their directory at the end. */
export interface Source {
  /** Without folders. */
  name: string
  bytes: number
  /** From byte `start` (included) to byte `end` (excluded). */
  read(range?: { start?: number; end?: number }): Promise<Readable>
}

const READ_BYTES = 1 << 18

/** A file by path. Throws FileRefused if it doesn't exist. */
export async function fileOnDisk(file: string): Promise<Source> {
  const stats = await stat(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') throw new FileRefused(`There is no file ${file}.`, { cause: error })
    throw error
  })
  if (!stats.isFile()) throw new FileRefused(`${file} is not a file.`)
  return {
    name: path.basename(file),
    bytes: stats.size,
    read: ({ start = 0, end = stats.size } = {}) =>
      Promise.resolve(
        start >= end ? Readable.from([]) : createReadStream(file, { start, end: end - 1, highWaterMark: READ_BYTES }),
      ),
  }
}

/** In-memory text with a file name. */
export function inMemory(text: string, name: string): Source {
  const bytes = Buffer.from(text)
  return {
    name,
    bytes: bytes.length,
    read: ({ start = 0, end = bytes.length } = {}) => Promise.resolve(Readable.from([bytes.subarray(start, end)])),
  }
}

/** A file in the file store. Throws FileRefused if it is no longer there. */
export async function storedFile(files: FileStore, digest: string, name: string): Promise<Source> {
  const stats = await files.stat(digest)
  if (!stats) throw new FileRefused('The file is gone. Send it again.')
  return { name, bytes: stats.bytes, read: (range = {}) => files.read(digest, range) }
}

/** Reads `length` bytes from `start` into memory. Throws FileRefused if the file is too short. */
export async function readBytes(file: Source, start: number, length: number): Promise<Buffer> {
  const end = start + length
  if (!Number.isSafeInteger(start) || start < 0 || end > file.bytes)
    throw new FileRefused('The zip archive ends early. Send the complete file.')
  const chunks: Buffer[] = []
  for await (const chunk of await file.read({ start, end })) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

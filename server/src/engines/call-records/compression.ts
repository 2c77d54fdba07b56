/** Compresses an export's file, and decompresses it to count its rows. */

import { once } from 'node:events'
import { Readable, pipeline } from 'node:stream'
import { constants, createGunzip, createZstdCompress, gzipSync } from 'node:zlib'
import { LIMITS } from './limits.ts'
import type { CdrCompression } from './types.ts'

/** Compressions that the store supports. */
export type StoreCompression = Exclude<CdrCompression, 'zstd'>

/** A complete gzip member. */
export function compress(bytes: Buffer, compression: StoreCompression): Buffer {
  return compression === 'gzip' ? gzipSync(bytes) : bytes
}

/** One frame, because many readers, including those of Node and Python, silently stop after the first. */
export function inOneFrame(plain: Readable): Readable {
  const frame = createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: LIMITS.zstd_level } })
  // pipeline destroys both streams if either fails, and readers get the error
  return pipeline(plain, frame, () => undefined)
}

export type Decompressing = {
  /** Resolves when the chunk is decompressed. Rejects corrupt data. */
  write: (chunk: Buffer) => Promise<void>
  /** Rejects truncated data. */
  end: () => Promise<void>
}

/** Passes decompressed bytes to `take`. */
export function decompressing(compression: StoreCompression, take: (chunk: Buffer) => void): Decompressing {
  if (compression === 'none') return { write: async (chunk) => take(chunk), end: async () => undefined }
  const stream = createGunzip({ chunkSize: LIMITS.gunzip_bytes })
  stream.on('data', take)
  const ended = once(stream, 'end')
  ended.catch(() => undefined) // an error rejects the write that caused it as well
  return {
    write: (chunk) =>
      new Promise((resolve, reject) => stream.write(chunk, (error) => (error ? reject(error) : resolve()))),
    end: async () => {
      stream.end()
      await ended
    },
  }
}

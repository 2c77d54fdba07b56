/** Decodes the Content-Encoding of a body, in chunks, with backpressure. */

import type { Readable } from 'node:stream'
import { constants, createGunzip, createZstdDecompress, type Gunzip, type ZstdDecompress } from 'node:zlib'
import { problem } from '../../../platform/problem.ts'
import { LIMITS } from './limits.ts'

/** The compressed body is corrupt or truncated. Earlier chunks are valid. */
export class DamagedBody extends Error {
  override name = 'DamagedBody'
  readonly encoding: string
  /** Compressed bytes read before the damage. */
  readonly after_bytes: number

  constructor(encoding: string, after_bytes: number, cause: Error) {
    super(cause.message, { cause })
    this.encoding = encoding
    this.after_bytes = after_bytes
  }
}

/** The compressed body expands far more than call records do. `message` has the factor. */
export class DecompressionBomb extends Error {
  override name = 'DecompressionBomb'
}

/** Counts received bytes before decompression. */
export interface Received {
  bytes: number
}

/** Smaller chunks may share their memory with others. */
const OWN_BYTES = 16 * 1024

/**
 * Frees a chunk's memory after reading, unless it is shared. Otherwise the garbage collector marks the whole heap every 60,000
 * records, which costs half as much as reading them.
 */
function releaseMemory({ buffer, length }: Buffer): void {
  if (length >= OWN_BYTES && length === buffer.byteLength && buffer instanceof ArrayBuffer) buffer.transfer(0)
}

type Decoder = Gunzip | ZstdDecompress

const DECODERS = {
  gzip: () => createGunzip({ chunkSize: LIMITS.chunk_bytes }),
  zstd: () =>
    createZstdDecompress({
      chunkSize: LIMITS.chunk_bytes,
      params: { [constants.ZSTD_d_windowLogMax]: LIMITS.zstd_window_log },
    }),
} as const satisfies Record<string, () => Decoder>

/**
 * Yields chunks of at most `LIMITS.chunk_bytes` bytes, each valid until the next one. Throws 415 immediately for an unsupported
 * encoding; while reading, throws `DamagedBody`, `DecompressionBomb`, and stream errors. Never destroys the stream, because the
 * response still needs the request's socket. Counts bytes in `received`.
 */
export function decode(
  stream: Readable,
  content_encoding: string | undefined,
  received: Received = { bytes: 0 },
): AsyncGenerator<Buffer> {
  const encoding = content_encoding?.trim().toLowerCase() ?? ''
  if (encoding === '' || encoding === 'identity') return chunks(stream, received)
  if (encoding === 'gzip' || encoding === 'x-gzip') return limited(decoded(stream, 'gzip', received), received)
  if (encoding === 'zstd') return limited(decoded(stream, 'zstd', received), received)
  throw problem('unsupported-media-type', 'Send the body uncompressed or with Content-Encoding gzip or zstd.', {
    // RFC 7694 section 3
    headers: { 'accept-encoding': 'gzip, zstd' },
  })
}

/** Discards the rest of the stream if reading ends early, because some clients read the response only after sending the whole body. */
async function* chunks(stream: Readable, received: Received): AsyncGenerator<Buffer> {
  try {
    for await (const data of stream.iterator({ destroyOnReturn: false })) {
      const chunk: Buffer = typeof data === 'string' ? Buffer.from(data) : data
      received.bytes += chunk.length
      for (let at = 0; at < chunk.length; at += LIMITS.chunk_bytes) yield chunk.subarray(at, at + LIMITS.chunk_bytes)
      releaseMemory(chunk)
    }
  } finally {
    stream.resume()
  }
}

async function* limited(unpacked: AsyncGenerator<Buffer>, received: Readonly<Received>): AsyncGenerator<Buffer> {
  let bytes = 0
  for await (const chunk of unpacked) {
    bytes += chunk.length
    if (bytes > LIMITS.unpacked_bytes_free && bytes > received.bytes * LIMITS.unpacked_ratio)
      throw new DecompressionBomb(`unpacks to more than ${LIMITS.unpacked_ratio} times its size`)
    yield chunk
    releaseMemory(chunk)
  }
}

/**
 * A body may consist of several concatenated gzip members or zstd frames. Node's gzip decoder continues with the next member,
 * but its zstd decoder ends after a frame and silently drops the rest of the chunk. When a decoder ends before the body,
 * another one continues from there.
 */
async function* decoded(stream: Readable, encoding: keyof typeof DECODERS, received: Received): AsyncGenerator<Buffer> {
  const body: Body = { input: chunks(stream, received), chunk: undefined, before: 0 }
  try {
    body.chunk = await take(body.input)
    do {
      const decoder = DECODERS[encoding]()
      const start = body.before
      feed(decoder, body).catch((error: unknown) => decoder.destroy(error instanceof Error ? error : undefined))
      try {
        yield* decoder
      } catch (error) {
        throw isDamage(error) ? new DamagedBody(encoding, start + decoder.bytesWritten, error) : error
      }
      const end = start + decoder.bytesWritten
      body.chunk = body.chunk?.subarray(end - body.before)
      body.before = end
    } while (body.chunk !== undefined)
  } finally {
    // not awaited: it may be waiting for bytes that the client sends only after the response
    void body.input.return(undefined)
  }
}

type Body = {
  input: AsyncGenerator<Buffer>
  /** The chunk being decoded; undefined after the end. */
  chunk: Buffer | undefined
  /** Bytes before `chunk`. */
  before: number
}

async function take(input: AsyncGenerator<Buffer>): Promise<Buffer | undefined> {
  const { done, value } = await input.next()
  return done === true ? undefined : value
}

/** Writes chunks to the decoder. If it ends within a chunk, the chunk stays in `body`; Node may or may not call back for it. */
async function feed(decoder: Decoder, body: Body): Promise<void> {
  const start = body.before
  while (body.chunk !== undefined) {
    const { chunk } = body
    await new Promise<void>((resolve, reject) => {
      decoder.write(chunk, (error) => (error == null ? resolve() : reject(error)))
    })
    if (start + decoder.bytesWritten < body.before + chunk.length) return
    body.before += chunk.length
    body.chunk = await take(body.input)
  }
  decoder.end()
}

/** Whether zlib reports corrupt or truncated data. */
function isDamage(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && /^(?:Z_|ZSTD_)/.test(String(error.code))
}

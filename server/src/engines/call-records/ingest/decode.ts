/** The body as it was before its Content-Encoding, in pieces, as fast as they are taken and no faster. */

import type { Readable } from 'node:stream'
import { constants, createGunzip, createZstdDecompress, type Gunzip, type ZstdDecompress } from 'node:zlib'
import { problem } from '../../../platform/problem.ts'
import { LIMITS } from './limits.ts'

/** The compressed body is damaged or ends too early. What was given before is whole. */
export class DamagedBody extends Error {
  override name = 'DamagedBody'
  readonly encoding: string
  /** How much of the body, compressed, was read before. */
  readonly after_bytes: number

  constructor(encoding: string, after_bytes: number, cause: Error) {
    super(cause.message, { cause })
    this.encoding = encoding
    this.after_bytes = after_bytes
  }
}

type Decoder = Gunzip | ZstdDecompress

const DECODERS = {
  gzip: () => createGunzip({ chunkSize: LIMITS.piece_bytes }),
  zstd: () =>
    createZstdDecompress({
      chunkSize: LIMITS.piece_bytes,
      params: { [constants.ZSTD_d_windowLogMax]: LIMITS.zstd_window_log },
    }),
} as const satisfies Record<string, () => Decoder>

/**
 * Pieces of at most `LIMITS.piece_bytes` bytes. Throws 415 at once for an encoding that is not read; while reading `DamagedBody`, and what
 * the stream itself breaks with. The stream is never destroyed, as a request's socket still has to carry the
 * answer.
 */
export function decode(stream: Readable, content_encoding: string | undefined): AsyncGenerator<Buffer> {
  const encoding = content_encoding?.trim().toLowerCase() ?? ''
  if (encoding === '' || encoding === 'identity') return pieces(stream)
  if (encoding === 'gzip' || encoding === 'x-gzip') return decoded(stream, 'gzip')
  if (encoding === 'zstd') return decoded(stream, 'zstd')
  throw problem('unsupported-media-type', 'The body may be sent plain or with Content-Encoding gzip or zstd.', {
    // RFC 7694 section 3
    headers: { 'accept-encoding': 'gzip, zstd' },
  })
}

/** Whatever ends the reading, the rest of the stream goes by unread: a sender that first sends all would never see its answer. */
async function* pieces(stream: Readable): AsyncGenerator<Buffer> {
  try {
    for await (const given of stream.iterator({ destroyOnReturn: false })) {
      const chunk: Buffer = typeof given === 'string' ? Buffer.from(given) : given
      for (let at = 0; at < chunk.length; at += LIMITS.piece_bytes) yield chunk.subarray(at, at + LIMITS.piece_bytes)
    }
  } finally {
    stream.resume()
  }
}

/**
 * A body may be several gzip members or zstd frames one after another. Node's gzip decoder reads on; its zstd decoder ends after a frame and
 * drops what else was in the chunk without a word. So a decoder that ends before the body does is followed by another, from where it left.
 */
async function* decoded(stream: Readable, encoding: keyof typeof DECODERS): AsyncGenerator<Buffer> {
  const body: Body = { input: pieces(stream), piece: undefined, before: 0 }
  try {
    body.piece = await take(body.input)
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
      body.piece = body.piece?.subarray(end - body.before)
      body.before = end
    } while (body.piece !== undefined)
  } finally {
    // Not awaited: it may be waiting for bytes that the sender will not send before it has our answer.
    void body.input.return(undefined)
  }
}

type Body = {
  input: AsyncGenerator<Buffer>
  /** What is being decoded; undefined after the end. */
  piece: Buffer | undefined
  /** Bytes before `piece`. */
  before: number
}

async function take(input: AsyncGenerator<Buffer>): Promise<Buffer | undefined> {
  const { done, value } = await input.next()
  return done === true ? undefined : value
}

/** Gives the decoder one piece after another. When it ends within a piece, that one stays in `body`; Node may tell or not that it was written. */
async function feed(decoder: Decoder, body: Body): Promise<void> {
  const start = body.before
  while (body.piece !== undefined) {
    const { piece } = body
    await new Promise<void>((resolve, reject) => {
      decoder.write(piece, (error) => (error == null ? resolve() : reject(error)))
    })
    if (start + decoder.bytesWritten < body.before + piece.length) return
    body.before += piece.length
    body.piece = await take(body.input)
  }
  decoder.end()
}

/** What zlib says of data that it cannot read, or that stops too early. */
function isDamage(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && /^(?:Z_|ZSTD_)/.test(String(error.code))
}

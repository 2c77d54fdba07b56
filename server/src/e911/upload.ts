import type { IncomingHttpHeaders } from 'node:http'
import { Readable } from 'node:stream'
import type { Context } from '../platform/context.ts'
import { FileTooLarge } from '../platform/files.ts'
import { invalid, problem } from '../platform/problem.ts'

/** A request whose body is a file. */
export interface Upload {
  headers: IncomingHttpHeaders
  stream: Readable
}

/**
 * Keeps the body as a file, piece by piece as it comes. Gives its digest. Throws 413 for one that is too large, as soon as
 * that is known, 422 for an empty one, 415 for a Content-Encoding other than `encodings`.
 */
export async function storeUpload(
  c: Context,
  { headers, stream }: Upload,
  limit: { bytes_max: number; too_large: string; encodings?: readonly string[] },
): Promise<string> {
  const { bytes_max, too_large, encodings = [] } = limit
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? 'identity'
  if (encoding !== 'identity' && !encodings.includes(encoding))
    throw problem(
      'unsupported-media-type',
      `Send the file without a Content-Encoding, not as ${encoding.slice(0, 100)}.`,
    )
  const tooLarge = (cause?: unknown) => problem('payload-too-large', too_large, { cause })
  if (Number(headers['content-length'] ?? 0) > bytes_max) throw tooLarge()
  try {
    const { digest, bytes } = await c.files.putStream(Readable.from(withoutDestroying(stream)), {
      max_bytes: bytes_max,
    })
    if (bytes === 0) throw invalid({ file: ['Is empty.'] })
    return digest
  } catch (error) {
    if (error instanceof FileTooLarge) throw tooLarge(error)
    throw error
  }
}

/** The chunks of a stream that is not destroyed when reading stops early: that would close the connection before the response. */
async function* withoutDestroying(stream: Readable): AsyncGenerator<Buffer> {
  for await (const piece of stream.iterator({ destroyOnReturn: false })) yield piece as Buffer
}

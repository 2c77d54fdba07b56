import { ConnectionError, DemarcError, UnreadableResponseError } from './errors.ts'
import { isNetworkError } from './request.ts'
import { sleep } from './retries.ts'
import { Sha256, type Digest } from './sha256.ts'

/** Reads a file with a known digest and resumes after lost connections. */

/** A file that can be read from any byte. */
export interface FileSource {
  /** For messages: `Export 2`. */
  subject: string
  /** For messages, without the signature. */
  url: string
  /** Its SHA-256 digest in hex. */
  sha256: string
  /** Its length in bytes. */
  bytes: number
  /** Opens the file at this byte, with a Range header if it isn't 0. */
  open(from: number, signal: AbortSignal): Promise<Response>
}

/** The progress of a download. */
export interface DownloadProgress {
  /** Bytes received, including those of an earlier download. */
  bytes: number
  total: number
}

/** Options for a download. */
export interface DownloadOptions {
  /** Aborts the download; reading it then throws the signal's reason. */
  signal?: AbortSignal
  on_progress?: (progress: DownloadProgress) => void
  /** How many times in a row the connection may be lost without receiving a byte. Default 5. */
  attempts?: number
  /** The connection counts as lost after this long without a byte, in milliseconds. Default 30,000. */
  stall_ms?: number
  /** Longest first pause before reconnecting, in milliseconds; it doubles each time, up to 8 s. Default 500. */
  base_ms?: number
}

/** Bytes that were received earlier, and their digest so far. */
export interface Begun {
  bytes: number
  digest: Digest
}

/** The downloaded bytes aren't the file: their length or SHA-256 digest differs. Don't use them. */
export class ChecksumError extends Error {
  readonly expected: string
  readonly actual: string
  readonly bytes: number
  readonly remedy = 'Delete the downloaded data, then download the file again.'

  constructor({ subject, sha256 }: FileSource, actual: string, bytes: number) {
    super(`${subject}: the ${bytes} bytes received have the SHA-256 digest ${actual}, not ${sha256}.`)
    this.name = 'ChecksumError'
    this.expected = sha256
    this.actual = actual
    this.bytes = bytes
  }
}

/**
 * Reads the rest of the file in chunks, and reconnects where the connection was lost. Compares the digest after the last chunk,
 * so the bytes are verified only when the generator has finished. Throws ChecksumError, ConnectionError if the connection is
 * lost too often, and anything that `open` throws.
 */
export async function* verifiedBytes(
  source: FileSource,
  options: DownloadOptions = {},
  begun: Begun = { bytes: 0, digest: new Sha256() },
): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
  const { attempts = 5, base_ms = 500, signal, on_progress } = options
  let { bytes } = begun
  let lost = 0
  while (bytes < source.bytes) {
    try {
      for await (const piece of piecesFrom(source, bytes, options)) {
        lost = 0
        bytes += piece.length
        begun.digest.update(piece)
        on_progress?.({ bytes, total: source.bytes })
        yield piece
      }
      // a proxy may end a response early without an error
      if (bytes < source.bytes) throw new LostError('the response ended early', null)
    } catch (error) {
      if (!(error instanceof LostError)) throw error
      if (++lost >= attempts) throw error.failure ?? lostFor(source, bytes, lost, error)
      await sleep(Math.min(8000, base_ms * 2 ** (lost - 1)) * (0.5 + Math.random() / 2), signal)
    }
  }
  const actual = begun.digest.digest('hex')
  if (actual !== source.sha256 || bytes !== source.bytes) throw new ChecksumError(source, actual, bytes)
}

/** The connection is gone, or cannot be opened: it may be tried again. `failure` is the client's own error. */
class LostError extends Error {
  readonly failure: ConnectionError | DemarcError | null

  constructor(reason: string, failure: ConnectionError | DemarcError | null, cause?: unknown) {
    super(reason, { cause })
    this.failure = failure
  }
}

const lostFor = ({ subject, url }: FileSource, bytes: number, attempts: number, error: LostError) =>
  new ConnectionError(
    { operation: subject, method: 'GET', url, attempts, idempotency_key: null },
    `${error.message} after ${bytes} bytes`,
    error.cause,
  )

async function* piecesFrom(source: FileSource, from: number, { signal, stall_ms = 30_000 }: DownloadOptions) {
  const controller = new AbortController()
  const abort = () => controller.abort(signal?.reason)
  if (signal?.aborted) abort()
  signal?.addEventListener('abort', abort, { once: true })
  try {
    const response = await opened(source, from, controller.signal)
    // a server that does not read Range sends all of it again
    let skip = from > 0 && response.status !== 206 ? from : 0
    const reader = response.body?.getReader()
    if (!reader) return
    for (;;) {
      const { done, value } = await nextPiece(reader, stall_ms)
      signal?.throwIfAborted()
      if (done) return
      const piece = value.subarray(Math.min(skip, value.length))
      skip -= value.length - piece.length
      if (piece.length > 0) yield piece
    }
  } finally {
    signal?.removeEventListener('abort', abort)
    // ending the read ends the response too
    controller.abort()
  }
}

async function opened(source: FileSource, from: number, signal: AbortSignal): Promise<Response> {
  try {
    return await source.open(from, signal)
  } catch (error) {
    const lost = error instanceof ConnectionError && !(error instanceof UnreadableResponseError)
    const refused = error instanceof DemarcError && [408, 429, 502, 503, 504].includes(error.status)
    if (lost || refused) throw new LostError(error.message, error, error)
    throw error
  }
}

/** The next piece. Throws LostError when the connection is lost, or none arrives in time. */
function nextPiece(reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>, stall_ms: number) {
  return new Promise<Awaited<ReturnType<typeof reader.read>>>((resolve, reject) => {
    const timer = setTimeout(() => reject(new LostError(`nothing arrived for ${stall_ms / 1000} s`, null)), stall_ms)
    reader
      .read()
      .then(resolve, (error: unknown) => {
        const { message } = error instanceof Error ? error : new Error(String(error))
        reject(isNetworkError(error) ? new LostError(message, null, error) : error)
      })
      .finally(() => clearTimeout(timer))
  })
}

import { ConnectionError, DemarcError, UnreadableResponseError } from './errors.ts'
import { isNetworkError } from './request.ts'
import { sleep } from './retries.ts'
import { Sha256, type Digest } from './sha256.ts'

/** Bytes of a file whose digest is known, however often the connection is lost on the way. */

/** A file that can be read from any byte on. */
export interface FileSource {
  /** For messages: `Export 2`. */
  subject: string
  /** For messages, without a signature. */
  url: string
  /** Its SHA-256 digest, in hex. */
  sha256: string
  /** Its length. */
  bytes: number
  /** Opens it at this byte, by a Range header where that is not 0. */
  open(from: number, signal: AbortSignal): Promise<Response>
}

/** How far a download is. */
export interface DownloadProgress {
  /** Bytes that are there, those of an earlier download included. */
  bytes: number
  total: number
}

/** How a file is downloaded. */
export interface DownloadOptions {
  /** Ends the download; reading it throws the signal's reason. */
  signal?: AbortSignal
  on_progress?: (progress: DownloadProgress) => void
  /** How often in a row the connection may be lost without a byte in between. Default 5. */
  attempts?: number
  /** How long no byte may arrive before the connection counts as lost, milliseconds. Default 30,000. */
  stall_ms?: number
  /** Longest first pause before the file is opened again, milliseconds; each is twice the one before, up to 8 s. Default 500. */
  base_ms?: number
}

/** The bytes that are there already, and their digest so far. */
export interface Begun {
  bytes: number
  digest: Digest
}

/** What was downloaded is not the file: its length or its SHA-256 digest differs. Nothing of it should be used. */
export class ChecksumError extends Error {
  readonly expected: string
  readonly actual: string
  readonly bytes: number
  readonly remedy = 'Delete what was written, and download it again.'

  constructor({ subject, sha256 }: FileSource, actual: string, bytes: number) {
    super(`${subject}: the SHA-256 digest of the ${bytes} bytes that arrived is ${actual}, and should be ${sha256}.`)
    this.name = 'ChecksumError'
    this.expected = sha256
    this.actual = actual
    this.bytes = bytes
  }
}

/**
 * The rest of the file, piece by piece. A lost connection is opened again where it was lost. After the last piece the digest
 * is compared: only when the generator has ended are the bytes those of the file. Throws ChecksumError, ConnectionError when
 * the connection is lost too often, and what `open` throws.
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

import { Transform } from 'node:stream'
import type { Readable } from 'node:stream'
import type { Deadline } from './deadline.ts'
import type { Exchange } from './exchange.ts'
import { asFailure, failed, OutboundError } from './failures.ts'

/** Reads at most `max_bytes` and discards the rest. */
export async function readUpTo(body: Readable, max_bytes: number): Promise<{ body: Buffer; truncated: boolean }> {
  const chunks: Buffer[] = []
  let remaining = max_bytes
  for await (const chunk of chunksOf(body)) {
    chunks.push(chunk.subarray(0, remaining))
    // Returning from the loop destroys the stream.
    if (chunk.length > remaining) return { body: Buffer.concat(chunks), truncated: true }
    remaining -= chunk.length
  }
  return { body: Buffer.concat(chunks), truncated: false }
}

/**
 * The body as a stream that fails with `response_too_large` past `max_bytes` and `timeout` past the deadline. All its errors
 * are OutboundErrors. Throws immediately if the Content-Length is too large or the response is compressed.
 */
export function cappedBody(response: Exchange, max_bytes: number, deadline: Deadline): Readable {
  const refusal = refusalAtOnce(response, max_bytes)
  if (refusal !== null) {
    response.release()
    throw refusal
  }
  let bytes = 0
  const capped = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length
      if (bytes > max_bytes) done(tooLarge(max_bytes))
      else done(null, chunk)
    },
  })
  // An error without a listener would be uncaught. A later reader still gets it.
  capped.on('error', () => undefined)
  capped.once('close', () => {
    response.body.destroy()
    response.release()
    deadline.clear()
  })
  // Still needed after the server has sent everything: a slow reader may keep the stream open.
  deadline.signal.addEventListener('abort', () => capped.destroy(deadline.signal.reason), { once: true })
  response.body.once('error', (error) => {
    const failure = asFailure(error)
    capped.destroy(failure === null ? error : new OutboundError(failure))
  })
  response.body.pipe(capped)
  return capped
}

function refusalAtOnce(response: Exchange, max_bytes: number): OutboundError | null {
  const encoding = (response.headers['content-encoding'] ?? 'identity').trim().toLowerCase()
  if (encoding !== 'identity' && encoding !== '') {
    return failed('response_encoded', 'The server sent a compressed body, but only an uncompressed one is accepted.')
  }
  return Number(response.headers['content-length'] ?? 0) > max_bytes ? tooLarge(max_bytes) : null
}

function tooLarge(max_bytes: number): OutboundError {
  return failed('response_too_large', `The response is larger than the ${max_bytes} bytes allowed.`)
}

/** undici's bodies yield Buffers, which Readable's type does not express. */
function chunksOf(body: Readable): AsyncIterable<Buffer> {
  return body
}

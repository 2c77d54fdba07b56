import { Transform } from 'node:stream'
import type { Readable } from 'node:stream'
import type { Deadline } from './deadline.ts'
import type { Exchange } from './exchange.ts'
import { asFailure, failed, OutboundError } from './failures.ts'

/** Reads at most `max_bytes` and leaves the rest. */
export async function readUpTo(body: Readable, max_bytes: number): Promise<{ body: Buffer; truncated: boolean }> {
  const kept: Buffer[] = []
  let room = max_bytes
  for await (const chunk of chunksOf(body)) {
    kept.push(chunk.subarray(0, room))
    // Leaving the loop destroys the stream.
    if (chunk.length > room) return { body: Buffer.concat(kept), truncated: true }
    room -= chunk.length
  }
  return { body: Buffer.concat(kept), truncated: false }
}

/**
 * The body as a stream that ends with `response_too_large` past the cap, with `timeout` past the deadline, and whose
 * failures are OutboundErrors. Throws at once when the answer announces too much or is compressed.
 */
export function cappedBody(answer: Exchange, max_bytes: number, deadline: Deadline): Readable {
  const refusal = refusalAtOnce(answer, max_bytes)
  if (refusal !== null) {
    answer.release()
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
  // A reader that has gone, or not come yet, must not turn a late failure into an uncaught one; a later reader still meets it.
  capped.on('error', () => undefined)
  capped.once('close', () => {
    answer.body.destroy()
    answer.release()
    deadline.clear()
  })
  // Also when the server has long sent everything: the reader is what keeps us then.
  deadline.signal.addEventListener('abort', () => capped.destroy(deadline.signal.reason), { once: true })
  answer.body.once('error', (error) => {
    const failure = asFailure(error)
    capped.destroy(failure === null ? error : new OutboundError(failure))
  })
  answer.body.pipe(capped)
  return capped
}

function refusalAtOnce(answer: Exchange, max_bytes: number): OutboundError | null {
  const encoding = (answer.headers['content-encoding'] ?? 'identity').trim().toLowerCase()
  if (encoding !== 'identity' && encoding !== '') {
    return failed('response_encoded', 'The server sent a compressed body although it was asked for a plain one.')
  }
  return Number(answer.headers['content-length'] ?? 0) > max_bytes ? tooLarge(max_bytes) : null
}

function tooLarge(max_bytes: number): OutboundError {
  return failed('response_too_large', `The answer is larger than the ${max_bytes} bytes allowed.`)
}

/** undici's bodies are byte streams; the type of Readable does not say so. */
function chunksOf(body: Readable): AsyncIterable<Buffer> {
  return body
}

import { setTimeout as sleep } from 'node:timers/promises'
import { Readable } from 'node:stream'
import { requestError } from './s3-errors.ts'
import type { OpenedObject } from './s3-bucket.ts'

/** Reads objects to their end although connections break: a store closes those of slow clients. */

export const readLimits = {
  /** Between two chunks of an object, while the reader waits for one. */
  idle_ms: 15_000,
  /** Connections that may be lost in a row without a byte in between. */
  resumes: 3,
  pause_ms: 200,
}

/** Opens the object from a byte on. Null if it is missing. */
type Open = (start: number, signal: AbortSignal) => Promise<OpenedObject | null>

/** The object from byte `start` on; null if it is missing. The stream fails with DependencyUnavailable. */
export async function readObject(open: Open, start: number, limits: typeof readLimits): Promise<Readable | null> {
  const connections = new Connections(open, limits.idle_ms)
  const bytes = await connections.open(start)
  if (bytes === null) return null
  const stream = Readable.from(resumed(connections, { start, end: start + bytes }, limits), { objectMode: false })
  // a reader may leave before it reads the first byte, so the generator may never run
  return stream.once('close', () => connections.close())
}

async function* resumed(
  connections: Connections,
  { start, end }: { start: number; end: number },
  { resumes, pause_ms }: typeof readLimits,
): AsyncGenerator<Buffer> {
  let at = start
  for (let lost = 0; ;) {
    try {
      for await (const chunk of connections.chunks()) {
        at += chunk.length
        lost = 0
        yield chunk
      }
      if (at < end) throw new Error(`The store sent ${at - start} of ${end - start} bytes.`)
      return
    } catch (error) {
      // a checksum that does not match: the digest, which is compared above the store, decides
      if (at >= end) return
      lost += 1
      if (lost > resumes) throw requestError(error)
    }
    await sleep(pause_ms * lost)
    if ((await connections.open(at)) === null)
      throw requestError(new Error('The object was removed while it was read.'))
  }
}

/** The current connection that an object is read from. */
class Connections {
  readonly #open: Open
  readonly #idle_ms: number
  #body: Readable = Readable.from([])
  #closing = new AbortController()

  constructor(open: Open, idle_ms: number) {
    this.#open = open
    this.#idle_ms = idle_ms
  }

  /** Replaces the connection. Returns how many bytes the store announces, or null if the object is missing. */
  async open(start: number): Promise<number | null> {
    this.close()
    this.#closing = new AbortController()
    const opened = await this.#open(start, this.#closing.signal)
    if (opened === null) return null
    this.#body = opened.body
    return opened.bytes
  }

  async *chunks(): AsyncGenerator<Buffer> {
    const body = this.#body
    const lose = () => body.destroy(new Error(`The store sent nothing for ${this.#idle_ms} ms.`))
    let waiting = setTimeout(lose, this.#idle_ms)
    try {
      for await (const chunk of body as AsyncIterable<Buffer>) {
        clearTimeout(waiting)
        yield chunk
        waiting = setTimeout(lose, this.#idle_ms)
      }
    } finally {
      clearTimeout(waiting)
      this.close()
    }
  }

  close(): void {
    this.#body.destroy()
    // with checksums, the body is a stream of the client's own, whose end does not end the connection
    this.#closing.abort()
  }
}

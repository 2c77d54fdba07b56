import { createHash } from 'node:crypto'
import { Transform, type Readable, type TransformCallback } from 'node:stream'

/** Passes a request body through and hashes it, to fingerprint a streamed request. */
export class HashedStream extends Transform {
  readonly #hash = createHash('sha256')

  constructor(source: Readable) {
    super()
    source.on('error', (error) => this.destroy(error))
    // the body may end early while its key is being claimed, before the reader listens for errors; the reader still gets the error
    this.on('error', () => undefined)
    source.on('close', () => {
      if (!source.readableEnded) this.destroy(new Error('the client disconnected before the request was complete'))
    })
    source.pipe(this)
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#hash.update(chunk)
    done(null, chunk)
  }

  /** The digest of the bytes so far. Call it after the end. */
  digest(): Buffer {
    return this.#hash.copy().digest()
  }

  /** Discards the rest and returns the digest of the whole body. */
  async drain(): Promise<Buffer> {
    for await (const _ of this) void _
    return this.digest()
  }
}

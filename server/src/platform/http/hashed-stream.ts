import { createHash } from 'node:crypto'
import { Transform, type Readable, type TransformCallback } from 'node:stream'

/** Passes a request body through and hashes it, to fingerprint a streamed request. */
export class HashedStream extends Transform {
  readonly #hash = createHash('sha256')

  constructor(source: Readable) {
    super()
    source.on('error', (error) => this.destroy(error))
    // the body may break off while its key is claimed: whoever reads it then gets the error, which nobody listens for before
    this.on('error', () => undefined)
    source.on('close', () => {
      if (!source.readableEnded) this.destroy(new Error('the request was broken off'))
    })
    source.pipe(this)
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#hash.update(chunk)
    done(null, chunk)
  }

  /** The digest of what has passed so far; call it after the end. */
  digest(): Buffer {
    return this.#hash.copy().digest()
  }

  /** Discards the rest and returns the digest. */
  async drain(): Promise<Buffer> {
    for await (const _ of this) void _
    return this.digest()
  }
}

import { createHash } from 'node:crypto'
import { Transform, type Readable, type TransformCallback } from 'node:stream'

/** Passes a request body on and hashes it on the way, for telling one streamed request from another. */
export class HashedStream extends Transform {
  readonly #hash = createHash('sha256')

  constructor(source: Readable) {
    super()
    source.on('error', (error) => this.destroy(error))
    source.on('close', () => {
      if (!source.readableEnded) this.destroy(new Error('the request was broken off'))
    })
    source.pipe(this)
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#hash.update(chunk)
    done(null, chunk)
  }

  /** Of what has passed so far; call after the end. */
  digest(): Buffer {
    return this.#hash.copy().digest()
  }

  /** Reads to the end, keeping nothing. */
  async drain(): Promise<Buffer> {
    for await (const _ of this) void _
    return this.digest()
  }
}

import type { documents } from '@demarc/client'
import { limits, typeOf } from './rules.ts'
import { createSniffer } from './sniff.ts'

/** These bytes are not kept. The message says why, and what would be. */
export class BytesRefused extends Error {
  readonly too_large: boolean
  constructor(message: string, options: { too_large?: boolean } = {}) {
    super(message)
    this.name = 'BytesRefused'
    this.too_large = options.too_large === true
  }
}

export interface JudgedBytes {
  /**
   * The bytes as they come. Throws BytesRefused past `max_bytes`, and after the last one when they are no document or not
   * what the name says: so whoever stores them from here has nothing left of a refused one.
   */
  pass(): AsyncGenerator<Uint8Array>
  /** After the end. */
  type(): documents.DocumentType
}

/** Judges bytes while they are stored. */
export function judgedBytes(source: AsyncIterable<Uint8Array>, name: string, max_bytes: number): JudgedBytes {
  let type: documents.DocumentType | null = null
  return {
    async *pass() {
      const sniffer = createSniffer()
      let bytes = 0
      for await (const chunk of source) {
        bytes += chunk.length
        if (bytes > max_bytes)
          throw new BytesRefused(`The document is larger than ${limits.bytes / 1024 / 1024} MiB.`, { too_large: true })
        sniffer.take(chunk)
        yield chunk
      }
      const sniffed = await sniffer.verdict()
      const verdict = 'refused' in sniffed ? sniffed : typeOf(name, sniffed.candidates)
      if ('refused' in verdict) throw new BytesRefused(verdict.refused)
      type = verdict.type
    },
    type() {
      if (type === null) throw new Error('the bytes have not been read to their end')
      return type
    },
  }
}

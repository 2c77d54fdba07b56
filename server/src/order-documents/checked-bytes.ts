import type { documents } from '@demarc/client'
import { limits, typeOf } from './rules.ts'
import { createSniffer } from './sniff.ts'

/** Refused content; the message says why, and what is allowed. */
export class BytesRefused extends Error {
  readonly too_large: boolean
  constructor(message: string, options: { too_large?: boolean } = {}) {
    super(message)
    this.name = 'BytesRefused'
    this.too_large = options.too_large === true
  }
}

export interface CheckedBytes {
  /**
   * Passes the bytes on. Throws BytesRefused after `max_bytes`, and at the end if the type is not allowed or does not match
   * the name, so that no refused file is stored.
   */
  stream(): AsyncGenerator<Uint8Array>
  /** The detected type, after the end of the stream. */
  type(): documents.DocumentType
}

/** Validates content while it is being stored. */
export function checkedBytes(source: AsyncIterable<Uint8Array>, name: string, max_bytes: number): CheckedBytes {
  let type: documents.DocumentType | null = null
  return {
    async *stream() {
      const sniffer = createSniffer()
      let bytes = 0
      for await (const chunk of source) {
        bytes += chunk.length
        if (bytes > max_bytes)
          throw new BytesRefused(`The document is larger than ${limits.bytes / 1024 / 1024} MiB.`, { too_large: true })
        sniffer.update(chunk)
        yield chunk
      }
      const sniffed = await sniffer.result()
      const result = 'refused' in sniffed ? sniffed : typeOf(name, sniffed.candidates)
      if ('refused' in result) throw new BytesRefused(result.refused)
      type = result.type
    },
    type() {
      if (type === null) throw new Error('the bytes have not been read to their end')
      return type
    },
  }
}

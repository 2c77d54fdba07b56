import { csvCell } from '@demarc/client'
import type { LineErrors } from './line-errors.ts'
import { LIMITS } from './limits.ts'
import type { Source } from './reader.ts'

/** The outcome of one body: its counts, and its rejected lines as size-limited NDJSON. Complete when the ingest has ended. */
export class Delivery {
  /** As received, before decompression. */
  bytes = 0
  accepted = 0
  duplicates = 0
  rejected = 0
  /** End of the latest call that was not rejected; null if none. */
  newest_call_at: Date | null = null
  /** Lines in `refused`; further rejected lines are only counted. */
  refused_lines = 0
  readonly refused: Buffer[] = []
  #refused_bytes = 0
  #full = false

  /** Stores rejected lines with their errors until one does not fit. */
  refuse(line: number, errors: LineErrors, source: Source): void {
    if (this.#full) return
    const text = typeof source === 'string' || source === null ? source : source.map(csvCell).join(',')
    const entry = Buffer.from(`${JSON.stringify({ line, messages: errors.messages(), text })}\n`)
    this.#full = this.#refused_bytes + entry.length > LIMITS.refused_bytes
    if (this.#full) return
    this.refused.push(entry)
    this.refused_lines += 1
    this.#refused_bytes += entry.length
  }
}

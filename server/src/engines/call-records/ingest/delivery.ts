import { csvCell } from '@demarc/client'
import type { LineErrors } from './line-errors.ts'
import { LIMITS } from './limits.ts'
import type { Source } from './reader.ts'

/** The outcome of one body: its counts, and its rejected lines as NDJSON of bounded size. Complete when the ingest has ended. */
export class Delivery {
  /** As received, before decompression. */
  bytes = 0
  accepted = 0
  duplicates = 0
  rejected = 0
  /** The end of the newest call that was not rejected; null without any. */
  newest_call_at: Date | null = null
  /** Lines that `refused` has; the others are only counted. */
  refused_lines = 0
  readonly refused: Buffer[] = []
  #refused_bytes = 0
  #full = false

  /** Keeps a refused line with its errors, up to the first that has no room. */
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

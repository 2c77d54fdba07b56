/** Splits bytes into lines. No I/O; the only state is the unfinished line. */

import { isAscii, isUtf8 } from 'node:buffer'
import { LIMITS } from './limits.ts'

/** One line without its line feed, or why it cannot be read. Numbered from 1. */
export type Line = { number: number; text: string } | { number: number; error: string }

const NEWLINE = 0x0a
const TOO_LONG = `Is longer than ${LIMITS.line_bytes} bytes.`
const NOT_UTF8 = 'Is not UTF-8.'
/** Small chunks of a long line are concatenated when there are this many. */
const JOIN_AT = 64

/** `take` returns the lines that a chunk completes, `flush` the last one if no line feed ended it. A byte order mark is dropped. */
export class Lines {
  /** Lines returned so far. */
  count = 0
  #buffered: Buffer[] = []
  #buffered_bytes = 0
  /** Inside a line that is too long, which is not buffered. */
  #skipping = false

  take(chunk: Buffer): Line[] {
    const last = chunk.lastIndexOf(NEWLINE)
    if (last < 0) {
      this.#buffer(chunk)
      return []
    }
    const lines: Line[] = []
    const first = chunk.indexOf(NEWLINE)
    if (this.#skipping || this.#buffered_bytes + first > LIMITS.line_bytes) {
      lines.push({ number: ++this.count, error: TOO_LONG })
      this.#reset()
      chunk = chunk.subarray(first + 1)
    }
    const flush = chunk.lastIndexOf(NEWLINE) + 1
    if (flush > 0) this.#read(this.#joined(chunk.subarray(0, flush - 1)), lines)
    this.#buffer(chunk.subarray(flush))
    return lines
  }

  end(): Line[] {
    const lines: Line[] = []
    if (this.#skipping) lines.push({ number: ++this.count, error: TOO_LONG })
    else if (this.#buffered_bytes > 0) this.#read(this.#joined(Buffer.alloc(0)), lines)
    this.#reset()
    return lines
  }

  /** `whole` is one line or more, without the last line feed. */
  #read(whole: Buffer, lines: Line[]): void {
    if (isUtf8(whole)) {
      for (const text of this.#decode(whole).split('\n')) lines.push({ number: ++this.count, text })
      return
    }
    for (let at = 0; at <= whole.length;) {
      const newline = whole.indexOf(NEWLINE, at)
      const line = whole.subarray(at, newline < 0 ? whole.length : newline)
      if (isUtf8(line)) lines.push({ text: this.#decode(line), number: ++this.count })
      else lines.push({ number: ++this.count, error: NOT_UTF8 })
      at += line.length + 1
    }
  }

  #decode(bytes: Buffer): string {
    if (isAscii(bytes)) return bytes.toString('latin1')
    const text = bytes.toString('utf8')
    return this.count === 0 && text.startsWith('\uFEFF') ? text.slice(1) : text
  }

  #joined(end: Buffer): Buffer {
    if (this.#buffered_bytes === 0) return end
    const joined = Buffer.concat([...this.#buffered, end])
    this.#reset()
    return joined
  }

  #buffer(bytes: Buffer): void {
    if (this.#skipping || bytes.length === 0) return
    this.#buffered.push(bytes)
    this.#buffered_bytes += bytes.length
    if (this.#buffered_bytes > LIMITS.line_bytes) {
      this.#reset()
      this.#skipping = true
    } else if (this.#buffered.length >= JOIN_AT) this.#buffered = [Buffer.concat(this.#buffered)]
  }

  #reset(): void {
    this.#buffered = []
    this.#buffered_bytes = 0
    this.#skipping = false
  }
}

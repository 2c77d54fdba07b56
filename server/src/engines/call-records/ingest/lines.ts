/** Bytes cut into lines. Pure but for what it remembers. */

import { isAscii, isUtf8 } from 'node:buffer'
import { LIMITS } from './limits.ts'

/** One line without its line feed, or why it cannot be read. Numbered from 1. */
export type Line = { number: number; text: string } | { number: number; fault: string }

const NEWLINE = 0x0a
const TOO_LONG = `Is longer than ${LIMITS.line_bytes} bytes.`
const NOT_UTF8 = 'Is not UTF-8.'
/** Small pieces of a long line are joined when there are this many. */
const JOIN_AT = 64

/** `take` gives the lines that a piece completes, `end` the last one if no line feed ended it. A byte order mark is left out. */
export class Lines {
  /** Lines given so far. */
  count = 0
  #kept: Buffer[] = []
  #kept_bytes = 0
  /** In the middle of a line that is too long, which is not kept. */
  #skipping = false

  take(piece: Buffer): Line[] {
    const last = piece.lastIndexOf(NEWLINE)
    if (last < 0) {
      this.#keep(piece)
      return []
    }
    const lines: Line[] = []
    const first = piece.indexOf(NEWLINE)
    if (this.#skipping || this.#kept_bytes + first > LIMITS.line_bytes) {
      lines.push({ number: ++this.count, fault: TOO_LONG })
      this.#forget()
      piece = piece.subarray(first + 1)
    }
    const end = piece.lastIndexOf(NEWLINE) + 1
    if (end > 0) this.#read(this.#joined(piece.subarray(0, end - 1)), lines)
    this.#keep(piece.subarray(end))
    return lines
  }

  end(): Line[] {
    const lines: Line[] = []
    if (this.#skipping) lines.push({ number: ++this.count, fault: TOO_LONG })
    else if (this.#kept_bytes > 0) this.#read(this.#joined(Buffer.alloc(0)), lines)
    this.#forget()
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
      else lines.push({ number: ++this.count, fault: NOT_UTF8 })
      at += line.length + 1
    }
  }

  #decode(bytes: Buffer): string {
    if (isAscii(bytes)) return bytes.toString('latin1')
    const text = bytes.toString('utf8')
    return this.count === 0 && text.startsWith('\uFEFF') ? text.slice(1) : text
  }

  #joined(end: Buffer): Buffer {
    if (this.#kept_bytes === 0) return end
    const joined = Buffer.concat([...this.#kept, end])
    this.#forget()
    return joined
  }

  #keep(bytes: Buffer): void {
    if (this.#skipping || bytes.length === 0) return
    this.#kept.push(bytes)
    this.#kept_bytes += bytes.length
    if (this.#kept_bytes > LIMITS.line_bytes) {
      this.#forget()
      this.#skipping = true
    } else if (this.#kept.length >= JOIN_AT) this.#kept = [Buffer.concat(this.#kept)]
  }

  #forget(): void {
    this.#kept = []
    this.#kept_bytes = 0
    this.#skipping = false
  }
}

/** Splits bytes into lines. No I/O; the only state is the unfinished line. */

import { isAscii, isUtf8 } from 'node:buffer'
import { LIMITS } from './limits.ts'

/** One line without its line feed, or why it cannot be read. Numbers start at 1. */
export type Line = { number: number; text: string } | { number: number; error: string }

const NEWLINE = 0x0a
/** The line feed, which the last line of a body may lack. */
const LAST = Buffer.from('\n')
const BYTE_ORDER_MARK = '\uFEFF'
const TOO_LONG = `Is longer than ${LIMITS.line_bytes} bytes.`
const NOT_UTF8 = 'Is not UTF-8.'
/** This many small chunks of a long line are concatenated at a time. */
const JOIN_AT = 64

/** `take` returns the lines that a chunk completes, `flush` the last one if it lacks a line feed. A byte order mark is dropped. */
export class Lines {
  /** Lines returned so far. */
  count = 0
  #buffered: Buffer[] = []
  #buffered_bytes = 0
  /** Inside a line that exceeds the limit and is not buffered. */
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
    const begun = this.#buffered_bytes > 0 ? chunk.indexOf(NEWLINE) + 1 : 0
    if (begun > 0) this.#read(this.#joined(chunk.subarray(0, begun)), lines)
    const flush = chunk.lastIndexOf(NEWLINE) + 1
    if (flush > begun) this.#read(chunk.subarray(begun, flush), lines)
    this.#buffer(chunk.subarray(flush))
    return lines
  }

  end(): Line[] {
    const lines: Line[] = []
    if (this.#skipping) lines.push({ number: ++this.count, error: TOO_LONG })
    else if (this.#buffered_bytes > 0) this.#read(this.#joined(LAST), lines)
    this.#reset()
    return lines
  }

  /** Every line has its line feed. */
  #read(bytes: Buffer, lines: Line[]): void {
    const all = textOf(bytes)
    if (all !== undefined) {
      for (const text of all.slice(0, -1).split('\n')) lines.push(this.#lineOf(text))
      return
    }
    for (let at = 0; at < bytes.length;) {
      const end = bytes.indexOf(NEWLINE, at)
      lines.push(this.#lineOf(textOf(bytes.subarray(at, end))))
      at = end + 1
    }
  }

  #lineOf(text: string | undefined): Line {
    const number = ++this.count
    if (text === undefined) return { number, error: NOT_UTF8 }
    return { number, text: number === 1 && text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text }
  }

  #joined(end: Buffer): Buffer {
    const joined = Buffer.concat([...this.#buffered, end])
    this.#reset()
    return joined
  }

  #buffer(bytes: Buffer): void {
    if (this.#skipping || bytes.length === 0) return
    // a copy, because a chunk's memory is freed after its lines are read
    this.#buffered.push(Buffer.from(bytes))
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

/** Undefined if the bytes are not UTF-8. ASCII decoding is several times as fast. */
function textOf(bytes: Buffer): string | undefined {
  if (isAscii(bytes)) return bytes.toString('latin1')
  return isUtf8(bytes) ? bytes.toString('utf8') : undefined
}

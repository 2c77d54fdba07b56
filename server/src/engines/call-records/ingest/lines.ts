/** Splits bytes into lines. No I/O; the only state is the unfinished line. */

import { isAscii, isUtf8 } from 'node:buffer'
import { LIMITS } from './limits.ts'

/** One line without its line feed, or why it cannot be read. Numbered from 1. */
export type Line = ByteLine | { number: number; error: string }

/** A line that is UTF-8. */
export class ByteLine {
  readonly number: number
  /** Of several lines; this one is from `from` to `to`, where its line feed is. */
  readonly bytes: Buffer
  readonly from: number
  readonly to: number
  readonly #ascii: boolean
  #text: string | undefined

  constructor(number: number, { bytes, ascii }: Whole, from: number, to: number) {
    this.number = number
    this.bytes = bytes
    this.from = from
    this.to = to
    this.#ascii = ascii
  }

  /** In bytes. */
  get size(): number {
    return this.to - this.from
  }

  /** Made when it is asked for: most lines are read from their bytes. */
  get text(): string {
    this.#text ??= this.bytes.toString(this.#ascii ? 'latin1' : 'utf8', this.from, this.to)
    return this.#text
  }
}

/** One line or more. */
type Whole = { bytes: Buffer; ascii: boolean; utf8: boolean }

const NEWLINE = 0x0a
/** The line feed that the last line of a body may lack. */
const LAST = Buffer.from('\n')
const BYTE_ORDER_MARK = Buffer.from('\uFEFF')
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

  /** Each line has its line feed. */
  #read(bytes: Buffer, lines: Line[]): void {
    const ascii = isAscii(bytes)
    const whole = { bytes, ascii, utf8: ascii || isUtf8(bytes) }
    for (let at = 0; at < bytes.length;) {
      const end = bytes.indexOf(NEWLINE, at)
      lines.push(this.#lineOf(whole, at, end))
      at = end + 1
    }
  }

  #lineOf(whole: Whole, from: number, to: number): Line {
    const { bytes, utf8 } = whole
    this.count += 1
    if (!utf8 && !isUtf8(bytes.subarray(from, to))) return { number: this.count, error: NOT_UTF8 }
    const marked = this.count === 1 && bytes.subarray(from, to).indexOf(BYTE_ORDER_MARK) === 0
    return new ByteLine(this.count, whole, marked ? from + BYTE_ORDER_MARK.length : from, to)
  }

  #joined(end: Buffer): Buffer {
    const joined = Buffer.concat([...this.#buffered, end])
    this.#reset()
    return joined
  }

  #buffer(bytes: Buffer): void {
    if (this.#skipping || bytes.length === 0) return
    // a copy: the memory of a chunk is freed when its lines have been read
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

const INITIAL_BYTES = 256
/** Up to this length a loop is faster than a call of the encoder. */
export const SHORT_CHARS = 64

/** What becomes of memory that is no longer used; what is not freed at once makes the garbage collector mark the whole heap. */
export type Memory = 'keep' | 'free'

/** Bytes that grow, written as the engine's formats have numbers and texts. What was read of them is valid until they grow. */
export class Bytes {
  length = 0
  #memory = new ArrayBuffer(INITIAL_BYTES)
  #buffer = Buffer.from(this.#memory)
  #view = new DataView(this.#memory)

  used(): Buffer {
    return this.#buffer.subarray(0, this.length)
  }

  clear(memory: Memory): void {
    this.length = 0
    if (memory === 'free') this.#use(this.#memory.transfer(INITIAL_BYTES))
  }

  addUInt8(value: number): void {
    this.#reserve(1)
    this.#buffer[this.length] = value
    this.length += 1
  }

  addUInt16(value: number): void {
    this.#reserve(2)
    this.#view.setUint16(this.length, value, true)
    this.length += 2
  }

  addUInt32(value: number): void {
    this.#reserve(4)
    this.#view.setUint32(this.length, value, true)
    this.length += 4
  }

  add(other: Bytes, from: number, to: number): void {
    this.#reserve(to - from)
    other.#buffer.copy(this.#buffer, this.length, from, to)
    this.length += to - from
  }

  addVarint(value: number): void {
    let rest = value
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) this.addUInt8((rest % 0x80) + 0x80)
    this.addUInt8(rest)
  }

  /** With its length before it. Half of a surrogate pair becomes U+FFFD. */
  addText(text: string): void {
    const { length } = text
    if (length <= SHORT_CHARS && this.#addAscii(text, length)) return
    const bytes = Buffer.byteLength(text)
    this.addVarint(bytes)
    this.#reserve(bytes)
    this.#buffer.write(text, this.length, bytes, 'utf8')
    this.length += bytes
  }

  /** Characters of ASCII, with their length before them. */
  addAscii(source: Uint8Array, from: number, to: number): void {
    const length = to - from
    this.addVarint(length)
    this.#reserve(length)
    const buffer = this.#buffer
    const start = this.length
    if (length > SHORT_CHARS) buffer.set(source.subarray(from, to), start)
    else for (let at = 0; at < length; at += 1) buffer[start + at] = source[from + at] ?? 0
    this.length = start + length
  }

  /** Whether the text at a place, its length before it, is this one of up to `SHORT_CHARS` characters. */
  hasShort(at: number, source: Uint8Array, from: number, to: number): boolean {
    const buffer = this.#buffer
    if (buffer[at] !== to - from) return false
    for (let n = from; n < to; n += 1) if (buffer[at + 1 + n - from] !== source[n]) return false
    return true
  }

  text(from: number, to: number): string {
    return this.#buffer.toString('utf8', from, to)
  }

  uint32At(at: number): number {
    return this.#view.getUint32(at, true)
  }

  int64At(at: number): bigint {
    return this.#view.getBigInt64(at, true)
  }

  /** Returns false, and adds nothing, where the text has other characters. */
  #addAscii(text: string, length: number): boolean {
    this.#reserve(length + 1)
    const buffer = this.#buffer
    const start = this.length + 1
    for (let at = 0; at < length; at += 1) {
      const code = text.charCodeAt(at)
      if (code > 0x7f) return false
      buffer[start + at] = code
    }
    buffer[start - 1] = length
    this.length = start + length
    return true
  }

  #reserve(bytes: number): void {
    if (this.length + bytes <= this.#buffer.length) return
    this.#use(this.#memory.transfer(Math.max(this.#memory.byteLength * 2, this.length + bytes)))
  }

  #use(memory: ArrayBuffer): void {
    this.#memory = memory
    this.#buffer = Buffer.from(memory)
    this.#view = new DataView(memory)
  }
}

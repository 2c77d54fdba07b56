const INITIAL_BYTES = 256
/** Up to this length a loop is faster than a call of the encoder. */
const SHORT_CHARS = 64

/** Bytes that grow, written as the engine's formats have numbers and texts. */
export class Bytes {
  length = 0
  #buffer = Buffer.allocUnsafe(INITIAL_BYTES)
  #view = viewOf(this.#buffer)

  used(): Buffer {
    return this.#buffer.subarray(0, this.length)
  }

  clear(): void {
    this.length = 0
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
    const grown = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, this.length + bytes))
    this.#buffer.copy(grown, 0, 0, this.length)
    this.#buffer = grown
    this.#view = viewOf(grown)
  }
}

function viewOf(buffer: Buffer): DataView {
  return new DataView(buffer.buffer, buffer.byteOffset, buffer.length)
}

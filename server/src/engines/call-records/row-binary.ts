/**
 * ClickHouse's RowBinaryWithNamesAndTypes format (https://clickhouse.com/docs/interfaces/formats/RowBinaryWithNamesAndTypes): a
 * header with the columns, then the rows. The engine reads it several times as fast as JSON.
 */

export const ROW_FORMAT = 'RowBinaryWithNamesAndTypes'

const INITIAL_BYTES = 64 * 1024
/** A text of up to this many characters takes at most 126 bytes, so its length is one byte. */
const SHORT_CHARS = 42
const UINT32_VALUES = 2 ** 32

/** `types` by column name. */
export function rowHeader(types: Readonly<Record<string, string>>): Buffer {
  const header = new RowWriter()
  const names = Object.keys(types)
  header.addVarint(names.length)
  for (const text of [...names, ...Object.values(types)]) header.addText(text)
  return header.bytes()
}

/** A growing buffer. Numbers are little-endian; a length in bytes precedes each text. */
export class RowWriter {
  length = 0
  #buffer = Buffer.allocUnsafe(INITIAL_BYTES)
  #view = viewOf(this.#buffer)

  /** Valid until the next `add`. */
  bytes(from = 0, to = this.length): Buffer {
    return this.#buffer.subarray(from, to)
  }

  addBytes(bytes: Buffer): void {
    this.#reserve(bytes.length)
    this.#buffer.set(bytes, this.length)
    this.length += bytes.length
  }

  addUInt8(value: number): void {
    this.#reserve(1)
    this.#buffer[this.length++] = value
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

  /** The number must be a safe integer. */
  addInt64(value: number | bigint): void {
    if (typeof value === 'bigint') return this.addUInt64(value)
    const high = Math.floor(value / UINT32_VALUES)
    this.addUInt32(value - high * UINT32_VALUES)
    this.addUInt32(high)
  }

  /** Negative numbers are written as two's complement. */
  addUInt64(value: bigint): void {
    this.#reserve(8)
    this.#view.setBigUint64(this.length, value, true)
    this.length += 8
  }

  /** Overwrites 8 bytes. The number must be a safe integer. */
  setInt64(at: number, value: number): void {
    const high = Math.floor(value / UINT32_VALUES)
    this.#view.setUint32(at, value - high * UINT32_VALUES, true)
    this.#view.setUint32(at + 4, high, true)
  }

  addVarint(value: number): void {
    let rest = value
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) this.addUInt8((rest % 0x80) + 0x80)
    this.addUInt8(rest)
  }

  /** An unpaired surrogate becomes U+FFFD. */
  addText(text: string): void {
    if (text === '') return this.addUInt8(0)
    if (text.length > SHORT_CHARS) return this.#addLongText(text)
    this.#reserve(1 + 3 * SHORT_CHARS)
    const bytes = this.#buffer.write(text, this.length + 1)
    this.#buffer[this.length] = bytes
    this.length += 1 + bytes
  }

  addTexts(texts: readonly string[]): void {
    this.addVarint(texts.length)
    for (const text of texts) this.addText(text)
  }

  #addLongText(text: string): void {
    const bytes = Buffer.byteLength(text)
    this.addVarint(bytes)
    this.#reserve(bytes)
    this.length += this.#buffer.write(text, this.length)
  }

  #reserve(bytes: number): void {
    if (this.length + bytes <= this.#buffer.length) return
    const larger = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, this.length + bytes))
    larger.set(this.bytes())
    this.#buffer = larger
    this.#view = viewOf(larger)
  }
}

const viewOf = ({ buffer, byteOffset, length }: Buffer) => new DataView(buffer, byteOffset, length)

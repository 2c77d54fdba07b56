import { isUtf8 } from 'node:buffer'

/** A file that cannot be processed; `message` tells its sender why and what to do. */
export class FileRefused extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'FileRefused'
  }
}

/** Longest UTF-8 encoding of one character. */
const CHARACTER_BYTES = 4

/** Signatures of binary files, with the message that says what to do. */
const NOT_TEXT: [signature: string, message: string][] = [
  ['1f8b', 'The file is packed with gzip. Send it unpacked.'],
  ['504b0304', 'The file is a zip archive. Send the file that is inside.'],
  ['28b52ffd', 'The file is packed with zstd. Send it unpacked.'],
  ['fffe', 'The file is UTF-16. Save it as UTF-8.'],
  ['feff', 'The file is UTF-16. Save it as UTF-8.'],
]

/** The same bytes in chunks of at most `bytes_max`. */
export async function* inChunks(source: AsyncIterable<Uint8Array>, bytes_max: number): AsyncGenerator<Uint8Array> {
  for await (const chunk of source)
    for (let at = 0; at < chunk.length; at += bytes_max) yield chunk.subarray(at, at + bytes_max)
}

/**
 * The text of the file without a byte order mark, with line feeds where its lines end with a carriage return alone. Throws
 * FileRefused if it is not UTF-8.
 */
export async function* textOf(source: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let line_break: '\r' | '\n' | null = null
  // a carriage return at the end of a piece
  let carry = ''
  for await (const piece of utf8Of(source)) {
    const text = carry + piece
    carry = ''
    if (line_break === null) {
      const at = text.search(/[\r\n]/)
      if (at >= 0 && text[at] === '\r' && at === text.length - 1) {
        carry = '\r'
        if (at > 0) yield text.slice(0, at)
        continue
      }
      // the first line break decides
      if (at >= 0) line_break = text[at] === '\r' && text[at + 1] !== '\n' ? '\r' : '\n'
    }
    yield line_break === '\r' ? text.replaceAll('\r', '\n') : text
  }
  if (carry !== '') yield '\n'
}

async function* utf8Of(source: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  // the bytes of a character that continues in the next chunk
  let carry: Buffer = Buffer.alloc(0)
  let started = false
  for await (const piece of source) {
    const chunk = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength)
    const bytes = carry.length === 0 ? chunk : Buffer.concat([carry, chunk])
    if (!started && bytes.length < CHARACTER_BYTES) {
      carry = bytes
      continue
    }
    const end = wholeCharacters(bytes)
    const text = decoded(bytes.subarray(0, end), !started)
    carry = bytes.subarray(end)
    started = true
    if (text !== '') yield text
  }
  const text = decoded(carry, !started)
  if (text !== '') yield text
}

function decoded(bytes: Buffer, first: boolean): string {
  if (first) {
    const start = bytes.toString('hex', 0, CHARACTER_BYTES)
    const known = NOT_TEXT.find(([signature]) => start.startsWith(signature))
    if (known) throw new FileRefused(known[1])
  }
  if (!isUtf8(bytes)) throw new FileRefused('The file is not UTF-8. Save it as UTF-8.')
  // UTF-16 has NUL bytes, spreadsheets and databases write none, and PostgreSQL cannot store them
  if (bytes.includes(0)) throw new FileRefused('The file holds NUL characters, as UTF-16 does. Save it as UTF-8.')
  const text = bytes.toString('utf8')
  return first && text.startsWith('\ufeff') ? text.slice(1) : text
}

/** How many of the bytes form complete characters: all, or all but an incomplete one at the end. */
function wholeCharacters(bytes: Buffer): number {
  for (let back = 1; back < CHARACTER_BYTES && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] ?? 0
    if (byte < 0x80) return bytes.length
    if (byte < 0xc0) continue
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2
    return length > back ? bytes.length - back : bytes.length
  }
  return bytes.length
}

import { isUtf8 } from 'node:buffer'

/** A file that cannot be worked on; `message` tells its sender why, and the way out. */
export class FileRefused extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'FileRefused'
  }
}

/** Longest encoding of one character in UTF-8. */
const CHARACTER_BYTES = 4

/** First bytes of what is no text, and what to do about it. */
const NO_TEXT: [start: string, words: string][] = [
  ['1f8b', 'The file is packed with gzip. Send it unpacked.'],
  ['504b0304', 'The file is a zip archive. Send the file that is inside.'],
  ['28b52ffd', 'The file is packed with zstd. Send it unpacked.'],
  ['fffe', 'The file is UTF-16. Save it as UTF-8.'],
  ['feff', 'The file is UTF-16. Save it as UTF-8.'],
]

/** The text of the file, a byte order mark left out. Throws FileRefused for what is no UTF-8 text. */
export async function* textOf(source: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  // the beginning of a character that ends in the next piece
  let held: Buffer = Buffer.alloc(0)
  let started = false
  for await (const piece of source) {
    const chunk = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength)
    const bytes = held.length === 0 ? chunk : Buffer.concat([held, chunk])
    if (!started && bytes.length < CHARACTER_BYTES) {
      held = bytes
      continue
    }
    const end = wholeCharacters(bytes)
    const text = decoded(bytes.subarray(0, end), !started)
    held = bytes.subarray(end)
    started = true
    if (text !== '') yield text
  }
  const text = decoded(held, !started)
  if (text !== '') yield text
}

function decoded(bytes: Buffer, first: boolean): string {
  if (first) {
    const start = bytes.toString('hex', 0, CHARACTER_BYTES)
    const known = NO_TEXT.find(([signature]) => start.startsWith(signature))
    if (known) throw new FileRefused(known[1])
  }
  if (!isUtf8(bytes)) throw new FileRefused('The file is not UTF-8. Save it as UTF-8.')
  // neither a spreadsheet nor a database writes them, UTF-16 does; and PostgreSQL has no such character
  if (bytes.includes(0)) throw new FileRefused('The file holds NUL characters, as UTF-16 does. Save it as UTF-8.')
  const text = bytes.toString('utf8')
  return first && text.startsWith('\ufeff') ? text.slice(1) : text
}

/** How many of the bytes are whole characters: all, or all but the beginning of one at their end. */
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

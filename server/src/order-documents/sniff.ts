import { fileTypeFromBuffer } from 'file-type'
import { documents } from '@demarc/client'
import { zipEntries, ZipError } from '../platform/zip.ts'
import { typesWords } from './rules.ts'
import { createTextCheck } from './sniff-text.ts'

type DocumentType = documents.DocumentType

/** What the bytes may be (several where a name must decide: CSV is text as well), or why they are no document. */
export type Sniffed = { candidates: readonly DocumentType[] } | { refused: string }

/** Tells what a stream of bytes is while it passes. Keeps its beginning and its end, so that memory stays flat. */
export interface Sniffer {
  take(chunk: Uint8Array): void
  /** After the last chunk. */
  verdict(): Promise<Sniffed>
}

const head_bytes = 64 * 1024
/** The list of entries of a ZIP stands at its end; an office document of 20 MiB has a few hundred. */
const tail_bytes = 1024 * 1024

const magic_bytes = 8
const zip_magic = Buffer.from('504b0304', 'hex')
const compound_magic = Buffer.from('d0cf11e0a1b11ae1', 'hex')
const tiff_magics = [Buffer.from('49492a00', 'hex'), Buffer.from('4d4d002a', 'hex')]

export function createSniffer(): Sniffer {
  const beginning = Buffer.alloc(head_bytes)
  let bytes = 0
  const text = createTextCheck()
  let early: Buffer[] = []
  let inside: Inside | null = null
  const look = (piece: Buffer) => {
    // short first pieces wait until it can be said what they begin
    if (inside === null && bytes < magic_bytes) return void early.push(piece)
    inside ??= insideOf(beginning)
    for (const each of [...early, piece]) inside.take(each)
    early = []
  }
  return {
    take(chunk) {
      const piece = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
      if (bytes < head_bytes) piece.copy(beginning, bytes)
      bytes += piece.length
      text.take(piece)
      look(piece)
    },
    async verdict() {
      if (bytes === 0) return { refused: 'The document is empty.' }
      const office = (await inside?.verdict()) ?? null
      if (office) return office
      const head = beginning.subarray(0, bytes)
      const found = await fileTypeFromBuffer(head)
      const known = documents.documentMediaTypes.find((type) => type === found?.mime)
      if (known) return { candidates: [known] }
      // raw photographs begin like TIFF, and file-type tells them apart; a directory far behind it cannot reach
      if (found === undefined && tiff_magics.some((magic) => startsWith(head, magic)))
        return { candidates: ['image/tiff'] }
      const asText = text.verdict()
      // text first: a few short signatures ("BM", "MZ") are also how words begin
      if (asText === 'text') return { candidates: ['text/plain', 'text/csv'] }
      if (asText === 'markup')
        return {
          refused: `The content is a web page or other markup, not a document. A sign-in page stands there perhaps. ${typesWords}`,
        }
      const name = found === undefined ? 'is of no type that is known here' : `is ${found.ext.toUpperCase()}`
      return { refused: `The content ${name}. ${typesWords}` }
    },
  }
}

const startsWith = (bytes: Buffer, magic: Buffer) => bytes.subarray(0, magic.length).equals(magic)

/** What is told from further inside than the beginning. */
interface Inside {
  take(piece: Buffer): void
  /** Null: nothing, the beginning says it. */
  verdict(): Promise<Sniffed | null>
}

function insideOf(beginning: Buffer): Inside {
  if (startsWith(beginning, zip_magic)) {
    const tail = createTail(tail_bytes)
    return { take: tail.take, verdict: async () => officeOf(await entryNames(tail.end(), tail.bytes())) }
  }
  if (startsWith(beginning, compound_magic)) {
    const streams = createStreamNames()
    return { take: streams.take, verdict: () => Promise.resolve(compoundOf(streams.seen())) }
  }
  return { take: () => undefined, verdict: () => Promise.resolve(null) }
}

/** Keeps the last bytes of what passes. */
function createTail(most: number) {
  const room = Buffer.alloc(2 * most)
  let kept = 0
  let bytes = 0
  return {
    take(piece: Buffer): void {
      bytes += piece.length
      for (let at = 0; at < piece.length; at += most) {
        const part = piece.subarray(at, at + most)
        if (kept + part.length > room.length) {
          room.copy(room, 0, kept - most, kept)
          kept = most
        }
        kept += part.copy(room, kept)
      }
    },
    end: (): Buffer => room.subarray(Math.max(0, kept - most), kept),
    bytes: (): number => bytes,
  }
}

/** Names of the entries of a ZIP of `bytes` bytes. Null when there is no whole directory in its `end`. */
async function entryNames(end: Buffer, bytes: number): Promise<string[] | null> {
  const end_start = bytes - end.length
  const read = (start: number, length: number) =>
    start < end_start
      ? Promise.reject(new ZipError('too large', 'The directory begins before what is kept.'))
      : Promise.resolve(end.subarray(start - end_start, start - end_start + length))
  try {
    const entries = await zipEntries({ bytes, read }, tail_bytes)
    return entries.map(({ name }) => name)
  } catch (error) {
    if (error instanceof ZipError) return null
    throw error
  }
}

/** Office Open XML (ECMA-376, part 2): a ZIP with a list of content types, and a folder for each kind of document. */
function officeOf(entries: readonly string[] | null): Sniffed {
  if (entries === null) return { refused: 'The content is a ZIP archive that breaks off or is damaged.' }
  const has = (folder: string) => entries.some((name) => name.startsWith(folder))
  if (!entries.includes('[Content_Types].xml') || has('word/') === has('xl/'))
    return { refused: `The content is a ZIP archive. ${typesWords}` }
  if (entries.some((name) => /(^|\/)vbaProject\.bin$/i.test(name)))
    return { refused: 'The document has macros. Save it without them (DOCX or XLSX), or as PDF.' }
  const office = 'application/vnd.openxmlformats-officedocument'
  return has('word/')
    ? { candidates: [`${office}.wordprocessingml.document`] }
    : { candidates: [`${office}.spreadsheetml.sheet`] }
}

/** Names of the streams of a compound file that say what it is (MS-CFB 2.6: entries of 128 bytes, names in UTF-16). */
function createStreamNames() {
  const seen = new Set<string>()
  const entry_bytes = 128
  let rest = Buffer.alloc(0)
  return {
    take(piece: Buffer): void {
      const bytes = rest.length === 0 ? piece : Buffer.concat([rest, piece])
      const whole = bytes.length - (bytes.length % entry_bytes)
      // sectors are of 512 or 4096 bytes, as is the header: entries stand at whole multiples of their length
      for (let at = 0; at < whole; at += entry_bytes) {
        const length = bytes.readUInt16LE(at + 64)
        if (length < 4 || length > 64 || length % 2 === 1) continue
        const name = bytes.toString('utf16le', at, at + length - 2)
        if (name in compoundStreams) seen.add(name)
      }
      rest = Buffer.from(bytes.subarray(whole))
    },
    seen: (): ReadonlySet<string> => seen,
  }
}

const compoundStreams: Record<string, DocumentType> = {
  WordDocument: 'application/msword',
  Workbook: 'application/vnd.ms-excel',
  Book: 'application/vnd.ms-excel',
}

function compoundOf(seen: ReadonlySet<string>): Sniffed {
  // both: one has the other embedded, and the name decides
  const candidates = [...new Set([...seen].flatMap((name) => compoundStreams[name] ?? []))]
  if (candidates.length > 0) return { candidates }
  return { refused: `The content is a compound file, but neither a Word document nor an Excel workbook. ${typesWords}` }
}

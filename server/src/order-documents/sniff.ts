import { fileTypeFromBuffer } from 'file-type'
import { documents } from '@demarc/client'
import { zipEntries, ZipError } from '../platform/zip.ts'
import { allowedTypes } from './rules.ts'

type DocumentType = documents.DocumentType

/** Possible types of the content, or why it is refused. If there are several, like text and CSV, the name decides. */
export type Sniffed = { candidates: readonly DocumentType[] } | { refused: string }

/** Detects the type of a stream. Memory use is constant: it buffers only the beginning and the end. */
export interface Sniffer {
  update(chunk: Uint8Array): void
  /** After the last chunk. */
  result(): Promise<Sniffed>
}

const head_bytes = 64 * 1024
/** The central directory is at the end of a ZIP. An office document of 20 MiB has a few hundred entries. */
const tail_bytes = 1024 * 1024

const magic_bytes = 8
const zip_magic = Buffer.from('504b0304', 'hex')
const compound_magic = Buffer.from('d0cf11e0a1b11ae1', 'hex')
const tiff_magics = [Buffer.from('49492a00', 'hex'), Buffer.from('4d4d002a', 'hex')]

export function createSniffer(): Sniffer {
  const beginning = Buffer.alloc(head_bytes)
  let bytes = 0
  const text = createTextCheck()
  let buffered: Buffer[] = []
  let container: ContainerSniffer | null = null
  const updateContainer = (chunk: Buffer) => {
    // buffered until there are enough bytes for the magic number
    if (container === null && bytes < magic_bytes) return void buffered.push(chunk)
    container ??= containerSniffer(beginning)
    for (const each of [...buffered, chunk]) container.update(each)
    buffered = []
  }
  return {
    update(chunk) {
      const buffer = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
      if (bytes < head_bytes) buffer.copy(beginning, bytes)
      bytes += buffer.length
      text.update(buffer)
      updateContainer(buffer)
    },
    async result() {
      if (bytes === 0) return { refused: 'The document is empty.' }
      const contained = (await container?.result()) ?? null
      if (contained) return contained
      const head = beginning.subarray(0, bytes)
      const found = await fileTypeFromBuffer(head)
      const known = documents.documentMediaTypes.find((type) => type === found?.mime)
      if (known) return { candidates: [known] }
      // file-type distinguishes raw photos from TIFF unless their directory is beyond the head
      if (found === undefined && tiff_magics.some((magic) => startsWith(head, magic)))
        return { candidates: ['image/tiff'] }
      const text_result = text.result()
      // text first, because some short signatures ("BM", "MZ") also begin words
      if (text_result === 'text') return { candidates: ['text/plain', 'text/csv'] }
      if (text_result === 'markup')
        return {
          refused: `The content is a web page or other markup, not a document. It may be a sign-in page. ${allowedTypes}`,
        }
      const name = found === undefined ? 'has an unknown type' : `is ${found.ext.toUpperCase()}`
      return { refused: `The content ${name}. ${allowedTypes}` }
    },
  }
}

const startsWith = (bytes: Buffer, magic: Buffer) => bytes.subarray(0, magic.length).equals(magic)

/** Detects the type of container formats, where the magic number is not enough. */
interface ContainerSniffer {
  update(chunk: Buffer): void
  /** Null when it is not a container format. */
  result(): Promise<Sniffed | null>
}

function containerSniffer(beginning: Buffer): ContainerSniffer {
  if (startsWith(beginning, zip_magic)) {
    const tail = createTail(tail_bytes)
    return { update: tail.update, result: async () => officeOf(await entryNames(tail.end(), tail.bytes())) }
  }
  if (startsWith(beginning, compound_magic)) {
    const streams = createStreamNames()
    return { update: streams.update, result: () => Promise.resolve(compoundOf(streams.seen())) }
  }
  return { update: () => undefined, result: () => Promise.resolve(null) }
}

/** Buffers the last bytes of a stream. */
function createTail(size: number) {
  const buffer = Buffer.alloc(2 * size)
  let used = 0
  let bytes = 0
  return {
    update(chunk: Buffer): void {
      bytes += chunk.length
      for (let at = 0; at < chunk.length; at += size) {
        const part = chunk.subarray(at, at + size)
        if (used + part.length > buffer.length) {
          buffer.copy(buffer, 0, used - size, used)
          used = size
        }
        used += part.copy(buffer, used)
      }
    },
    end: (): Buffer => buffer.subarray(Math.max(0, used - size), used),
    bytes: (): number => bytes,
  }
}

/** Names of the entries of a ZIP of `bytes` bytes. Null when its `end` does not contain the whole directory. */
async function entryNames(end: Buffer, bytes: number): Promise<string[] | null> {
  const end_start = bytes - end.length
  const read = (start: number, length: number) =>
    start < end_start
      ? Promise.reject(new ZipError('too large', 'The directory begins before the buffered end.'))
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
  if (entries === null) return { refused: 'The content is an incomplete or damaged ZIP archive.' }
  const has = (folder: string) => entries.some((name) => name.startsWith(folder))
  if (!entries.includes('[Content_Types].xml') || has('word/') === has('xl/'))
    return { refused: `The content is a ZIP archive. ${allowedTypes}` }
  if (entries.some((name) => /(^|\/)vbaProject\.bin$/i.test(name)))
    return { refused: 'The document contains macros. Save it without macros (DOCX or XLSX), or as a PDF.' }
  const office = 'application/vnd.openxmlformats-officedocument'
  return has('word/')
    ? { candidates: [`${office}.wordprocessingml.document`] }
    : { candidates: [`${office}.spreadsheetml.sheet`] }
}

/** Names of the streams of a compound file that identify its type (MS-CFB 2.6: entries of 128 bytes, names in UTF-16). */
function createStreamNames() {
  const seen = new Set<string>()
  const entry_bytes = 128
  let rest = Buffer.alloc(0)
  return {
    update(chunk: Buffer): void {
      const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
      const complete_bytes = bytes.length - (bytes.length % entry_bytes)
      // header and sectors have 512 or 4096 bytes, so entries are at multiples of their length
      for (let at = 0; at < complete_bytes; at += entry_bytes) {
        const length = bytes.readUInt16LE(at + 64)
        if (length < 4 || length > 64 || length % 2 === 1) continue
        const name = bytes.toString('utf16le', at, at + length - 2)
        if (name in compoundStreams) seen.add(name)
      }
      rest = Buffer.from(bytes.subarray(complete_bytes))
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
  // when one embeds the other, the name decides
  const candidates = [...new Set([...seen].flatMap((name) => compoundStreams[name] ?? []))]
  if (candidates.length > 0) return { candidates }
  return {
    refused: `The content is a compound file, but not a Word document or an Excel workbook. ${allowedTypes}`,
  }
}

/** Detects whether a stream is text. `markup`: text that a browser would render. */
interface TextCheck {
  update(chunk: Uint8Array): void
  result(): 'text' | 'markup' | 'binary'
}

const text_head_bytes = 4096

/**
 * Text is UTF-8 or Windows-1252 without control characters other than tab, line feed, form feed and carriage return. In
 * Windows-1252, every byte from 0x20 on is accepted.
 */
function createTextCheck(): TextCheck {
  let plain = true
  let head = ''
  return {
    update(chunk) {
      if (!plain) return
      plain = !chunk.some((byte) => byte < 0x20 && byte !== 9 && byte !== 10 && byte !== 12 && byte !== 13)
      if (head.length < text_head_bytes)
        head += Buffer.from(chunk.subarray(0, text_head_bytes - head.length)).toString('latin1')
    },
    result() {
      if (!plain) return 'binary'
      return markup.test(head) ? 'markup' : 'text'
    },
  }
}

/** What browsers detect as HTML (WHATWG MIME Sniffing, 7.1), XML, and HTML that begins with something else. */
const markup =
  /^(?:\xef\xbb\xbf)?\s*<(?:[!?/]|(?:html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p|svg|meta|link|base|form|img|object|embed)\b)|<!doctype\s+html|<(?:html|script)[\s>]/i

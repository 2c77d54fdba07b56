import path from 'node:path'
import { createGunzip } from 'node:zlib'
import { FileRefused } from '../../../platform/file-text.ts'
import type { ZipEntry } from '../../../platform/zip.ts'
import type { Format } from './format.ts'
import { IMPORT } from './limits.ts'
import { otherFile } from './table.ts'
import { readBytes, fileOnDisk, type Source } from './source.ts'
import { decompressed, filesInZip, unzipped } from './zip.ts'

/** An unpacked source file, open only while it is read. */
export interface Input {
  /** Throws FileRefused if it cannot be unpacked. Read it once. */
  bytes: AsyncIterable<Buffer>
  /** Name of the file, without folders. */
  name: string
  /** It is one of the files in a zip archive. */
  in_archive: boolean
  /** Share of the whole file that has been read, 0 to 1. */
  fractionRead(): number
}

/** Limits for the unpacked size of a file. */
export type UnpackLimits = Pick<typeof IMPORT, 'unpacked_bytes_max' | 'unpacked_ratio_max' | 'ratio_checked_from_bytes'>

const GZIP = Buffer.from('1f8b', 'hex')
const ZIP = Buffer.from('504b0304', 'hex')
const UNPACK_BYTES = 1 << 18

/** Which files to take from an archive. */
export type FileSelection = Pick<Format, 'extensions' | 'files'>

/** Files in archives that aren't data. */
const METADATA_FILE = /(^|\/)(__macosx\/|summary\/|\._|readme|licen[cs]e)/i

/**
 * Opens a plain, gzip, or zip file, detected by its signature. Returns every selected file of an archive in order, because
 * national data comes in several files. Throws FileRefused if there is none, or the file is empty.
 */
export async function openInputs(
  input: string | Source,
  selection: FileSelection,
  limits: { [K in keyof UnpackLimits]: number } = IMPORT,
): Promise<Input[]> {
  const file = typeof input === 'string' ? await fileOnDisk(input) : input
  if (file.bytes === 0) throw new FileRefused('The file is empty.')
  const start = await readBytes(file, 0, Math.min(ZIP.length, file.bytes))
  if (start.equals(ZIP)) return await fromZip(file, selection, limits)
  const packed = { read: 0 }
  const plain = counted(packed, async () => await file.read())
  const gzip = start.subarray(0, GZIP.length).equals(GZIP)
  const bytes = gzip
    ? limited({ read: 0 }, decompressed(createGunzip({ chunkSize: UNPACK_BYTES }), plain, 'The file'), packed, limits)
    : plain
  const name = gzip ? file.name.replace(/\.gz$/i, '') : file.name
  return [{ bytes, name, in_archive: false, fractionRead: () => Math.min(1, packed.read / file.bytes) }]
}

async function fromZip(
  file: Source,
  selection: FileSelection,
  limits: { [K in keyof UnpackLimits]: number },
): Promise<Input[]> {
  const files = await filesInZip(file)
  const entries = selectFiles(files, selection)
  if (entries.length === 0)
    throw new FileRefused(
      otherFile(
        file.name,
        files.map(({ name }) => name),
      ) ??
        `The zip archive has no file ending in ${selection.extensions.join(' or ')}. Is it an archive of this format?`,
    )
  const size = entries.reduce((sum, entry) => sum + entry.size, 0)
  const packed = { read: 0 }
  const unpacked = { read: 0 }
  const fractionRead = () => Math.min(1, unpacked.read / Math.max(1, size))
  return entries.map((entry) => {
    const open = () => {
      packed.read += entry.packed_size
      return Promise.resolve(unzipped(file, entry))
    }
    const bytes = limited(unpacked, counted({ read: 0 }, open), packed, limits)
    return { bytes, name: path.posix.basename(entry.name), in_archive: true, fractionRead }
  })
}

/** Files with the first extension that any file has; if the format has a name pattern, only those that match, if any. */
function selectFiles(entries: readonly ZipEntry[], { extensions, files }: FileSelection): ZipEntry[] {
  const data = entries.filter(({ name }) => !METADATA_FILE.test(name))
  for (const extension of extensions) {
    const ending = data.filter(({ name }) => name.toLowerCase().endsWith(extension))
    const matching = ending.filter(({ name }) => files?.test(path.posix.basename(name)))
    if (ending.length > 0) return matching.length > 0 ? matching : ending
  }
  return []
}

async function* counted(count: { read: number }, open: () => Promise<AsyncIterable<Buffer>>): AsyncGenerator<Buffer> {
  for await (const chunk of await open()) {
    count.read += chunk.length
    yield chunk
  }
}

/** Refuses decompression bombs: files that unpack to far more than any street data. Counts in `unpacked`. */
async function* limited(
  unpacked: { read: number },
  bytes: AsyncIterable<Buffer>,
  packed: Readonly<{ read: number }>,
  limits: { [K in keyof UnpackLimits]: number },
): AsyncGenerator<Buffer> {
  for await (const chunk of bytes) {
    unpacked.read += chunk.length
    if (unpacked.read > limits.unpacked_bytes_max)
      throw new FileRefused(`The file unpacks to more than ${limits.unpacked_bytes_max} bytes. Send it in parts.`)
    if (unpacked.read > limits.ratio_checked_from_bytes && unpacked.read > packed.read * limits.unpacked_ratio_max)
      throw new FileRefused(
        `The file unpacks to more than ${limits.unpacked_ratio_max} times its size, as no street data does. Send it unpacked.`,
      )
    yield chunk
  }
}

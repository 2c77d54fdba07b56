import path from 'node:path'
import { createGunzip } from 'node:zlib'
import { FileRefused } from '../../../platform/file-text.ts'
import type { ZipEntry } from '../../../platform/zip.ts'
import type { Format } from './format.ts'
import { IMPORT } from './limits.ts'
import { bytesOf, fileOnDisk, type Source } from './source.ts'
import { decompressed, filesInZip, unzipped } from './zip.ts'

/** A source file, unpacked. Nothing is open but while it is read. */
export interface Input {
  /** Throws FileRefused for what cannot be unpacked. To be read once. */
  bytes: AsyncIterable<Buffer>
  /** Of the file inside, without its folders. */
  name: string
  /** How much has been read of all that is in the file, 0 to 1. */
  share(): number
}

/** How far a file may unpack. */
export type UnpackLimits = Pick<
  typeof IMPORT,
  'unpacked_bytes_max' | 'unpacked_per_packed_max' | 'unpacked_unjudged_bytes'
>

const GZIP = Buffer.from('1f8b', 'hex')
const ZIP = Buffer.from('504b0304', 'hex')
const UNPACK_BYTES = 1 << 18

/** What of an archive is wanted. */
export type Wanted = Pick<Format, 'extensions' | 'files'>

/** What archives hold beside their data. */
const BESIDE = /(^|\/)(__macosx\/|summary\/|\._|readme|licen[cs]e)/i

/**
 * Opens a file that may be packed: plain, gzip, or a zip archive, told by its first bytes. Of an archive every file is
 * taken that is wanted, in their order: data of a country comes in parts. Throws FileRefused when there is none, or the
 * file is empty.
 */
export async function openInputs(
  given: string | Source,
  wanted: Wanted,
  limits: { [K in keyof UnpackLimits]: number } = IMPORT,
): Promise<Input[]> {
  const file = typeof given === 'string' ? await fileOnDisk(given) : given
  if (file.bytes === 0) throw new FileRefused('The file is empty.')
  const start = await bytesOf(file, 0, Math.min(ZIP.length, file.bytes))
  if (start.equals(ZIP)) return await fromZip(file, wanted, limits)
  const packed = { read: 0 }
  const plain = counted(packed, async () => await file.read())
  const gzip = start.subarray(0, GZIP.length).equals(GZIP)
  const bytes = gzip
    ? bounded({ read: 0 }, decompressed(createGunzip({ chunkSize: UNPACK_BYTES }), plain, 'The file'), packed, limits)
    : plain
  const name = gzip ? file.name.replace(/\.gz$/i, '') : file.name
  return [{ bytes, name, share: () => Math.min(1, packed.read / file.bytes) }]
}

async function fromZip(file: Source, wanted: Wanted, limits: { [K in keyof UnpackLimits]: number }): Promise<Input[]> {
  const entries = chosen(await filesInZip(file), wanted)
  if (entries.length === 0)
    throw new FileRefused(
      `The zip archive has no file ending in ${wanted.extensions.join(' or ')}. Is it the archive of this format?`,
    )
  const size = entries.reduce((sum, entry) => sum + entry.size, 0)
  const packed = { read: 0 }
  const unpacked = { read: 0 }
  const share = () => Math.min(1, unpacked.read / Math.max(1, size))
  return entries.map((entry) => {
    const open = () => {
      packed.read += entry.packed_size
      return Promise.resolve(unzipped(file, entry))
    }
    const bytes = bounded(unpacked, counted({ read: 0 }, open), packed, limits)
    return { bytes, name: path.posix.basename(entry.name), share }
  })
}

/** Those with the first of the endings that any has, and of them, where the format knows its files by name, those. */
function chosen(entries: readonly ZipEntry[], { extensions, files }: Wanted): ZipEntry[] {
  const data = entries.filter(({ name }) => !BESIDE.test(name))
  for (const extension of extensions) {
    const ending = data.filter(({ name }) => name.toLowerCase().endsWith(extension))
    const known = ending.filter(({ name }) => files?.test(path.posix.basename(name)))
    if (ending.length > 0) return known.length > 0 ? known : ending
  }
  return []
}

async function* counted(count: { read: number }, open: () => Promise<AsyncIterable<Buffer>>): AsyncGenerator<Buffer> {
  for await (const chunk of await open()) {
    count.read += chunk.length
    yield chunk
  }
}

/** Ends a file that unpacks to far more than any street data does: it was made to fill a disk. Counts in `unpacked`. */
async function* bounded(
  unpacked: { read: number },
  bytes: AsyncIterable<Buffer>,
  packed: Readonly<{ read: number }>,
  limits: { [K in keyof UnpackLimits]: number },
): AsyncGenerator<Buffer> {
  for await (const chunk of bytes) {
    unpacked.read += chunk.length
    if (unpacked.read > limits.unpacked_bytes_max)
      throw new FileRefused(`The file unpacks to more than ${limits.unpacked_bytes_max} bytes. Send it in parts.`)
    if (unpacked.read > limits.unpacked_unjudged_bytes && unpacked.read > packed.read * limits.unpacked_per_packed_max)
      throw new FileRefused(
        `The file unpacks to more than ${limits.unpacked_per_packed_max} times its size, as no street data does. Send it unpacked.`,
      )
    yield chunk
  }
}

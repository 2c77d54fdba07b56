import path from 'node:path'
import { createGunzip } from 'node:zlib'
import { FileRefused } from '../file-text.ts'
import { IMPORT } from './limits.ts'
import { bytesOf, fileOnDisk, type Source } from './source.ts'
import { unpackedBy, zipEntries, zipEntryBytes } from './zip.ts'

/** A source file, unpacked. Nothing is open but while it is read. */
export interface Input {
  /** Throws FileRefused for what cannot be unpacked. To be read once. */
  bytes: AsyncIterable<Buffer>
  /** Of the file inside, without its folders. */
  name: string
  /** How much of it has been read, 0 to 1. */
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

/**
 * Opens a file that may be packed: plain, gzip, or a zip archive, told by its first bytes. Of an archive the first entry
 * with one of the extensions is taken. Throws FileRefused when there is none, or the file is empty.
 */
export async function openInput(
  given: string | Source,
  extensions: readonly string[],
  limits: { [K in keyof UnpackLimits]: number } = IMPORT,
): Promise<Input> {
  const file = typeof given === 'string' ? await fileOnDisk(given) : given
  if (file.bytes === 0) throw new FileRefused('The file is empty.')
  const start = await bytesOf(file, 0, Math.min(ZIP.length, file.bytes))
  if (start.equals(ZIP)) return await fromZip(file, extensions, limits)
  const packed = { read: 0 }
  const plain = counted(packed, async () => await file.read())
  const gzip = start.subarray(0, GZIP.length).equals(GZIP)
  return {
    bytes: gzip
      ? bounded(unpackedBy(createGunzip({ chunkSize: UNPACK_BYTES }), plain, 'The file'), () => packed.read, limits)
      : plain,
    name: gzip ? file.name.replace(/\.gz$/i, '') : file.name,
    share: () => Math.min(1, packed.read / file.bytes),
  }
}

async function fromZip(
  file: Source,
  extensions: readonly string[],
  limits: { [K in keyof UnpackLimits]: number },
): Promise<Input> {
  const entries = await zipEntries(file)
  const entry = entries.find(({ name }) => extensions.some((extension) => name.toLowerCase().endsWith(extension)))
  if (!entry)
    throw new FileRefused(
      `The zip archive has no file ending in ${extensions.join(' or ')}. Is it the archive of this format?`,
    )
  const unpacked = { read: 0 }
  const bytes = counted(unpacked, () => Promise.resolve(zipEntryBytes(file, entry)))
  return {
    bytes: bounded(bytes, () => entry.packed_size, limits),
    name: path.posix.basename(entry.name),
    share: () => Math.min(1, unpacked.read / Math.max(1, entry.size)),
  }
}

async function* counted(count: { read: number }, open: () => Promise<AsyncIterable<Buffer>>): AsyncGenerator<Buffer> {
  for await (const chunk of await open()) {
    count.read += chunk.length
    yield chunk
  }
}

/** Ends a file that unpacks to far more than any street data does: it was made to fill a disk. */
async function* bounded(
  bytes: AsyncIterable<Buffer>,
  packed: () => number,
  limits: { [K in keyof UnpackLimits]: number },
): AsyncGenerator<Buffer> {
  let unpacked = 0
  for await (const chunk of bytes) {
    unpacked += chunk.length
    if (unpacked > limits.unpacked_bytes_max)
      throw new FileRefused(`The file unpacks to more than ${limits.unpacked_bytes_max} bytes. Send it in parts.`)
    if (unpacked > limits.unpacked_unjudged_bytes && unpacked > packed() * limits.unpacked_per_packed_max)
      throw new FileRefused(
        `The file unpacks to more than ${limits.unpacked_per_packed_max} times its size, as no street data does. Send it unpacked.`,
      )
    yield chunk
  }
}

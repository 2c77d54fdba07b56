import { open, type FileHandle } from 'node:fs/promises'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { openZipEntry, zipEntries } from './zip.ts'

/** An opened source file, unpacked. */
export interface Input {
  stream: Readable
  /** Of the file inside, without its folders. */
  name: string
  /** Bytes of the file as it lies on disk, and how many of them have been read. */
  size: number
  read(): number
  close(): Promise<void>
}

/**
 * Opens a file that may be packed: plain, `.gz`, or a zip archive, told by its first bytes. Of an archive the first entry
 * with one of the extensions is taken. Throws when there is none.
 */
export async function openInput(file: string, extensions: readonly string[]): Promise<Input> {
  const handle = await open(file, 'r')
  try {
    const { size } = await handle.stat()
    const start = Buffer.alloc(4)
    await handle.read(start, 0, 4, 0)
    if (start.readUInt32BE(0) === 0x504b0304) return await fromZip(handle, size, extensions)
    const plain = handle.createReadStream({ start: 0, autoClose: false, highWaterMark: 1 << 18 })
    const base = path.basename(file)
    const close = async () => {
      plain.destroy()
      await handle.close()
    }
    const gzip = start.readUInt16BE(0) === 0x1f8b
    const stream = held(gzip ? unpacked(plain) : plain)
    return { stream, name: gzip ? base.replace(/\.gz$/i, '') : base, size, read: () => plain.bytesRead, close }
  } catch (error) {
    await handle.close()
    throw error
  }
}

/** A stream that fails before anybody reads it keeps its failure for the reader. */
function held(stream: Readable): Readable {
  return stream.on('error', () => undefined)
}

function unpacked(plain: Readable): Readable {
  const gunzip = createGunzip({ chunkSize: 1 << 18 })
  plain.on('error', (error) => gunzip.destroy(error))
  return plain.pipe(gunzip)
}

async function fromZip(handle: FileHandle, size: number, extensions: readonly string[]): Promise<Input> {
  const entries = await zipEntries(handle)
  const entry = entries.find(({ name }) => extensions.some((extension) => name.toLowerCase().endsWith(extension)))
  if (!entry) throw new Error(`The zip archive has no file ending in ${extensions.join(' or ')}.`)
  const stream = held(await openZipEntry(handle, entry))
  let read = 0
  stream.on('data', (chunk: Buffer) => {
    read += chunk.length
  })
  stream.pause()
  const close = async () => {
    stream.destroy()
    await handle.close()
  }
  const share = () => Math.round((read / Math.max(1, entry.size)) * size)
  return { stream, name: path.posix.basename(entry.name), size, read: share, close }
}

import { createHash, type Hash } from 'node:crypto'
import { open, rename, type FileHandle } from 'node:fs/promises'
import type { DemarcClient } from '../client/index.ts'
import { exportSource } from '../client/downloads.ts'
import {
  ChecksumError,
  verifiedBytes,
  type Begun,
  type DownloadOptions,
  type FileSource,
} from '../client/verified-bytes.ts'

/** The Node-only part: downloads to files. */

/** A downloaded and verified file. */
export interface DownloadedFile {
  path: string
  sha256: string
  bytes: number
  /** Bytes kept from an earlier, interrupted download. */
  resumed_from: number
}

/**
 * Downloads an export's file to `path`. Until its SHA-256 digest is verified, the data is in `path.part`, which stays after an
 * interruption: the next call resumes it, even in another process. Throws what `downloadExport` throws, and file system errors
 * such as ENOSPC.
 */
export async function downloadExportToFile(
  client: Pick<DemarcClient, 'getCdrExport' | 'getCdrExportFile'>,
  export_id: string,
  path: string,
  options: DownloadOptions = {},
): Promise<DownloadedFile> {
  const source = await exportSource(client, export_id, options)
  const part = `${path}.part`
  const resumed_from = await writePart(source, part, options)
  await rename(part, path)
  return { path, sha256: source.sha256, bytes: source.bytes, resumed_from }
}

/** Completes the part file, or discards one of another file. Returns how many bytes it already had. */
async function writePart(source: FileSource, part: string, options: DownloadOptions): Promise<number> {
  const file = await open(part, 'a+')
  try {
    const digest = createHash('sha256')
    const bytes = await readPart(file, digest, source.bytes)
    if (bytes > 0 && (await isRest(file, source, options, { bytes, digest }))) return bytes
    // there was no part file, or it belonged to another file
    await file.truncate(0)
    await writeRest(file, source, options, { bytes: 0, digest: createHash('sha256') })
    return 0
  } catch (error) {
    if (error instanceof ChecksumError) await file.truncate(0)
    throw error
  } finally {
    await file.close()
  }
}

/** Adds the digest of what is there; a part that is longer than the file is emptied. Returns its length. */
async function readPart(file: FileHandle, digest: Hash, longest: number): Promise<number> {
  const { size } = await file.stat()
  if (size > longest) await file.truncate(0)
  if (size === 0 || size > longest) return 0
  for await (const piece of file.createReadStream({ start: 0, autoClose: false })) digest.update(piece)
  return size
}

/** Writes the rest. False if what was there before does not belong to it. */
async function isRest(file: FileHandle, source: FileSource, options: DownloadOptions, begun: Begun): Promise<boolean> {
  try {
    await writeRest(file, source, options, begun)
    return true
  } catch (error) {
    if (error instanceof ChecksumError) return false
    throw error
  }
}

async function writeRest(file: FileHandle, source: FileSource, options: DownloadOptions, begun: Begun): Promise<void> {
  for await (const piece of verifiedBytes(source, options, begun)) await file.appendFile(piece)
  await file.sync()
}

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

/** What needs Node: downloads to files. */

/** A file that was downloaded and verified. */
export interface DownloadedFile {
  path: string
  sha256: string
  bytes: number
  /** Bytes that an earlier, interrupted download had left, and that were not sent again. */
  resumed_from: number
}

/**
 * Downloads the file of an export to `path`, by way of `path.part`, which stays where it was interrupted: called again, the
 * function goes on from there, also in another process. The file has its name only when its SHA-256 digest is right. Throws as
 * `downloadExport` does, and what the file system throws, such as ENOSPC.
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

/** Completes the part; what is left of another file is thrown away. Returns the bytes that were there. */
async function writePart(source: FileSource, part: string, options: DownloadOptions): Promise<number> {
  const file = await open(part, 'a+')
  try {
    const digest = createHash('sha256')
    const bytes = await readPart(file, digest, source.bytes)
    if (bytes > 0 && (await isRest(file, source, options, { bytes, digest }))) return bytes
    // there was no part, or it was of another file
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

import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { z } from 'zod'
import type { Db } from '../platform/db.ts'
import { FileNotFound } from '../platform/files/index.ts'
import { filesFrom } from '../platform/file-scrub.ts'
import type { BackupFolder } from './folder.ts'
import { line, readLines } from './lines.ts'
import { listedFile, type ListedFile, type Manifest, type StoredFile } from './manifest.ts'
import { namedFiles, type Stores } from './source.ts'

/** The files of a backup. One that an earlier backup has is not written again. */

/** A line of the files that rows named when the database was backed up. */
const namedFile = z.object({ sha256: z.string(), used_by: z.string() })

export interface CopiedFiles {
  count: number
  bytes: number
  /** Files that expired since. */
  removed: number
  list: StoredFile
  /** How many were not in an earlier backup, and the bytes that they take. */
  written: number
  written_bytes: number
  /** What is wrong with files that the backup lacks although rows name them. */
  damaged: string[]
}

/** Writes the files that a spool lists in the order of their digests. */
export async function copyFiles(
  stores: Pick<Stores, 'database' | 'files'>,
  folder: BackupFolder,
  { spool, previous }: { spool: string; previous: Manifest | null },
): Promise<CopiedFiles> {
  const copied = { count: 0, bytes: 0, removed: 0, written: 0, written_bytes: 0, damaged: [] as string[] }
  const known = previous ? knownFiles(folder, previous) : () => Promise.resolve(undefined)
  const list = await folder.add('files.ndjson.zst', Readable.from(lines()), { is_compressed: true, is_public: true })
  return { ...copied, list }

  async function* lines(): AsyncGenerator<Buffer> {
    for await (const { sha256, used_by } of readLines(createReadStream(spool), namedFile)) {
      const listed = await stored(sha256, used_by)
      if (listed === null) continue
      copied.count += 1
      copied.bytes += listed.bytes
      yield line(listed)
    }
  }

  async function stored(sha256: string, used_by: string): Promise<ListedFile | null> {
    const before = await known(sha256)
    if (before && (await folder.has(before.file))) return before
    try {
      const { file, content } = await folder.share('files', await stores.files.read(sha256))
      copied.written += 1
      copied.written_bytes += file.bytes
      if (content.sha256 === sha256) return { ...content, file }
      copied.damaged.push(`The file ${sha256} of ${used_by} is altered.`)
    } catch (error) {
      if (!(error instanceof FileNotFound)) throw error
      if (await isNamed(stores.database.db, sha256)) copied.damaged.push(`The file ${sha256} of ${used_by} is missing.`)
      else copied.removed += 1
    }
    return null
  }
}

async function isNamed(db: Db, sha256: string): Promise<boolean> {
  return (await filesFrom(db, namedFiles, sha256, 1)).some((file) => file.sha256 === sha256)
}

/** Reads the list of an earlier backup alongside: both are in the order of digests. */
function knownFiles(folder: BackupFolder, previous: Manifest) {
  let lines: AsyncGenerator<ListedFile> | undefined
  let next: ListedFile | undefined
  return async (sha256: string): Promise<ListedFile | undefined> => {
    lines ??= listFiles(folder, previous)
    while (next === undefined || next.sha256 < sha256) {
      const { done, value } = await lines.next()
      if (done) return undefined
      next = value
    }
    return next.sha256 === sha256 ? next : undefined
  }
}

/** The files of a backup in the order of their digests. */
export async function* listFiles(
  folder: Pick<BackupFolder, 'read'>,
  { files }: Pick<Manifest, 'files'>,
): AsyncGenerator<ListedFile> {
  yield* readLines(await folder.read(files.list, { is_compressed: true }), listedFile)
}

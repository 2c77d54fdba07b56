import { mkdir, open, readdir, rename, unlink } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import {
  checkRange,
  FileNotFound,
  isDigest,
  nameOf,
  type FileInfo,
  type FileStore,
  type StagedFile,
  type StageOptions,
  type StoredFile,
} from './file-store.ts'
import { infoOf, openStaging, putStaged, unlessMissing } from './staging.ts'

const READ_CHUNK_BYTES = 256 * 1024

/**
 * Opens a store in a folder, created if missing (0700, files 0600): `ab/cd/abcd…`, with unfinished files in `tmp/`. Any number
 * of processes may share it. Its methods throw RangeError for an invalid digest.
 */
export async function openLocalFiles(folder: string): Promise<FileStore> {
  const staging = await openStaging(join(folder, 'tmp'))
  const pathOf = (digest: string) => join(folder, nameOf(digest))
  const stage = async (source: Readable, options?: StageOptions): Promise<StagedFile> => {
    const { path, discard, digest, bytes } = await staging.write(source, options)
    let kept = false
    return {
      digest,
      bytes,
      async keep() {
        if (kept) return
        await moveIntoStore(folder, path, digest)
        kept = true
      },
      discard,
    }
  }
  return {
    stage,
    putStream: (source, options) => putStaged(stage(source, options)),
    async read(digest, range = {}) {
      checkRange(range)
      const { start = 0, end = Infinity } = range
      const file = await openExisting(pathOf(digest), digest)
      try {
        const until = Math.min(end, (await file.stat()).size)
        if (start < until) return file.createReadStream({ start, end: until - 1, highWaterMark: READ_CHUNK_BYTES })
      } catch (error) {
        await file.close()
        throw error
      }
      await file.close()
      return Readable.from([])
    },
    stat: async (digest) => infoOf(pathOf(digest)),
    remove: async (digest) =>
      unlessMissing(async () => {
        await unlink(pathOf(digest))
        return true
      }, false),
    list: () => walk(folder),
    sweepTemp: staging.sweep,
    locate: (digest) => `files/${nameOf(digest)}`,
  }
}

/**
 * Renames a draft to its digest, replacing an equal file. A rename survives a power failure only after the changed folders are
 * synced too.
 */
async function moveIntoStore(folder: string, draft: string, digest: string): Promise<void> {
  const file = join(folder, nameOf(digest))
  const inner = dirname(file)
  await mkdir(inner, { recursive: true, mode: 0o700 })
  await rename(draft, file)
  // All three, even if they existed: another process may have just made them and not synced yet.
  for (const changed of [inner, dirname(inner), folder]) await syncFolder(changed)
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

const isHexByte = (name: string) => /^[0-9a-f]{2}$/.test(name)

async function* walk(folder: string): AsyncGenerator<StoredFile & FileInfo> {
  for (const outer of await namesIn(folder, isHexByte)) {
    for (const inner of await namesIn(join(folder, outer), isHexByte)) {
      for (const digest of await namesIn(join(folder, outer, inner), isDigest)) {
        const facts = await infoOf(join(folder, outer, inner, digest))
        if (facts !== null) yield { digest, ...facts }
      }
    }
  }
}

async function openExisting(path: string, digest: string): Promise<FileHandle> {
  const file = await unlessMissing(() => open(path, 'r'), null)
  if (file === null) throw new FileNotFound(digest)
  return file
}

/** Matching names. Read in one call, not with a cursor: a leaf folder has 1/65536 of the files. */
async function namesIn(folder: string, matches: (name: string) => boolean): Promise<string[]> {
  const names = await unlessMissing(() => readdir(folder), [])
  return names.filter(matches)
}

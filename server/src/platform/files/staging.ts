import { createHash } from 'node:crypto'
import { mkdir, open, readdir, rm, stat } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { addAbortSignal, type Readable } from 'node:stream'
import { draftName, isAbandoned, isDraft } from './drafts.ts'
import {
  FileTooLarge,
  type FileInfo,
  type FileStore,
  type StagedFile,
  type StageOptions,
  type StoredFile,
} from './file-store.ts'

/** Unfinished files in the folder `tmp` of the data folder, from which each store takes complete ones. */

/** A file is synced each time this many bytes are written. */
const SYNC_BYTES = 16 * 1024 * 1024

/** A complete, synced file outside the store. */
export interface Draft extends StoredFile {
  path: string
  discard(): Promise<void>
}

/** Drafts in `temp`, created if missing (0700, files 0600). Any number of processes may share it. */
export async function openStaging(temp: string): Promise<{
  /** Writes a stream; nothing is left behind if this rejects. Throws like `FileStore.stage`. */
  write: (source: Readable, options?: StageOptions) => Promise<Draft>
  sweep: FileStore['sweepTemp']
}> {
  await mkdir(temp, { recursive: true, mode: 0o700 })
  return {
    async write(source, options = {}) {
      const path = join(temp, draftName())
      const discard = () => rm(path, { force: true })
      try {
        return { ...(await writeDraft(path, source, options)), path, discard }
      } catch (error) {
        await discard()
        throw error
      }
    },
    sweep: (older_than) => sweep(temp, older_than),
  }
}

/** Stages and keeps a file in one step. */
export const putStaged = async (staging: Promise<StagedFile>): Promise<StoredFile> => {
  const staged = await staging
  try {
    await staged.keep()
    return { digest: staged.digest, bytes: staged.bytes }
  } finally {
    await staged.discard()
  }
}

/** Writes and syncs the draft; the next chunk is hashed while one is written. Destroys the source on failure. */
async function writeDraft(draft: string, source: Readable, options: StageOptions): Promise<StoredFile> {
  const { max_bytes = Infinity, signal } = options
  const hash = createHash('sha256')
  const file = await openedFor(source, open(draft, 'wx', 0o600))
  try {
    if (signal !== undefined) addAbortSignal(signal, source)
    const sync = syncingAlongside(file)
    let bytes = 0
    let writing: Promise<void> | undefined
    for await (const piece of source as AsyncIterable<Uint8Array | string>) {
      const chunk = typeof piece === 'string' ? Buffer.from(piece, 'utf8') : piece
      bytes += chunk.length
      if (bytes > max_bytes) throw new FileTooLarge(max_bytes)
      hash.update(chunk)
      await writing
      sync.written(bytes - chunk.length)
      writing = file.writeFile(chunk)
      // an error is thrown where the write is awaited, unless another error ends the file first
      writing.catch(() => undefined)
    }
    await writing
    await sync.end()
    await file.sync()
    return { digest: hash.digest('hex'), bytes }
  } finally {
    // wait for a write in progress
    await file.close()
  }
}

async function openedFor(source: Readable, opening: Promise<FileHandle>): Promise<FileHandle> {
  try {
    return await opening
  } catch (error) {
    source.destroy()
    throw error
  }
}

/** Syncs a large file while it is being written, so that the final sync is short. */
function syncingAlongside(file: FileHandle): { written: (bytes: number) => void; end: () => Promise<void> } {
  let synced_bytes = 0
  let syncing: Promise<undefined> | undefined
  return {
    written: (bytes) => {
      if (syncing !== undefined || bytes - synced_bytes < SYNC_BYTES) return
      synced_bytes = bytes
      syncing = file.datasync().then(() => (syncing = undefined))
      // the system reports a failed write only once: keep it until the end, unless another error comes first
      syncing.catch(() => undefined)
    },
    end: async () => await syncing,
  }
}

async function sweep(temp: string, older_than: Date): Promise<number> {
  let swept = 0
  for (const name of (await unlessMissing(() => readdir(temp), [])).filter(isDraft)) {
    const path = join(temp, name)
    const facts = await infoOf(path)
    if (facts === null || (facts.written_at >= older_than && !isAbandoned(name))) continue
    await rm(path, { force: true })
    swept += 1
  }
  return swept
}

export async function infoOf(path: string): Promise<FileInfo | null> {
  const found = await unlessMissing(() => stat(path), null)
  return found === null ? null : { bytes: found.size, written_at: found.mtime }
}

export async function unlessMissing<T, M>(action: () => Promise<T>, missing: M): Promise<T | M> {
  try {
    return await action()
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return missing
    throw error
  }
}

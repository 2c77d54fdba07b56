import { createHash } from 'node:crypto'
import { mkdir, open, readdir, rename, rm, stat, unlink, utimes } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { addAbortSignal, Readable } from 'node:stream'
import { draftName, isAbandoned, isDraft } from './drafts.ts'

export interface StoredFile {
  /** SHA-256 of the content, 64 lower-case hex characters: the file's name. */
  digest: string
  bytes: number
}

/** A file that is complete and synced but not in the store yet. */
export interface StagedFile extends StoredFile {
  /** Moves it into the store, replacing an equal file and renewing `written_at`. Safe to call twice. */
  keep(): Promise<void>
  /** Deletes it unless it was kept. Always call it: an abandoned file would occupy the disk until the next sweep. */
  discard(): Promise<void>
}

export interface FileInfo {
  bytes: number
  /**
   * When these bytes were last stored, by this machine's wall clock. Compare it with the wall clock: the business clock may
   * have been moved by weeks, which would make a new file look like an old orphan.
   */
  written_at: Date
}

export interface FileStore {
  /**
   * Writes a stream to a synced file outside the store. The caller must keep or discard it; nothing is left behind if this
   * rejects. Throws FileTooLarge past `max_bytes`, the signal's reason when aborted, and the stream's own errors.
   */
  stage(source: Readable, options?: { max_bytes?: number; signal?: AbortSignal }): Promise<StagedFile>
  /** The same, and keeps it. Storing the same bytes again is harmless and renews `written_at`. */
  putStream(source: Readable, options?: { max_bytes?: number; signal?: AbortSignal }): Promise<StoredFile>
  /**
   * Opens a file from byte `start` (inclusive) to byte `end` (exclusive). Throws FileNotFound before the first byte, never
   * within the stream.
   */
  read(digest: string, range?: { start?: number; end?: number }): Promise<Readable>
  stat(digest: string): Promise<FileInfo | null>
  /**
   * Removes a file; false if it did not exist. With `written_before`, a file stored again since then stays: a sweep that
   * queried the database first would otherwise delete the file of a row that is being written.
   */
  remove(digest: string, options?: { written_before?: Date }): Promise<boolean>
  /** Every file, in no particular order. Files added or removed during iteration may or may not appear. */
  list(): AsyncGenerator<StoredFile & FileInfo>
  /**
   * Removes unfinished files of dead processes: immediately on this machine, elsewhere if last written before `older_than`
   * (wall clock). Returns how many.
   */
  sweepTemp(older_than: Date): Promise<number>
}

export class FileTooLarge extends Error {
  readonly max_bytes: number
  constructor(max_bytes: number) {
    super(`The file is larger than ${max_bytes} bytes.`)
    this.name = 'FileTooLarge'
    this.max_bytes = max_bytes
  }
}

export class FileNotFound extends Error {
  constructor(digest: string) {
    super(`There is no file ${digest}.`)
    this.name = 'FileNotFound'
  }
}

const READ_CHUNK_BYTES = 256 * 1024
/** A file is synced each time this many bytes are written. */
const SYNC_BYTES = 16 * 1024 * 1024

/**
 * Opens a content-addressed store in a folder, created if missing (0700, files 0600): `ab/cd/abcd…`, with unfinished files in
 * `tmp/`. Any number of processes may share it. Throws RangeError for any digest that is not 64 lower-case hex characters, so a
 * digest is never a path.
 */
export async function openFiles(folder: string): Promise<FileStore> {
  const temp = join(folder, 'tmp')
  await mkdir(temp, { recursive: true, mode: 0o700 })

  return {
    stage: (source, options = {}) => stageDraft(folder, join(temp, draftName()), source, options),
    async putStream(source, options = {}) {
      const staged = await stageDraft(folder, join(temp, draftName()), source, options)
      try {
        await staged.keep()
        return { digest: staged.digest, bytes: staged.bytes }
      } finally {
        await staged.discard()
      }
    },
    async read(digest, range = {}) {
      const { start = 0, end } = range
      if (!isOffset(start) || (end !== undefined && !isOffset(end)))
        throw new RangeError('A range is made of whole bytes.')
      const file = await openExisting(pathOf(folder, digest), digest)
      try {
        const until = Math.min(end ?? Infinity, (await file.stat()).size)
        if (start < until) return file.createReadStream({ start, end: until - 1, highWaterMark: READ_CHUNK_BYTES })
      } catch (error) {
        await file.close()
        throw error
      }
      await file.close()
      return Readable.from([])
    },
    stat: async (digest) => infoOf(pathOf(folder, digest)),
    async remove(digest, options = {}) {
      const path = pathOf(folder, digest)
      if (options.written_before !== undefined) {
        const facts = await infoOf(path)
        if (facts === null || facts.written_at >= options.written_before) return false
      }
      return unlessMissing(async () => {
        await unlink(path)
        return true
      }, false)
    },
    list: () => walk(folder),
    sweepTemp: (older_than) => sweep(temp, older_than),
  }
}

async function stageDraft(
  folder: string,
  draft: string,
  source: Readable,
  options: { max_bytes?: number; signal?: AbortSignal },
): Promise<StagedFile> {
  const discard = () => rm(draft, { force: true })
  try {
    const stored = await writeDraft(draft, source, options)
    let kept = false
    return {
      ...stored,
      async keep() {
        if (kept) return
        await moveIntoStore(folder, draft, stored.digest)
        kept = true
      },
      discard,
    }
  } catch (error) {
    await discard()
    throw error
  }
}

/** Writes and syncs the draft; the next chunk is hashed while one is written. Destroys the source on failure. */
async function writeDraft(
  draft: string,
  source: Readable,
  options: { max_bytes?: number; signal?: AbortSignal },
): Promise<StoredFile> {
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
      // an error is thrown where the write is awaited, unless another ends the file before
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

/**
 * Renames a draft to its digest, deliberately replacing an equal file: the new one has a fresh modification time, so no sweep
 * removes it. A rename survives a power failure only after the changed folders are synced too.
 */
async function moveIntoStore(folder: string, draft: string, digest: string): Promise<void> {
  const outer = join(folder, digest.slice(0, 2))
  const inner = join(outer, digest.slice(2, 4))
  await mkdir(inner, { recursive: true, mode: 0o700 })
  const now = new Date()
  await utimes(draft, now, now)
  await rename(draft, join(inner, digest))
  // All three, even if they existed: another process may have just made them and not synced yet.
  for (const changed of [inner, outer, folder]) await syncFolder(changed)
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

async function* walk(folder: string): AsyncGenerator<StoredFile & FileInfo> {
  for (const outer of await namesIn(folder, /^[0-9a-f]{2}$/)) {
    for (const inner of await namesIn(join(folder, outer), /^[0-9a-f]{2}$/)) {
      for (const digest of await namesIn(join(folder, outer, inner), DIGEST)) {
        const facts = await infoOf(join(folder, outer, inner, digest))
        if (facts !== null) yield { digest, ...facts }
      }
    }
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

const DIGEST = /^[0-9a-f]{64}$/

function pathOf(folder: string, digest: string): string {
  // The message does not quote the argument, which may be anything.
  if (!DIGEST.test(digest)) throw new RangeError('A file is named by its SHA-256 digest, 64 lower-case hex characters.')
  return join(folder, digest.slice(0, 2), digest.slice(2, 4), digest)
}

async function openExisting(path: string, digest: string): Promise<FileHandle> {
  const file = await unlessMissing(() => open(path, 'r'), null)
  if (file === null) throw new FileNotFound(digest)
  return file
}

async function infoOf(path: string): Promise<FileInfo | null> {
  const found = await unlessMissing(() => stat(path), null)
  return found === null ? null : { bytes: found.size, written_at: found.mtime }
}

/** Names that match the pattern. Read in one call, not with a cursor: a leaf folder has 1/65536 of the files. */
async function namesIn(folder: string, pattern: RegExp): Promise<string[]> {
  const names = await unlessMissing(() => readdir(folder), [])
  return names.filter((name) => pattern.test(name))
}

async function unlessMissing<T, M>(action: () => Promise<T>, missing: M): Promise<T | M> {
  try {
    return await action()
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return missing
    throw error
  }
}

function isOffset(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0
}

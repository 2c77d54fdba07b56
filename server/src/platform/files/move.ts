import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { DependencyUnavailable } from '../unavailable.ts'
import { FileNotFound, type FileStore, type StoredFile } from './file-store.ts'
import type { MoveJournal, Moved } from './move-journal.ts'
import { FileStoreRefused } from './s3-errors.ts'

/** Copies all files from one store to the other and compares them, while the service reads and writes. */

/** Files copied at a time, because a small one mostly waits for the store. */
const files_at_once = 4
/** Attempts per file while a store is unavailable. */
const attempts_max = 6
/** Doubled after each attempt. */
const pause_ms = 500

/** The move stopped at a file. The message names the file, and what to do. */
export class MoveStopped extends Error {
  override name = 'MoveStopped'
}

/**
 * Copies each file that the journal does not have, reads the copy back, compares it with the digest, and records it. The
 * originals stay. Continues where an earlier run stopped. Throws MoveStopped at the first error that waiting does not fix, and
 * for files that appear in the source afterward: then a process that still writes there is running.
 */
export async function moveFiles(
  { from, to, journal }: { from: FileStore; to: FileStore; journal: MoveJournal },
  onMoved: (moved: Moved) => void,
): Promise<Moved> {
  const files = missingFrom(journal, from)
  const moved = await journal.moved()
  const copying = Array.from({ length: files_at_once }, async () => {
    for await (const file of files) {
      if (!(await copied(from, to, file))) continue
      await journal.record(file)
      moved.files += 1
      moved.bytes += file.bytes
      onMoved(moved)
    }
  })
  // a failure ends the iteration for all; wait for the files in progress
  for (const end of await Promise.allSettled(copying)) if (end.status === 'rejected') throw end.reason
  for await (const { digest } of missingFrom(journal, from))
    if ((await from.stat(digest)) !== null)
      throw new MoveStopped(
        `${from.locate(digest)} was stored during the move. Restart every process with the new settings, then run this again.`,
      )
  return moved
}

async function* missingFrom(journal: MoveJournal, store: FileStore): AsyncGenerator<StoredFile> {
  for await (const file of store.list()) if (!(await journal.has(file.digest))) yield file
}

/** Copies a file, after several attempts if need be. False if it was removed meanwhile. */
async function copied(from: FileStore, to: FileStore, file: StoredFile): Promise<boolean> {
  for (let attempt = 1; ; attempt++) {
    try {
      await copy(from, to, file)
      return true
    } catch (error) {
      if (error instanceof FileNotFound && (await from.stat(file.digest)) === null) return false
      const is_transient = error instanceof DependencyUnavailable && !(error instanceof FileStoreRefused)
      if (!is_transient || attempt >= attempts_max) throw stopped(error, from.locate(file.digest))
    }
    await sleep(pause_ms * 2 ** (attempt - 1))
  }
}

/** A copy of an earlier run that was killed before it was recorded is only compared. */
async function copy(from: FileStore, to: FileStore, { digest, bytes }: StoredFile): Promise<void> {
  if ((await to.stat(digest))?.bytes === bytes && (await digestIn(to, digest)) === digest) return
  const stored = await to.putStream(await from.read(digest))
  if (stored.digest !== digest)
    throw new MoveStopped(
      `${from.locate(digest)} is damaged. Restore it from a backup; if there is none, remove it, and downloads respond that it is missing. Then run this again.`,
    )
  if ((await digestIn(to, digest)) !== digest)
    throw new MoveStopped(
      `${to.locate(digest)} differs from what was stored there. Check the store, then run this again.`,
    )
}

async function digestIn(store: FileStore, digest: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of await store.read(digest)) hash.update(chunk as Buffer)
  return hash.digest('hex')
}

function stopped(error: unknown, file: string): unknown {
  if (error instanceof MoveStopped) return error
  const { message, cause } = error instanceof Error ? error : { message: String(error), cause: undefined }
  const why = cause instanceof Error ? ` (${cause.name}: ${cause.message})` : ''
  return new MoveStopped(`${file} was not copied: ${message}${why} Run this again to continue.`, { cause: error })
}

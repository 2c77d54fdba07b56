import type { Readable } from 'node:stream'

/** Files by the SHA-256 of their content: the interface that a local folder (`local.ts`) and S3 (`s3.ts`) implement. */

export interface StoredFile {
  /** SHA-256 of the content, 64 lower-case hex characters: the file's name. */
  digest: string
  bytes: number
}

/** A file that is complete and synced, but may not be in the store yet. */
export interface StagedFile extends StoredFile {
  /**
   * Ensures that the file is in the store and that its time is recent, replacing an equal file. Call it under the lock of its
   * digest (`file-references.ts`). Safe to call twice.
   */
  keep(): Promise<void>
  /** Deletes what was staged. Always call it: an abandoned file would occupy the disk until the next sweep. */
  discard(): Promise<void>
}

export interface FileInfo {
  bytes: number
  /** By the store's clock: this machine's, or that of the S3 server. */
  written_at: Date
}

/** Limits of a file that is being received. */
export interface StageOptions {
  max_bytes?: number
  signal?: AbortSignal
}

/** Every method throws DependencyUnavailable while the store cannot be reached or refuses to work. */
export interface FileStore {
  /**
   * Writes a stream to a synced local file and prepares it, so that `keep` is short enough for a transaction. A store with slow
   * writes uploads it now; until `keep`, the file may or may not be in the store. The caller must keep or discard it. Throws
   * FileTooLarge past `max_bytes`, the signal's reason when aborted, and the stream's own errors.
   */
  stage(source: Readable, options?: StageOptions): Promise<StagedFile>
  /** The same, and keeps it. Storing the same bytes again is harmless. */
  putStream(source: Readable, options?: StageOptions): Promise<StoredFile>
  /**
   * Opens a file from byte `start` (inclusive) to byte `end` (exclusive). Throws FileNotFound before the first byte, never
   * within the stream.
   */
  read(digest: string, range?: ByteRange): Promise<Readable>
  stat(digest: string): Promise<FileInfo | null>
  /**
   * Removes a file. Call it under the lock of its digest. False if the file did not exist, or if the store cannot tell it from
   * one that another process is about to keep: it is then old enough a day later.
   */
  remove(digest: string): Promise<boolean>
  /** Every file, in no particular order. Files added or removed during iteration may or may not appear. */
  list(): AsyncGenerator<StoredFile & FileInfo>
  /**
   * Removes unfinished files of dead processes: immediately on this machine, elsewhere if last written before `older_than`
   * (wall clock). Returns how many.
   */
  sweepTemp(older_than: Date): Promise<number>
  /** Where an operator finds the file, or restores it to: a path below the data folder, or an object's URL. */
  locate(digest: string): string
}

/** Bytes from `start` (inclusive) to `end` (exclusive). */
export interface ByteRange {
  start?: number
  end?: number
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

const DIGEST = /^[0-9a-f]{64}$/

/**
 * A file's path below its folder or prefix, `ab/cd/abcd…`, the same in every store so that files can be copied between them by
 * any tool. Throws RangeError for any digest that is not 64 lower-case hex characters, so a digest is never a path.
 */
export function nameOf(digest: string): string {
  // The message does not quote the argument, which may be anything.
  if (!isDigest(digest)) throw new RangeError('A file is named by its SHA-256 digest, 64 lower-case hex characters.')
  return `${digest.slice(0, 2)}/${digest.slice(2, 4)}/${digest}`
}

export const isDigest = (text: string): boolean => DIGEST.test(text)

/** Throws RangeError unless start and end are whole, non-negative numbers. */
export function checkRange({ start = 0, end = 0 }: ByteRange): void {
  for (const value of [start, end])
    if (!Number.isSafeInteger(value) || value < 0) throw new RangeError('A range is made of whole bytes.')
}

import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { isAlerted, raiseAlert, resolveAlert } from './alerts.ts'
import { systemActor } from './actor.ts'
import type { Deps } from './context.ts'
import { inTransaction } from './db.ts'
import { FileNotFound, type FileInfo, type FileStore } from './files/index.ts'
import { problem } from './problem.ts'
import type { NamedFile } from './rows.ts'

/**
 * Reads of stored files that compare the bytes with the file's digest, above whatever store holds them.
 *
 * - A small file is read and compared before its first byte is sent.
 * - A large file is hashed while it is sent. Its last chunk is withheld until the digest matches, so a recipient never has all
 *   bytes of an altered file: its connection is aborted.
 * - Part of a large file cannot be compared with the digest of the whole. The whole file is compared first; the result holds for
 *   this process until the file's time or size changes, at most for an hour, because decay changes neither.
 *
 * A file that does not match is logged and raises an alert. While the alert is open, the whole file is compared before its first
 * byte, so that a request for a damaged file gets an error response, and one for a restored file gets the file.
 */

export type Damage = 'missing' | 'truncated' | 'altered' | 'unreadable'

/** The stored file is not the one that its row names. */
export class FileDamaged extends Error {
  readonly damage: Damage
  constructor(sha256: string, damage: Damage, options?: ErrorOptions) {
    super(`The stored file ${sha256} is ${damage}.`, options)
    this.name = 'FileDamaged'
    this.damage = damage
  }
}

const small_bytes = 1024 * 1024
/** How long a comparison holds for later reads of parts of the file. */
const trusted_ms = 3_600_000
const trusted_max = 1000

type FileDeps = Pick<Deps, 'db' | 'files' | 'log' | 'clock'>
type Range = { start: number; end: number }

/**
 * Opens a file, or a range of it, for sending. Throws 410 if it is damaged. `expired` is asked when the file is missing: it
 * returns the error of a file that no row needs anymore, or null.
 */
export async function readVerified(
  deps: FileDeps,
  file: NamedFile & { bytes: number },
  range: Range = { start: 0, end: file.bytes },
  expired: () => Promise<Error | null> = () => Promise.resolve(null),
): Promise<Readable> {
  try {
    return await openVerified(deps, file, range)
  } catch (error) {
    if (!(error instanceof FileDamaged)) throw error
    const gone = error.damage === 'missing' ? await expired() : null
    if (gone) throw gone
    await reportDamage(deps, file, error)
    throw damagedProblem(file, error)
  }
}

async function openVerified(
  deps: FileDeps,
  file: NamedFile & { bytes: number },
  { start, end }: Range,
): Promise<Readable> {
  const { files } = deps
  const info = await inspect(files, file)
  if (file.bytes <= small_bytes) {
    const content = await readWhole(files, file)
    await settle(deps, file)
    return end > start ? Readable.from([content.subarray(start, end)], { objectMode: false }) : Readable.from([])
  }
  const is_whole = start === 0 && end === file.bytes
  const is_alerted = await isAlerted(deps.db, 'file-damaged', file.sha256)
  if (is_whole && !is_alerted) return Readable.from(withheld(deps, file), { objectMode: false })
  await verifyOnce(files, file, info, is_alerted)
  if (is_alerted) await settle(deps, file)
  return await files.read(file.sha256, { start, end })
}

/** Compares a file with its digest before it is used. Logs and raises an alert before it throws FileDamaged. */
export async function verifyFile(deps: FileDeps, file: NamedFile, pace?: Pace): Promise<void> {
  try {
    await inspect(deps.files, file)
    await compare(deps.files, file, pace)
  } catch (error) {
    if (error instanceof FileDamaged) await reportDamage(deps, file, error)
    throw error
  }
}

/**
 * A whole file, for content that is used at once. Logs and raises an alert before it throws FileDamaged. Null for a missing file that is
 * needed no longer.
 */
export async function readCompared(
  deps: FileDeps,
  file: NamedFile,
  isNeeded: () => Promise<boolean>,
): Promise<Buffer | null> {
  try {
    await inspect(deps.files, file)
    const content = await readWhole(deps.files, file)
    await settle(deps, file)
    return content
  } catch (error) {
    if (error instanceof FileDamaged && error.damage === 'missing' && !(await isNeeded())) return null
    if (error instanceof FileDamaged) await reportDamage(deps, file, error)
    throw error
  }
}

/** Called after each chunk with its size, to limit the speed. */
export type Pace = (bytes: number) => Promise<void> | void

/** Throws FileDamaged for a file that is missing or has another size. */
async function inspect(files: FileStore, { sha256, bytes }: NamedFile): Promise<FileInfo> {
  const info = await files.stat(sha256)
  if (info === null) throw new FileDamaged(sha256, 'missing')
  if (bytes !== null && info.bytes !== bytes)
    throw new FileDamaged(sha256, info.bytes < bytes ? 'truncated' : 'altered')
  return info
}

async function compare(files: FileStore, { sha256 }: NamedFile, pace: Pace = () => undefined): Promise<void> {
  const hash = createHash('sha256')
  for await (const chunk of chunksOf(files, sha256)) {
    hash.update(chunk)
    await pace(chunk.length)
  }
  if (hash.digest('hex') !== sha256) throw new FileDamaged(sha256, 'altered')
}

async function readWhole(files: FileStore, { sha256 }: NamedFile): Promise<Buffer> {
  const content = Buffer.concat(await Array.fromAsync(chunksOf(files, sha256)))
  if (createHash('sha256').update(content).digest('hex') !== sha256) throw new FileDamaged(sha256, 'altered')
  return content
}

/** The file's chunks. The last follows only if all of them match the digest; otherwise it throws, which aborts the response. */
async function* withheld(deps: FileDeps, file: NamedFile): AsyncGenerator<Buffer> {
  const hash = createHash('sha256')
  let last: Buffer | undefined
  try {
    for await (const chunk of chunksOf(deps.files, file.sha256)) {
      hash.update(chunk)
      if (last !== undefined) yield last
      last = chunk
    }
    if (hash.digest('hex') !== file.sha256) throw new FileDamaged(file.sha256, 'altered')
  } catch (error) {
    if (error instanceof FileDamaged) await reportDamage(deps, file, error)
    throw error
  }
  if (last !== undefined) yield last
}

async function* chunksOf(files: FileStore, sha256: string): AsyncGenerator<Buffer> {
  try {
    yield* (await files.read(sha256)) as AsyncIterable<Buffer>
  } catch (error) {
    if (error instanceof FileNotFound) throw new FileDamaged(sha256, 'missing', { cause: error })
    if (error instanceof Error && 'code' in error && error.code === 'EIO')
      throw new FileDamaged(sha256, 'unreadable', { cause: error })
    throw error
  }
}

/** Files of each store that were compared, with the time and size that they had. */
const comparisons = new WeakMap<FileStore, Map<string, { of: string; at_ms: number; done: Promise<void> }>>()

/** Compares a file unless this process did so before. Requests for several ranges share one comparison. */
async function verifyOnce(files: FileStore, file: NamedFile, info: FileInfo, again: boolean): Promise<void> {
  const known = comparisons.get(files) ?? new Map<string, { of: string; at_ms: number; done: Promise<void> }>()
  comparisons.set(files, known)
  const of = `${info.written_at.getTime()} ${info.bytes}`
  const before = known.get(file.sha256)
  if (!again && before?.of === of && performance.now() - before.at_ms < trusted_ms) return await before.done
  const done = compare(files, file)
  known.delete(file.sha256)
  known.set(file.sha256, { of, at_ms: performance.now(), done })
  for (const oldest of known.keys()) if (known.size > trusted_max) known.delete(oldest)
  try {
    await done
  } catch (error) {
    known.delete(file.sha256)
    throw error
  }
}

const actor = systemActor('verify-files', null)

/** Logs the damage and raises the alert. The reader gets its error even if the alert cannot be stored. */
async function reportDamage(deps: FileDeps, file: NamedFile, error: FileDamaged): Promise<void> {
  const { sha256, bytes, account_id, used_by } = file
  const { damage } = error
  deps.log.error({ err: error, sha256, damage, account_id, used_by }, 'a stored file is damaged')
  const message = `The file of ${used_by} is ${damage}. Restore ${deps.files.locate(sha256)} from a backup.`
  const details = { sha256, bytes, damage, account_id, used_by }
  const alert = { kind: 'file-damaged', subject: sha256, account_id, message, details } as const
  await inTransaction(deps.db, (tx) => raiseAlert({ tx, actor, clock: deps.clock }, alert)).catch((unstored: unknown) =>
    deps.log.error({ err: unstored, sha256 }, 'could not store the alert about a damaged file'),
  )
}

/** Resolves the alert about a file that is intact or no longer needed. */
export async function settle(deps: FileDeps, { sha256 }: Pick<NamedFile, 'sha256'>): Promise<void> {
  if (!(await isAlerted(deps.db, 'file-damaged', sha256))) return
  await inTransaction(deps.db, (tx) => resolveAlert({ tx, actor, clock: deps.clock }, 'file-damaged', sha256))
}

const damagedProblem = ({ used_by }: NamedFile, cause: FileDamaged) =>
  problem(
    'file-damaged',
    `The stored file of ${used_by} is ${cause.damage === 'missing' ? 'missing' : 'damaged'}, so it was not sent. The operator has been alerted.`,
    { cause, headers: { 'cache-control': 'no-store' } },
  )

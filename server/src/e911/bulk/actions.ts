import { accountOf, systemActor } from '../../platform/actor.ts'
import type { Context, Deps, WriteContext } from '../../platform/context.ts'
import { inTransaction, type Executor } from '../../platform/db.ts'
import { recordEvent } from '../../platform/events.ts'
import { keepFile, releaseFiles } from '../../platform/file-references.ts'
import { FileNotFound, type StagedFile } from '../../platform/files.ts'
import { enqueue } from '../../platform/jobs.ts'
import { authorizeLink } from '../../platform/link-authorization.ts'
import { notFound, problem } from '../../platform/problem.ts'
import type { Storage } from '../../platform/storage.ts'
import { uploadsAmong } from '../../engines/street-data/index.ts'
import { BULK } from './limits.ts'
import { checkUpload, stageUpload, type Upload } from '../upload.ts'
import { mediaTypeOf, validationSubject } from './document.ts'
import * as store from './store.ts'

/** Bulk validations: a file is received, a job validates it, and the result is kept until it expires. */

/** Kinds of jobs, keyed by the validation's id. */
export const validateJob = 'validate-e911s'
export const expireJob = 'expire-e911-validation'

/** A received file of addresses. */
export interface ReceivedFile {
  media_type: ReturnType<typeof mediaTypeOf>
  file: StagedFile
  /** Call this in every case: deletes the file unless a validation was requested. */
  release(): Promise<void>
}

const uploadLimit = {
  bytes_max: BULK.bytes_max,
  tooLarge: (cause?: unknown) =>
    problem('payload-too-large', `The file is larger than ${BULK.bytes_max} bytes. Split it and send the parts.`, {
      cause,
    }),
}

/**
 * Receives a file of addresses. Throws 409 for too many validations at once, 413, 415, and 507, before reading where possible,
 * and 422 for an empty file.
 */
export async function receiveFile(c: Context, storage: Storage, upload: Upload): Promise<ReceivedFile> {
  await refuseTooMany(c)
  checkUpload(upload, uploadLimit)
  const { bytes_max } = uploadLimit
  const content_length = upload.headers['content-length']
  const room = await storage.reserve(c.tx, accountOf(c.actor), { content_length, bytes_max })
  const tooLarge = room.bytes_max < bytes_max ? room.exceeded : uploadLimit.tooLarge
  try {
    const file = await stageUpload(c, upload, { bytes_max: room.bytes_max, tooLarge })
    const release = async () => {
      room.release()
      await file.discard()
    }
    return { media_type: mediaTypeOf(upload.headers['content-type']), file, release }
  } catch (error) {
    room.release()
    throw error
  }
}

/** Enqueues the validation of a received file. Throws 409 for too many at once, and 507. Also returns response headers. */
export async function requestValidation(
  c: WriteContext,
  storage: Storage,
  { media_type, file }: ReceivedFile,
): Promise<{ row: store.ValidationRow; headers: Record<string, string> }> {
  const account_id = accountOf(c.actor)
  const headers = await storage.claim(c.tx, account_id, file.bytes)
  await refuseTooMany(c)
  const now = c.clock.now()
  const given = { given_sha256: file.digest, given_bytes: String(file.bytes) }
  const row = await store.insertValidation(c.tx, { account_id, media_type, ...given, created_at: now })
  await enqueue(c.tx, validateJob, row.id, now, { account_id, size: file.bytes })
  await keepFile(c.tx, file)
  await recordEvent(c, account_id, {
    type: 'e911_validation.requested',
    subject_type: validationSubject,
    subject_id: row.id,
    data: { media_type, given_sha256: file.digest },
  })
  return { row, headers }
}

async function refuseTooMany(c: Context): Promise<void> {
  if ((await store.countProcessing(c.tx, accountOf(c.actor))) < BULK.processing_per_account) return
  throw problem(
    'conflict',
    `${BULK.processing_per_account} validations are already in progress. Wait for one of them to finish.`,
  )
}

/** Throws 404 for a validation that the actor cannot see. */
export async function getValidation(c: Context, id: string): Promise<store.ValidationRow> {
  const row = await store.findValidation(c.tx, c.actor, id)
  if (!row) throw notFound(`No validation ${id}`)
  return row
}

/**
 * The result of a validation. A signed link in `query` grants access. Throws 404, 410 after expiry, and 401 for an invalid
 * link.
 */
export async function readFile(c: Context, id: string, query: Record<string, string | undefined>) {
  const row = await getValidation(authorizeLink(c, { subject: validationSubject, id, thing: 'validation' }, query), id)
  const { sha256, media_type, expires_at } = row
  if (sha256 === null) throw problem('not-found', `Validation ${id} is ${row.status}, so it has no file.`)
  const expired = (cause?: unknown) =>
    problem('gone', `The file of validation ${id} has expired. Send the addresses again.`, { cause })
  if (row.expired_at !== null || expires_at === null || expires_at <= c.clock.now()) throw expired()
  const extension = media_type === 'text/csv' ? 'csv' : 'ndjson'
  try {
    return {
      stream: await c.files.read(sha256),
      content_type: media_type,
      headers: {
        'content-disposition': `attachment; filename="demarc-e911s-${id}.${extension}"`,
        'x-content-type-options': 'nosniff',
        etag: `"${sha256}"`,
        'cache-control': 'private, no-store',
        'content-length': String(row.bytes),
      },
    }
  } catch (error) {
    // expired during this request
    if (error instanceof FileNotFound) throw expired(error)
    throw error
  }
}

/** Expires the result of a validation. Safe to run twice. */
export async function expireValidation(deps: Deps, id: string): Promise<{ again_at: Date } | void> {
  const ended = await store.findValidation(deps.db, systemActor(expireJob, null), id)
  // the clock was set back after the job became due
  if (ended?.expires_at && ended.expires_at > deps.clock.now()) return { again_at: ended.expires_at }
  await inTransaction(deps.db, async (tx) => {
    const now = deps.clock.now()
    const row = await store.markExpired(tx, id, now)
    if (!row) return
    if (row.sha256 !== null) await releaseFiles(tx, [row.sha256], now)
    const actor = systemActor(expireJob, row.account_id)
    await recordEvent({ tx, actor, clock: deps.clock }, row.account_id, {
      type: 'e911_validation.expired',
      subject_type: validationSubject,
      subject_id: id,
    })
  })
}

/** Which of these files a validation or a dataset import still needs. */
export async function referencedFiles(db: Executor, digests: readonly string[]): Promise<Set<string>> {
  return new Set([...(await store.validationFilesAmong(db, digests)), ...(await uploadsAmong(db, digests))])
}

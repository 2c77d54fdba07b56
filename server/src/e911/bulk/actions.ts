import { isHeld } from '../../accounts/index.ts'
import { accountOf, systemActor } from '../../platform/actor.ts'
import type { Context, Deps, WriteContext } from '../../platform/context.ts'
import { inTransaction, type Executor } from '../../platform/db.ts'
import { recordEvent } from '../../platform/events.ts'
import { keepFile, releaseFiles } from '../../platform/file-references.ts'
import type { StagedFile } from '../../platform/files/index.ts'
import { enqueue } from '../../platform/jobs.ts'
import { authorizeLink } from '../../platform/link-authorization.ts'
import { notFound, problem } from '../../platform/problem.ts'
import type { NamedFile } from '../../platform/rows.ts'
import type { Storage } from '../../platform/storage.ts'
import { readVerified } from '../../platform/verified-files.ts'
import { uploadsAmong, uploadsFrom } from '../../engines/street-data/index.ts'
import { BULK } from './limits.ts'
import { checkUpload, stageUpload, uploadFile, type Upload } from '../upload.ts'
import { mediaTypeOf, validationSubject } from './document.ts'
import * as store from './store.ts'

/** Bulk validations: a file is received, a job validates it, and the result is kept until it expires. */

/** Kinds of jobs, keyed by the validation's id. */
export const validateJob = 'validate-e911s'
export const expireJob = 'expire-e911-validation'

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
  const room = await storage.reserve(c.db, accountOf(c.actor), { content_length, bytes_max })
  const tooLarge = room.bytes_max < bytes_max ? room.exceeded : uploadLimit.tooLarge
  try {
    const file = await stageUpload(c, upload, { bytes_max: room.bytes_max, tooLarge })
    const release = async () => {
      await room.release()
      await file.discard()
    }
    return { media_type: mediaTypeOf(upload.headers['content-type']), file, release }
  } catch (error) {
    await room.release()
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
  const upload = { given_sha256: file.digest, given_bytes: String(file.bytes) }
  const row = await store.insertValidation(c.tx, { account_id, media_type, ...upload, created_at: now })
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
  if (!row) throw notFound(c.actor, `No validation ${id}`)
  return row
}

/**
 * The result of a validation. A signed link in `query` grants access. Throws 404, 410 after expiry or for a damaged file, and 401
 * for an invalid link.
 */
export async function readFile(c: Context, id: string, query: Record<string, string | undefined>) {
  const by_link = authorizeLink(c, { subject: validationSubject, id, thing: 'validation' }, query)
  const row = await getValidation(by_link, id)
  const { sha256, media_type } = row
  if (sha256 === null) throw problem('not-found', `Validation ${id} is ${row.status}, so it has no file.`)
  const expiredProblem = (now: store.ValidationRow) =>
    now.expired_at !== null || now.expires_at === null || now.expires_at <= c.clock.now()
      ? problem('gone', `The file of validation ${id} has expired. Send the addresses again.`)
      : null
  const expired = expiredProblem(row)
  if (expired) throw expired
  const extension = media_type === 'text/csv' ? 'csv' : 'ndjson'
  const bytes = Number(row.bytes)
  const file = { sha256, bytes, account_id: row.account_id, used_by: `validation ${id}` }
  return {
    stream: await readVerified(c, file, undefined, async () => expiredProblem(await getValidation(by_link, id))),
    content_type: media_type,
    headers: {
      'content-disposition': `attachment; filename="demarc-e911s-${id}.${extension}"`,
      'x-content-type-options': 'nosniff',
      etag: `"${sha256}"`,
      'cache-control': 'private, no-store',
      'content-length': String(bytes),
    },
  }
}

/** Expires the result of a validation. Safe to run twice. */
export async function expireValidation(deps: Deps, id: string): Promise<{ again_at: Date } | void> {
  const ended = await store.findValidation(deps.db, systemActor(expireJob, null), id)
  // the clock was set back after the job became due
  if (ended?.expires_at && ended.expires_at > deps.clock.now()) return { again_at: ended.expires_at }
  return await inTransaction(deps.db, async (tx) => {
    const now = deps.clock.now()
    // a legal hold keeps the file
    if (ended && (await isHeld(tx, ended.account_id))) return { again_at: new Date(now.getTime() + 86_400_000) }
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

/** Files that validations and dataset imports still need, by digest. */
export async function storedFiles(db: Executor, from: string, limit: number): Promise<NamedFile[]> {
  const uploads = await uploadsFrom(db, from, limit)
  return [
    ...(await store.validationFilesFrom(db, from, limit)),
    ...uploads.map(({ sha256, dataset_id }) => uploadFile(sha256, dataset_id)),
  ]
}

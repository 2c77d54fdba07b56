import { Readable } from 'node:stream'
import type { documents } from '@demarc/client'
import { systemActor } from '../platform/actor.ts'
import type { Deps } from '../platform/context.ts'
import { inTransaction, type Tx } from '../platform/db.ts'
import { recordEvent } from '../platform/events.ts'
import { keepFile } from '../platform/file-references.ts'
import { FileTooLarge, type StagedFile } from '../platform/files/index.ts'
import { OutboundError, type Outbound } from '../platform/outbound/index.ts'
import type { Storage } from '../platform/storage.ts'
import { fileEvent, pullJob } from './actions.ts'
import { BytesRefused, checkedBytes } from './checked-bytes.ts'
import { abandoned_attempts_max, limits, isRetryable, nextAttempt, statusError } from './rules.ts'
import * as store from './store.ts'

/** Pulls of documents. An attempt begins and ends in separate transactions, so a killed worker leaves only an unfinished attempt. */

type Result = { ok: true; status: number; file: StagedFile; type: documents.DocumentType } | Failure

interface Failure {
  ok: false
  status: number | null
  reason: string
  retryable: boolean
}

/** The outbound client of pulls, and the storage for their documents. */
export interface PullEgress {
  outbound: Outbound
  timeout_ms: number
  storage: Storage
}

/**
 * Makes one attempt at a pull that is due and records the result. Returns the time of the next attempt; null when the pull is
 * final. Idempotent. Throws when `signal` is aborted.
 */
export async function pullDocument(
  deps: Deps,
  egress: PullEgress,
  id: string,
  signal: AbortSignal,
): Promise<Date | null> {
  const waiting = await store.findPull(deps.db, id)
  if (!waiting || (waiting.status !== 'pending' && waiting.status !== 'processing')) return null
  const row = await inTransaction(deps.db, (tx) => store.beginAttempt(tx, waiting, deps.clock.now()))
  if (!row) return waiting.next_attempt_at
  const result: Result =
    row.attempts > abandoned_attempts_max
      ? permanentFailure('The service could not pull the document. Request the pull again, or upload the document.')
      : await attempt(deps, egress, row, signal)
  try {
    signal.throwIfAborted()
    return await recordResult(deps, egress.storage, row, result)
  } finally {
    if (result.ok) await result.file.discard()
  }
}

async function attempt(deps: Deps, egress: PullEgress, row: store.DocumentRow, signal: AbortSignal): Promise<Result> {
  const response = await egress.outbound.get(row.url ?? '', {
    timeout_ms: egress.timeout_ms,
    max_bytes: limits.bytes,
    headers: { accept: '*/*' },
    signal,
  })
  if (!response.ok) return failureOf(response.failure, null)
  const error = statusError(response.status)
  if (error) {
    response.body.destroy()
    return { ok: false, status: response.status, ...error }
  }
  const bytes = checkedBytes(response.body, row.name, limits.bytes)
  const max_bytes = await egress.storage.room(deps.db, row.account_id)
  try {
    const file = await deps.files.stage(Readable.from(bytes.stream()), { signal, max_bytes })
    return { ok: true, status: response.status, file, type: bytes.type() }
  } catch (error) {
    if (error instanceof FileTooLarge) return permanentFailure(storageFull, response.status)
    if (error instanceof BytesRefused) return permanentFailure(error.message, response.status)
    if (error instanceof OutboundError) return failureOf(error.failure, response.status)
    throw error
  } finally {
    response.body.destroy()
  }
}

const storageFull =
  'The account has no storage left for the document. Wait until export or validation files expire, or ask the operator for more storage.'

const permanentFailure = (reason: string, status: number | null = null): Failure => ({
  ok: false,
  status,
  reason,
  retryable: false,
})

function failureOf({ code, detail }: { code: string; detail: string }, status: number | null): Failure {
  if (code === 'response_too_large')
    return permanentFailure(`The document is larger than ${limits.bytes / 1024 / 1024} MiB.`, status)
  return { ok: false, status, reason: detail, retryable: isRetryable(code) }
}

/** Records the end of the attempt, and an event when the pull is final. */
async function recordResult(
  deps: Deps,
  storage: Storage,
  row: store.DocumentRow,
  result: Result,
): Promise<Date | null> {
  return await inTransaction(deps.db, async (tx) => {
    if (!result.ok) return await recordFailure(deps, tx, row, result)
    const { status, file, type } = result
    if (!(await storage.hasRoom(tx, row.account_id, file.bytes)))
      return await recordFailure(deps, tx, row, permanentFailure(storageFull, status))
    const now = deps.clock.now()
    const attempted = { finished_at: now, response_status: status, outcome: 'complete', failure_reason: null } as const
    const stored = { sha256: file.digest, bytes: String(file.bytes), media_type: type }
    const done = await store.endAttempt(tx, row, attempted, { ...stored, status: 'complete', finished_at: now })
    if (!done) return null
    await keepFile(tx, file)
    await recordPulled(deps, tx, done, 'portorder.file_complete', { bytes: file.bytes, sha256: file.digest })
    return null
  })
}

async function recordFailure(deps: Deps, tx: Tx, row: store.DocumentRow, failure: Failure): Promise<Date | null> {
  const now = deps.clock.now()
  const { status, reason, retryable } = failure
  const failures = row.failures + (retryable ? 1 : 0)
  const next_attempt_at = retryable ? nextAttempt(failures, now) : null
  const outcome = next_attempt_at ? ('retry' as const) : ('error' as const)
  const attempted = { finished_at: now, response_status: status, outcome, failure_reason: reason }
  if (next_attempt_at) {
    const retried = await store.endAttempt(tx, row, attempted, { failures, next_attempt_at })
    return retried ? next_attempt_at : null
  }
  const final = { status: 'error', failures, failure_reason: reason, finished_at: now } as const
  const failed = await store.endAttempt(tx, row, attempted, final)
  if (failed) await recordPulled(deps, tx, failed, 'portorder.file_failed', { reason })
  return null
}

const recordPulled = (
  { clock }: Deps,
  tx: Tx,
  row: store.DocumentRow,
  type: string,
  details: Record<string, unknown>,
) =>
  recordEvent({ tx, clock, actor: systemActor(pullJob, row.account_id) }, row.account_id, fileEvent(row, type, details))

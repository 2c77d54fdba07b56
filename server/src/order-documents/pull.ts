import { Readable } from 'node:stream'
import type { documents } from '@demarc/client'
import { systemActor } from '../platform/actor.ts'
import type { Deps } from '../platform/context.ts'
import { inTransaction } from '../platform/db.ts'
import { recordEvent } from '../platform/events.ts'
import { OutboundError, type Outbound } from '../platform/outbound/index.ts'
import { fileEvent, pullJob } from './actions.ts'
import { BytesRefused, checkedBytes } from './checked-bytes.ts'
import { abandoned_attempts_max, limits, isRetryable, nextAttempt, statusError } from './rules.ts'
import * as store from './store.ts'

/** Pulls of documents. Beginning and end of an attempt are separate transactions, so that a killed worker leaves only an attempt without an end. */

type Result =
  | { ok: true; status: number; digest: string; bytes: number; type: documents.DocumentType }
  | { ok: false; status: number | null; reason: string; retryable: boolean }

/** How pulls send their requests. */
export interface PullEgress {
  outbound: Outbound
  timeout_ms: number
}

/**
 * Makes one attempt at a pull that is due and records its result. Returns the time of the next attempt, null when the pull
 * is final. Idempotent; throws when `signal` is aborted.
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
      ? permanentFailure('The service could not finish the pull. Ask for it again, or upload the document.')
      : await attempt(deps, egress, row, signal)
  signal.throwIfAborted()
  return await recordResult(deps, row, result)
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
  try {
    const { digest, bytes: size } = await deps.files.putStream(Readable.from(bytes.stream()), { signal })
    return { ok: true, status: response.status, digest, bytes: size, type: bytes.type() }
  } catch (error) {
    if (error instanceof BytesRefused) return permanentFailure(error.message, response.status)
    if (error instanceof OutboundError) return failureOf(error.failure, response.status)
    throw error
  } finally {
    response.body.destroy()
  }
}

const permanentFailure = (reason: string, status: number | null = null): Result => ({
  ok: false,
  status,
  reason,
  retryable: false,
})

function failureOf({ code, detail }: { code: string; detail: string }, status: number | null): Result {
  if (code === 'response_too_large')
    return permanentFailure(`The document is larger than ${limits.bytes / 1024 / 1024} MiB.`, status)
  return { ok: false, status, reason: detail, retryable: isRetryable(code) }
}

/** Records the end of the attempt and what follows, and the event of a final one. */
async function recordResult(deps: Deps, row: store.DocumentRow, result: Result): Promise<Date | null> {
  return await inTransaction(deps.db, async (tx) => {
    const now = deps.clock.now()
    const c = { tx, clock: deps.clock, actor: systemActor(pullJob, row.account_id) }
    const ended = { finished_at: now, response_status: result.status }
    if (result.ok) {
      const file = { sha256: result.digest, bytes: String(result.bytes), media_type: result.type }
      const attempted = { ...ended, outcome: 'complete', failure_reason: null } as const
      const done = await store.endAttempt(tx, row, attempted, { ...file, status: 'complete', finished_at: now })
      const details = { bytes: result.bytes, sha256: result.digest }
      if (done) await recordEvent(c, done.account_id, fileEvent(done, 'portorder.file_complete', details))
      return null
    }
    const failures = row.failures + (result.retryable ? 1 : 0)
    const next_attempt_at = result.retryable ? nextAttempt(failures, now) : null
    const attempted = { ...ended, outcome: next_attempt_at ? 'retry' : 'error', failure_reason: result.reason } as const
    if (next_attempt_at) {
      const retried = await store.endAttempt(tx, row, attempted, { failures, next_attempt_at })
      return retried ? next_attempt_at : null
    }
    const final = { status: 'error', failures, failure_reason: result.reason, finished_at: now } as const
    const failed = await store.endAttempt(tx, row, attempted, final)
    const details = { reason: result.reason }
    if (failed) await recordEvent(c, failed.account_id, fileEvent(failed, 'portorder.file_failed', details))
    return null
  })
}

import { Readable } from 'node:stream'
import type { documents } from '@demarc/client'
import { systemActor } from '../platform/actor.ts'
import type { Deps } from '../platform/context.ts'
import { inTransaction } from '../platform/db.ts'
import { recordEvent } from '../platform/events.ts'
import { OutboundError, type Outbound } from '../platform/outbound/index.ts'
import { fileEvent, pullJob } from './actions.ts'
import { BytesRefused, judgedBytes } from './judged-bytes.ts'
import { attempts_without_end, limits, mayPass, nextAttempt, statusFault } from './rules.ts'
import * as store from './store.ts'

/** Pulling a document: one attempt is a row, begun and ended by itself, so that a killed worker leaves only that behind. */

type Result =
  | { ok: true; status: number; digest: string; bytes: number; type: documents.DocumentType }
  | { ok: false; status: number | null; reason: string; may_pass: boolean }

/** What pulls go out by. */
export interface WayOut {
  outbound: Outbound
  timeout_ms: number
}

/**
 * Makes one attempt at a pull that is due and records what came of it. Gives the time of the next attempt, null when the
 * pull is over. Safe to run twice; throws when `signal` fires.
 */
export async function pullDocument(deps: Deps, way: WayOut, id: string, signal: AbortSignal): Promise<Date | null> {
  const waiting = await store.findPull(deps.db, id)
  if (!waiting || (waiting.status !== 'pending' && waiting.status !== 'processing')) return null
  const row = await inTransaction(deps.db, (tx) => store.beginAttempt(tx, waiting, deps.clock.now()))
  if (!row) return waiting.next_attempt_at
  const result: Result =
    row.attempts > attempts_without_end
      ? final('The service could not finish the pull. Ask for it again, or upload the document.')
      : await attempt(deps, way, row, signal)
  signal.throwIfAborted()
  return await settle(deps, row, result)
}

async function attempt(deps: Deps, way: WayOut, row: store.DocumentRow, signal: AbortSignal): Promise<Result> {
  const answer = await way.outbound.get(row.url ?? '', {
    timeout_ms: way.timeout_ms,
    max_bytes: limits.bytes,
    headers: { accept: '*/*' },
    signal,
  })
  if (!answer.ok) return ofFailure(answer.failure, null)
  const fault = statusFault(answer.status)
  if (fault) {
    answer.body.destroy()
    return { ok: false, status: answer.status, ...fault }
  }
  const bytes = judgedBytes(answer.body, row.name, limits.bytes)
  try {
    const { digest, bytes: size } = await deps.files.putStream(Readable.from(bytes.pass()), { signal })
    return { ok: true, status: answer.status, digest, bytes: size, type: bytes.type() }
  } catch (error) {
    if (error instanceof BytesRefused) return final(error.message, answer.status)
    if (error instanceof OutboundError) return ofFailure(error.failure, answer.status)
    throw error
  } finally {
    answer.body.destroy()
  }
}

const final = (reason: string, status: number | null = null): Result => ({ ok: false, status, reason, may_pass: false })

function ofFailure({ code, detail }: { code: string; detail: string }, status: number | null): Result {
  if (code === 'response_too_large')
    return final(`The document is larger than ${limits.bytes / 1024 / 1024} MiB.`, status)
  return { ok: false, status, reason: detail, may_pass: mayPass(code) }
}

/** Ends the attempt and says what follows, with the event of the end. */
async function settle(deps: Deps, row: store.DocumentRow, result: Result): Promise<Date | null> {
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
    const failures = row.failures + (result.may_pass ? 1 : 0)
    const next_attempt_at = result.may_pass ? nextAttempt(failures, now) : null
    const attempted = { ...ended, outcome: next_attempt_at ? 'retry' : 'error', failure_reason: result.reason } as const
    if (next_attempt_at) {
      const put_off = await store.endAttempt(tx, row, attempted, { failures, next_attempt_at })
      return put_off ? next_attempt_at : null
    }
    const over = { status: 'error', failures, failure_reason: result.reason, finished_at: now } as const
    const failed = await store.endAttempt(tx, row, attempted, over)
    const details = { reason: result.reason }
    if (failed) await recordEvent(c, failed.account_id, fileEvent(failed, 'portorder.file_failed', details))
    return null
  })
}

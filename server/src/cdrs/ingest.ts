import { Readable } from 'node:stream'
import { existingAccounts } from '../accounts/index.ts'
import { actorName } from '../platform/actor.ts'
import type { Context, Deps } from '../platform/context.ts'
import { inTransaction } from '../platform/db.ts'
import type { StagedFile } from '../platform/files/index.ts'
import { keepFile, releaseFiles } from '../platform/file-references.ts'
import { schedule } from '../platform/jobs.ts'
import { Problem, problem } from '../platform/problem.ts'
import { currentSpan, inSpan } from '../platform/traces/index.ts'
import { timeText } from '../platform/clock.ts'
import { readVerified } from '../platform/verified-files.ts'
import {
  Delivery,
  ingestCdrs,
  type IngestInput,
  type IngestReport,
  type Warehouse,
} from '../engines/call-records/index.ts'
import * as store from './ingest-store.ts'
import { ingestLimits } from './rules.ts'

/** The job that deletes a delivery's rejected lines. Its key is the delivery's id. */
export const expireIngestJob = 'expire-cdr-ingest'

/** Ingests call records and records the delivery, even if it fails midway. A body that is rejected as a whole leaves no trace. Throws the engine's errors. */
export async function ingest(c: Context, warehouse: Warehouse, input: IngestInput): Promise<IngestReport> {
  const delivery = new Delivery()
  const began = { received_at: c.clock.now(), at: performance.now() }
  const accountsExist = (ids: readonly string[]) => existingAccounts(c.tx, ids)
  try {
    const report = await inSpan('ingest call records', {}, () =>
      ingestCdrs({ warehouse, accountsExist, log: c.log, delivery }, input),
    )
    await record(c, input, delivery, began, null)
    return report
  } catch (error) {
    if (error instanceof Problem && delivery.accepted + delivery.duplicates + delivery.rejected === 0) throw error
    await record(c, input, delivery, began, failureOf(error)).catch((unrecorded: unknown) => {
      // the sender needs the original error
      c.log.warn({ err: unrecorded }, 'could not record a failed delivery of call records')
    })
    throw error
  }
}

const failureOf = (error: unknown): string => {
  if (!(error instanceof Problem)) return 'The delivery ended early.'
  return typeof error.detail === 'string' ? error.detail : JSON.stringify(error.detail)
}

async function record(
  c: Context,
  { content_type, content_encoding, mapping, account_id }: IngestInput,
  { refused, refused_lines, bytes, accepted, duplicates, rejected, newest_call_at }: Delivery,
  began: { received_at: Date; at: number },
  failure: string | null,
): Promise<void> {
  currentSpan()?.set({ 'demarc.accepted': accepted, 'demarc.duplicates': duplicates, 'demarc.rejected': rejected })
  const file = refused_lines === 0 ? null : await c.files.stage(Readable.from(refused))
  const { received_at } = began
  const row = {
    received_at,
    duration_ms: Math.round(performance.now() - began.at),
    actor: actorName(c.actor),
    content_type,
    content_encoding: content_encoding ?? null,
    mapping: mapping ?? null,
    account_id: account_id ?? null,
    bytes: String(bytes),
    accepted: String(accepted),
    duplicates: String(duplicates),
    rejected: String(rejected),
    newest_call_at,
    failure: failure?.slice(0, ingestLimits.failure_chars) ?? null,
  }
  try {
    await inTransaction(c.db, async (tx) => {
      const { id } = await store.insertIngest(tx, { ...row, ...refusedColumns(file, refused_lines, received_at) })
      const dropped = await prune(tx, id, received_at)
      if (file) {
        await keepFile(tx, file)
        await schedule(tx, expireIngestJob, id, refusedExpiry(received_at))
        dropped.push(...(await store.dropOldRefused(tx, ingestLimits.refused_files)))
      }
      await releaseFiles(tx, dropped, received_at)
    })
  } finally {
    await file?.discard()
  }
}

const refusedExpiry = (received_at: Date) => new Date(received_at.getTime() + ingestLimits.refused_life_ms)

const refusedColumns = (file: StagedFile | null, refused_lines: number, received_at: Date) =>
  file && {
    refused_lines,
    refused_sha256: file.digest,
    refused_bytes: String(file.bytes),
    refused_expires_at: refusedExpiry(received_at),
  }

/** Deletes old deliveries once in a while, so that small deliveries stay fast. */
async function prune(tx: Parameters<typeof store.deleteIngests>[0], id: string, now: Date): Promise<string[]> {
  if (BigInt(id) % ingestLimits.prune_every !== 0n) return []
  return await store.deleteIngests(tx, {
    id: String(BigInt(id) - ingestLimits.kept),
    received_before: new Date(now.getTime() - ingestLimits.life_ms),
  })
}

/** Deletes a delivery's expired rejected lines. Safe to run twice. */
export async function expireIngest(deps: Deps, id: string): Promise<{ again_at: Date } | void> {
  const now = deps.clock.now()
  const row = await store.findIngest(deps.db, id)
  // the clock was set back after the job became due
  if (row?.refused_expires_at && row.refused_expires_at > now) return { again_at: row.refused_expires_at }
  await inTransaction(deps.db, async (tx) => releaseFiles(tx, await store.dropExpiredRefused(tx, id, now), now))
}

/** A delivery's rejected lines. Throws 404 without a delivery or rejected lines, 410 after they expired or if their file is damaged. */
export async function readRefused(c: Context, id: string) {
  const row = await store.findIngest(c.tx, id)
  if (!row) throw problem('not-found', `Delivery ${id} was not found.`)
  if (row.refused_expires_at === null)
    throw problem('not-found', `Delivery ${id} has no rejected lines; ${row.accepted} were accepted.`)
  const expired = () => problem('gone', `The rejected lines of delivery ${id} have expired. Send the records again.`)
  const { refused_sha256: sha256 } = row
  if (sha256 === null || row.refused_expires_at <= c.clock.now()) throw expired()
  const bytes = Number(row.refused_bytes)
  const file = { sha256, bytes, account_id: null, used_by: `the rejected lines of delivery ${id}` }
  return {
    // the file may expire during this request
    stream: await readVerified(c, file, undefined, async () =>
      (await store.findIngest(c.tx, id))?.refused_sha256 === sha256 ? null : expired(),
    ),
    content_type: 'application/x-ndjson',
    headers: {
      'content-disposition': `attachment; filename="demarc-refused-${id}.ndjson"`,
      'x-content-type-options': 'nosniff',
      'cache-control': 'private, no-store',
      'content-length': String(bytes),
    },
  }
}

/** When the last delivery arrived, how late its calls were, how often deliveries come, and how many came each day. */
export async function summarizeIngests(c: Context) {
  const now = c.clock.now()
  const [row] = await store.listIngests(c.tx, { limit: 1, offset: 0 })
  const gap_s = await store.usualGap(c.tx)
  const days = await store.ingestsByDay(c.tx, now, ingestLimits.summary_days)
  const secondsBefore = (at: Date, then: Date | null) =>
    then === null ? null : Math.max(0, Math.round((at.getTime() - then.getTime()) / 1000))
  return {
    type: 'cdr_ingest_summary' as const,
    attributes: {
      last_received_at: row?.received_at.toISOString() ?? null,
      quiet_s: row ? secondsBefore(now, row.received_at) : null,
      usual_gap_s: gap_s,
      delay_s: row ? secondsBefore(row.received_at, row.newest_call_at) : null,
      days,
    },
  }
}

export function ingestResource(row: store.IngestRow) {
  const { refused_expires_at: expires_at } = row
  const has_refused = expires_at !== null && row.refused_sha256 !== null
  return {
    type: 'cdr_ingest' as const,
    id: row.id,
    attributes: {
      received_at: timeText(row.received_at),
      duration_ms: row.duration_ms,
      actor: row.actor,
      content_type: row.content_type,
      content_encoding: row.content_encoding,
      mapping: row.mapping,
      account_id: row.account_id,
      bytes: Number(row.bytes),
      accepted: Number(row.accepted),
      duplicates: Number(row.duplicates),
      rejected: Number(row.rejected),
      newest_call_at: timeText(row.newest_call_at),
      failure: row.failure,
      refused: has_refused
        ? { lines: row.refused_lines, bytes: Number(row.refused_bytes), expires_at: timeText(expires_at) }
        : null,
    },
  }
}

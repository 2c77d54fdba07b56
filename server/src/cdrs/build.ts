import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { systemActor } from '../platform/actor.ts'
import type { Deps } from '../platform/context.ts'
import { inTransaction, type Tx } from '../platform/db.ts'
import { recordEvent } from '../platform/events.ts'
import type { StoredFile } from '../platform/files.ts'
import { enqueue, type JobRun } from '../platform/jobs.ts'
import { buildJob, expireJob } from './actions.ts'
import { exportDocument, linkSubject } from './document.ts'
import { failureReason, limits, storedFilter } from './rules.ts'
import * as store from './store.ts'
import { type CdrTotals, type Warehouse, WarehouseFailed, WarehouseUnavailable } from '../engines/call-records/index.ts'

/** Building the file of an export: store → gzip → file by digest → row, event, notification and expiry in one transaction. */

// level 1: half the time of level 6 for a sixth more bytes, measured on call records
const gzip_level = 1

/** Builds an export that is still processing. Safe to run twice: a file that a killed worker left unfinished is started again. */
export async function buildExport(deps: Deps, warehouse: Warehouse, life_h: number, run: JobRun): Promise<void> {
  const row = await store.findExport(deps.db, systemActor(buildJob, null), run.key)
  if (row?.status !== 'processing') return
  if (run.attempt > limits.attempts_without_end) return await fail(deps, row, failureReason(null))
  const query = { account_id: row.account_id, filter: storedFilter(row.filter) }
  try {
    const { totals, result } = await warehouse.export(
      query,
      row.format,
      (body, _totals, progress) => writeFile(deps, row, body, progress, run.signal),
      { signal: run.signal },
    )
    await complete(deps, row, totals, result, life_h)
  } catch (error) {
    if (run.signal.aborted || !(run.last_attempt || isFinal(error, run.attempt))) throw error
    deps.log.error({ err: error, export_id: row.id }, 'an export failed')
    await fail(deps, row, failureReason(codeOf(error)))
  }
}

/** Errors of the engine itself mostly repeat; a few attempts, because memory and disk space are shared and may be free later. */
const isFinal = (error: unknown, attempt: number): boolean =>
  error instanceof WarehouseFailed && attempt >= limits.attempts_refused

function codeOf(error: unknown): string | null {
  if (error instanceof WarehouseUnavailable) return 'UNAVAILABLE'
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null
}

async function writeFile(
  deps: Deps,
  row: store.ExportRow,
  body: Readable,
  progress: () => number,
  signal: AbortSignal,
): Promise<StoredFile> {
  const progress_timer = setInterval(() => recordProgress(deps, row, progress()), limits.progress_ms)
  try {
    if (row.format === 'parquet') return await deps.files.putStream(body, { signal })
    const gzip = createGzip({ level: gzip_level, chunkSize: 256 * 1024 })
    const compressed = pipeline(body, gzip, { signal })
    // both are awaited: a body that ends prematurely must not become a file
    const [stored] = await Promise.all([deps.files.putStream(gzip, { signal }), compressed])
    return stored
  } finally {
    clearInterval(progress_timer)
  }
}

function recordProgress(deps: Deps, row: store.ExportRow, progress: number): void {
  if (progress === 0) return
  store
    // 0.99 at most: 1 is written with the status `completed`
    .setProgress(deps.db, row, Number(Math.min(0.99, progress).toFixed(3)))
    .catch((error: unknown) => deps.log.warn({ err: error }, 'could not write progress'))
}

async function complete(
  deps: Deps,
  row: store.ExportRow,
  totals: CdrTotals,
  file: StoredFile,
  life_h: number,
): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    await store.lockFile(tx, file.digest)
    // an older export with the same file may have expired since it was written, which removed the file
    if (!(await deps.files.stat(file.digest))) throw new Error(`the file of export ${row.id} was removed meanwhile`)
    const now = deps.clock.now()
    const expires_at = new Date(now.getTime() + life_h * 3_600_000)
    const { num_calls, ...sums } = totals
    const completed = await store.finishExport(tx, row, {
      ...sums,
      status: 'completed',
      progress: 1,
      finished_at: now,
      expires_at,
      sha256: file.digest,
      bytes: String(file.bytes),
      num_calls: String(num_calls),
    })
    if (!completed) return
    await enqueue(tx, expireJob, row.id, expires_at)
    await recordOutcome({ ...deps, tx }, completed)
  })
}

async function fail(deps: Deps, row: store.ExportRow, failure_reason: string): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    const now = deps.clock.now()
    const failed = await store.finishExport(tx, row, { status: 'failed', failure_reason, finished_at: now })
    if (failed) await recordOutcome({ ...deps, tx }, failed)
  })
}

/** The event of an export that has ended; its notification has the export's document as of now. */
async function recordOutcome(c: Deps & { tx: Tx }, row: store.ExportRow): Promise<void> {
  await recordEvent({ ...c, actor: systemActor(buildJob, row.account_id) }, row.account_id, {
    type: `cdrexport.${row.status}`,
    subject_type: linkSubject,
    subject_id: row.id,
    data: { num_calls: row.num_calls, sha256: row.sha256, failure_reason: row.failure_reason },
    notification: row.callback_url === null ? null : { url: row.callback_url, document: exportDocument(c, row) },
  })
}

import type { Readable } from 'node:stream'
import { systemActor } from '../platform/actor.ts'
import type { Deps } from '../platform/context.ts'
import { inTransaction, type Tx } from '../platform/db.ts'
import { recordEvent } from '../platform/events.ts'
import { keepFile } from '../platform/file-references.ts'
import { FileTooLarge, type StagedFile } from '../platform/files/index.ts'
import { schedule, type JobRun } from '../platform/jobs.ts'
import type { Storage } from '../platform/storage.ts'
import { currentSpan, inSpan } from '../platform/traces/index.ts'
import { buildJob, expireJob } from './actions.ts'
import { exportDocument, linkSubject } from './document.ts'
import { ColdMonthFailed, loadMonths } from './cold.ts'
import { withRecords } from './cold-requests.ts'
import { findMissing } from './ledger.ts'
import { failureReason, files, limits, missingReason, storedFilter } from './rules.ts'
import * as store from './store.ts'
import { type CdrTotals, type Warehouse, WarehouseFailed, WarehouseUnavailable } from '../engines/call-records/index.ts'

/** Builds an export's file: store → file by digest → row, event, notification and expiry in one transaction. */

/** Safe to run twice: a file that a killed worker left incomplete is rebuilt. */
export async function buildExport(
  deps: Deps,
  { warehouse, storage }: { warehouse: Warehouse; storage: Storage },
  life_h: number,
  run: JobRun,
): Promise<void> {
  const row = await store.findExport(deps.db, systemActor(buildJob, null), run.key)
  if (row?.status !== 'processing') return
  currentSpan()?.set({ 'demarc.account_id': row.account_id, 'demarc.export_id': row.id })
  if (run.interrupted >= limits.attempts_without_end) return await fail(deps, row, failureReason(null))
  const query = { account_id: row.account_id, filter: storedFilter(row.filter) }
  const { format, compression } = files[row.format]
  const staged: StagedFile[] = []
  try {
    const max_bytes = await storage.room(deps.db, row.account_id)
    const { totals, result, missing } = await withRecords(
      deps,
      query,
      (months) => inSpan('load cold months', {}, () => loadMonths(deps, warehouse, months, run.signal)),
      async () => ({
        ...(await inSpan('read call records', {}, () =>
          warehouse.export(
            query,
            format,
            async (body, _totals, progress) => {
              const write = () => writeFile(deps, row, body, progress, { signal: run.signal, max_bytes })
              const file = await inSpan('write export file', {}, write)
              staged.push(file)
              return file
            },
            { signal: run.signal, compression },
          ),
        )),
        missing: await inSpan('compare with ledger', {}, () => findMissing(deps, warehouse, query, run.signal)),
      }),
    )
    if (missing) return await fail(deps, row, missingReason(missing.expected, missing.found))
    if (!(await complete(deps, storage, row, totals, result, life_h))) await fail(deps, row, failureReason('STORAGE'))
  } catch (error) {
    if (error instanceof FileTooLarge) return await fail(deps, row, failureReason('STORAGE'))
    if (error instanceof ColdMonthFailed) return await fail(deps, row, error.message)
    if (run.signal.aborted || !(run.last_attempt || isFinal(error, run.attempt))) throw error
    deps.log.error({ err: error, export_id: row.id }, 'an export failed')
    await fail(deps, row, failureReason(codeOf(error)))
  } finally {
    // also for rows found to be incomplete after they were written
    for (const file of staged) await file.discard()
  }
}

/** Engine errors mostly repeat. A few retries help when shared memory or disk space ran out. */
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
  { signal, max_bytes }: { signal: AbortSignal; max_bytes: number },
): Promise<StagedFile> {
  const progress_timer = setInterval(() => recordProgress(deps, row, progress()), limits.progress_ms)
  try {
    return await deps.files.stage(body, { signal, max_bytes })
  } finally {
    clearInterval(progress_timer)
  }
}

function recordProgress(deps: Deps, row: store.ExportRow, progress: number): void {
  if (progress === 0) return
  store
    // at most 0.99: the status `completed` sets 1
    .setProgress(deps.db, row, Number(Math.min(0.99, progress).toFixed(3)))
    .catch((error: unknown) => deps.log.warn({ err: error }, 'could not write progress'))
}

/** Completes an export unless another worker already has. Returns false if the account has no room for the file. */
async function complete(
  deps: Deps,
  storage: Storage,
  row: store.ExportRow,
  totals: CdrTotals,
  file: StagedFile,
  life_h: number,
): Promise<boolean> {
  const finish = async (tx: Tx) => {
    if (!(await storage.hasRoom(tx, row.account_id, file.bytes))) return false
    await completeExport({ ...deps, tx }, row, totals, file, life_h)
    return true
  }
  return await inSpan('complete export', {}, () => inTransaction(deps.db, finish))
}

const fail = (deps: Deps, row: store.ExportRow, failure_reason: string): Promise<void> =>
  inTransaction(deps.db, (tx) => failExport({ ...deps, tx }, row, failure_reason))

/** Completes an export that is still processing. */
export async function completeExport(
  c: Deps & { tx: Tx },
  row: store.ExportRow,
  { num_calls, ...sums }: CdrTotals,
  file: StagedFile,
  life_h: number,
): Promise<void> {
  const now = c.clock.now()
  const expires_at = new Date(now.getTime() + life_h * 3_600_000)
  const completed = await store.finishExport(c.tx, row, {
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
  await schedule(c.tx, expireJob, row.id, expires_at)
  await keepFile(c.tx, file)
  await recordOutcome(c, completed)
}

/** Fails an export that is still processing. */
export async function failExport(c: Deps & { tx: Tx }, row: store.ExportRow, failure_reason: string): Promise<void> {
  const outcome = { status: 'failed', failure_reason, finished_at: c.clock.now() } as const
  const failed = await store.finishExport(c.tx, row, outcome)
  if (failed) await recordOutcome(c, failed)
}

/** Records the final event. The notification contains the export's current document. */
async function recordOutcome(c: Deps & { tx: Tx }, row: store.ExportRow): Promise<void> {
  await recordEvent({ ...c, actor: systemActor(buildJob, row.account_id) }, row.account_id, {
    type: `cdrexport.${row.status}`,
    subject_type: linkSubject,
    subject_id: row.id,
    data: { num_calls: row.num_calls, sha256: row.sha256, failure_reason: row.failure_reason },
    notification: row.callback_url === null ? null : { url: row.callback_url, document: exportDocument(c, row) },
  })
}

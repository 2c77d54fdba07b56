import { Readable } from 'node:stream'
import { e911Validations } from '@demarc/client'
import { systemActor } from '../../platform/actor.ts'
import type { Deps } from '../../platform/context.ts'
import { inTransaction, type Tx } from '../../platform/db.ts'
import { recordEvent } from '../../platform/events.ts'
import { keepFile, releaseFiles } from '../../platform/file-references.ts'
import type { StagedFile } from '../../platform/files/index.ts'
import { schedule, type JobRun } from '../../platform/jobs.ts'
import { csv } from './csv.ts'
import { validateRow, type BulkFormat, type BulkRow } from './validate-row.ts'
import { ndjson } from './ndjson.ts'
import { FileRefused, inChunks } from '../../platform/file-text.ts'
import { FileDamaged, verifyFile } from '../../platform/verified-files.ts'
import { BULK } from './limits.ts'
import { validationSubject } from './document.ts'
import * as store from './store.ts'
import { expireJob, validateJob } from './actions.ts'
import type { Validator } from '../../engines/addresses/index.ts'

/** The job of a bulk validation: upload → rows → verdicts → result file. Row, event, and expiry change in one transaction. */

const formats: Record<store.ValidationRow['media_type'], BulkFormat> = {
  'text/csv': csv,
  'application/x-ndjson': ndjson,
}
const rows_max = e911Validations.e911ValidationRows_max

const piece_characters = 64 * 1024
/** Small, so that reading is not far ahead of validation and progress is accurate. */
const read_chunk_bytes = 8 * 1024

const failed =
  'The addresses could not be validated. Send the file again; if it fails again, tell the operator the ID of this validation.'

const damaged = 'The file was damaged in storage before it was validated. Send it again.'

/** Validates a file that is still processing. Safe to run twice: the work of a worker that died starts over. */
export async function validateFile(deps: Deps, validator: Validator, life_h: number, run: JobRun): Promise<void> {
  const row = await store.findValidation(deps.db, systemActor(validateJob, null), run.key)
  if (row?.status !== 'processing') return
  if (run.interrupted >= BULK.attempts_without_end) return await fail(deps, row, failed, life_h)
  try {
    const work = new Work(deps, validator, row)
    const file = await deps.files.stage(Readable.from(inPieces(work.result())), { signal: run.signal })
    try {
      await complete(deps, row, file, work.tally, life_h)
    } finally {
      await file.discard()
    }
  } catch (error) {
    if (run.signal.aborted) throw error
    if (error instanceof FileRefused) return await fail(deps, row, error.message, life_h)
    if (error instanceof FileDamaged) return await fail(deps, row, damaged, life_h)
    if (!run.last_attempt) throw error
    deps.log.error({ err: error, validation_id: row.id }, 'a validation of addresses failed')
    await fail(deps, row, failed, life_h)
  }
}

/** One pass through a file. */
class Work {
  readonly tally: store.Tally = { row_count: 0, verdicts: {}, levels: {}, progress: 1 }
  readonly #deps: Deps
  readonly #validator: Validator
  readonly #row: store.ValidationRow
  #reported_at = performance.now()

  constructor(deps: Deps, validator: Validator, row: store.ValidationRow) {
    this.#deps = deps
    this.#validator = validator
    this.#row = row
  }

  /** The lines of the result. Throws FileRefused for a file that cannot be processed. */
  async *result(): AsyncGenerator<string> {
    const { files } = this.#deps
    const { account_id, id, media_type, given_sha256 } = this.#row
    const bytes = Number(this.#row.given_bytes)
    await verifyFile(this.#deps, { sha256: given_sha256, bytes, account_id, used_by: `validation ${id}` })
    let bytes_read = 0
    async function* measured(source: AsyncIterable<Uint8Array>) {
      for await (const chunk of inChunks(source, read_chunk_bytes)) {
        bytes_read += chunk.length
        yield chunk
      }
    }
    const rows = formats[media_type].rows(measured(await files.read(given_sha256)))
    for await (const { row, result } of inOrder(atMost(rows), BULK.rows_at_once, (one) => this.#validate(one))) {
      this.tally.row_count++
      this.tally.verdicts[result.verdict] = (this.tally.verdicts[result.verdict] ?? 0) + 1
      if (result.level !== null) this.tally.levels[result.level] = (this.tally.levels[result.level] ?? 0) + 1
      yield row.write(result)
      // 0.99 at most: only the finished row reports 1
      this.#reportProgress(Math.min(0.99, bytes_read / Math.max(1, bytes)))
    }
    if (this.tally.row_count === 0) throw new FileRefused('The file has no addresses.')
  }

  async #validate(row: BulkRow) {
    return { row, result: 'unread' in row ? row.unread : await validateRow(this.#validator, row.fields) }
  }

  #reportProgress(progress: number): void {
    if (performance.now() - this.#reported_at < BULK.progress_ms) return
    this.#reported_at = performance.now()
    const { row_count, verdicts, levels } = this.tally
    store
      .setProgress(this.#deps.db, this.#row, {
        row_count,
        verdicts: { ...verdicts },
        levels: { ...levels },
        progress: Number(progress.toFixed(3)),
      })
      .catch((error: unknown) => this.#deps.log.warn({ err: error }, 'could not write progress'))
  }
}

/**
 * Processes up to `at_once` items concurrently, and yields the results in the order of the items. Throws what the source or
 * the work throws.
 */
async function* inOrder<T, R>(
  source: AsyncIterable<T>,
  at_once: number,
  work: (item: T) => Promise<R>,
): AsyncGenerator<R> {
  const under_way: Promise<R>[] = []
  for await (const item of source) {
    const done = work(item)
    // a failure is thrown when its turn comes, and must not count as unhandled before
    done.catch(() => undefined)
    under_way.push(done)
    const first = under_way.length >= at_once ? under_way.shift() : undefined
    if (first) yield await first
  }
  for (const rest of under_way) yield await rest
}

/** Joins lines into pieces large enough for one write. */
async function* inPieces(lines: AsyncIterable<string>): AsyncGenerator<string> {
  let piece = ''
  for await (const line of lines) {
    piece += line
    if (piece.length < piece_characters) continue
    yield piece
    piece = ''
  }
  if (piece !== '') yield piece
}

async function* atMost(rows: AsyncIterable<BulkRow>): AsyncGenerator<BulkRow> {
  let count = 0
  for await (const row of rows) {
    if (++count > rows_max)
      throw new FileRefused(`The file has more than ${rows_max} rows. Send it in parts of at most that many.`)
    yield row
  }
}

async function complete(
  deps: Deps,
  row: store.ValidationRow,
  file: StagedFile,
  tally: store.Tally,
  life_h: number,
): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    const outcome = { ...tally, status: 'completed', sha256: file.digest, bytes: String(file.bytes) } as const
    await finish(deps, tx, row, { ...outcome, expires_at: expiry(deps, life_h) }, file)
  })
}

async function fail(deps: Deps, row: store.ValidationRow, failure_reason: string, life_h: number): Promise<void> {
  await inTransaction(deps.db, (tx) =>
    finish(deps, tx, row, { status: 'failed', failure_reason, expires_at: expiry(deps, life_h) }),
  )
}

const expiry = (deps: Deps, life_h: number) => new Date(deps.clock.now().getTime() + life_h * 3_600_000)

async function finish(
  deps: Deps,
  tx: Tx,
  row: store.ValidationRow,
  outcome: Parameters<typeof store.finishValidation>[2],
  result: StagedFile | null = null,
): Promise<void> {
  const done = await store.finishValidation(tx, row, outcome)
  if (!done) return
  await schedule(tx, expireJob, row.id, outcome.expires_at)
  await releaseFiles(tx, [row.given_sha256], deps.clock.now())
  if (result) await keepFile(tx, result)
  const actor = systemActor(validateJob, row.account_id)
  await recordEvent({ tx, actor, clock: deps.clock }, row.account_id, {
    type: `e911_validation.${done.status}`,
    subject_type: validationSubject,
    subject_id: row.id,
    data: { rows: done.row_count, sha256: done.sha256, failure_reason: done.failure_reason },
  })
}

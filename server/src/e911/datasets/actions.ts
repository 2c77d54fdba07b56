import type pg from 'pg'
import { countText, type e911Datasets as api, type Query } from '@demarc/client'
import type { Context, Deps } from '../../platform/context.ts'
import { inTransaction, type Tx } from '../../platform/db.ts'
import { recordEvent } from '../../platform/events.ts'
import { keepFile, releaseFiles } from '../../platform/file-references.ts'
import type { StagedFile } from '../../platform/files/index.ts'
import { enqueue, type JobRun } from '../../platform/jobs.ts'
import { invalid, problem, throwIfInvalid } from '../../platform/problem.ts'
import * as streetData from '../../engines/street-data/index.ts'
import { countCheckedAgainst } from '../store.ts'
import { followUps } from './follow-ups.ts'
import { FileRefused } from '../../platform/file-text.ts'
import {
  clearDatasets,
  DatasetBusy,
  DatasetRemoved,
  type DatasetOptions,
  type FormatName,
  FORMATS,
  IMPORT,
  importDataset,
  isFormat,
  layoutOption,
  optionErrors,
  pairsOption,
  storedFile,
} from '../../engines/street-data/index.ts'
import { FileDamaged, verifyFile } from '../../platform/verified-files.ts'
import { checkUpload, stageUpload, uploadFile, type Upload } from '../upload.ts'

/** Street data uploaded by the operator: stored as a file, loaded by a job, activated, and deleted. */

/** Kind of the job that loads a dataset, keyed by the dataset's id. */
export const importJob = 'import-e911'

/** Retry intervals of jobs that wait for another process. */
const busy_ms = 5_000
const clear_again_ms = 3_600_000

type ImportQuery = Query<typeof api.importE911Dataset>

/**
 * Stores a file and enqueues its import. Sending the same file again under the same name and vintage changes nothing. Throws
 * 422 for invalid options, and 409 for a different file under an existing name and vintage.
 */
export async function receiveDataset(c: Context, query: ImportQuery, body: Upload): Promise<streetData.Dataset> {
  const options = readOptions(query)
  const format_name = formatNamed(query.format)
  throwIfInvalid(optionErrors(format_name, options))
  const { kind, authority } = FORMATS[format_name]
  checkUpload(body, uploadLimit)
  const file = await stageUpload(c, body, uploadLimit)
  try {
    const now = c.clock.now()
    return await beginLoading(c, file, {
      name: query.name,
      vintage: query.vintage ?? now.toISOString().slice(0, 10),
      format: query.format,
      kind,
      authority: query.authority ?? authority,
      license: '',
      source: '',
      created_at: now,
      options,
      upload: { sha256: file.digest, activate: query.activate === 'true', force: query.force === 'true', ...options },
    })
  } finally {
    await file.discard()
  }
}

const uploadLimit = {
  bytes_max: IMPORT.upload_bytes_max,
  tooLarge: (cause?: unknown) =>
    problem(
      'payload-too-large',
      `The file is larger than ${IMPORT.upload_bytes_max} bytes. Send it compressed, or import it from the command line.`,
      { cause },
    ),
  // detected by the first bytes of the file, not by the header
  encodings: ['gzip', 'x-gzip'],
}

function beginLoading(c: Context, file: StagedFile, input: streetData.NewDataset): Promise<streetData.Dataset> {
  return inTransaction(c.db, async (tx) => {
    const { row, begun } = await streetData.beginDataset(tx, input)
    if (!begun) return sameAs(row, input)
    await enqueue(tx, importJob, String(row.id), input.created_at, { size: file.bytes })
    await keepFile(tx, file)
    await recordEvent({ ...c, tx }, null, {
      type: 'e911_dataset.received',
      subject_type: 'e911_dataset',
      subject_id: String(row.id),
      data: { name: row.name, vintage: row.vintage, sha256: file.digest },
    })
    return row
  })
}

/** The existing dataset if it came from the same file. Throws 409 otherwise, because the new file would be lost silently. */
function sameAs(row: streetData.Dataset, input: streetData.NewDataset): streetData.Dataset {
  if (row.sha256 !== input.upload?.sha256 || !streetData.isSameReading(row, input))
    throw problem(
      'conflict',
      row.status === 'loading' && row.sha256 === input.upload?.sha256
        ? `${row.name} of vintage ${row.vintage} is being loaded as dataset ${row.id} with other options. Wait for it to finish, or delete it first.`
        : `${row.name} of vintage ${row.vintage} already exists as dataset ${row.id}, from a different file. Use another vintage, or delete that dataset first.`,
    )
  return row
}

function formatNamed(name: string): FormatName {
  if (isFormat(name)) return name
  throw invalid({ format: ['Unknown format.'] })
}

function readOptions(query: ImportQuery): DatasetOptions {
  const { state, country, city, columns, layout } = query
  return {
    ...(state === undefined ? {} : { state }),
    ...(country === undefined ? {} : { country }),
    ...(city === undefined ? {} : { city }),
    ...(columns === undefined ? {} : { columns: understood('columns', () => pairsOption(columns)) }),
    ...(layout === undefined ? {} : { layout: understood('layout', () => layoutOption(layout)) }),
  }
}

/** The messages of the option readers are written for the operator. */
function understood<T>(field: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw invalid({ [field]: [error instanceof Error ? error.message : String(error)] }, { cause: error })
  }
}

/** Loads a dataset from its stored file. Safe to run twice: a loaded dataset is only activated. */
export async function loadDataset(deps: Deps, pool: pg.Pool, run: JobRun): Promise<{ again_at: Date } | void> {
  const row = await streetData.findDataset(deps.db, run.key)
  if (!row?.upload || !isFormat(row.format)) return
  const { sha256, activate, force = false, country, ...options } = row.upload
  const { name, vintage, format, authority } = row
  try {
    if (run.interrupted >= IMPORT.attempts_without_end) throw new FileRefused(gaveUp)
    await verifyFile(deps, uploadFile(sha256, row.id))
    const { dataset } = await importDataset(pool, {
      ...options,
      ...(country === 'US' || country === 'CA' ? { country } : {}),
      file: await storedFile(deps.files, sha256, name),
      format,
      name,
      vintage,
      authority,
      activate,
      force,
      dataset_id: row.id,
      follow_ups: followUps,
      now: deps.clock.now(),
      signal: run.signal,
    })
    if (dataset.status === 'held')
      deps.log.warn({ dataset_id: row.id, held: dataset.report?.held }, 'street data is loaded but held')
    await endLoading(deps, sha256, (tx) => streetData.clearUpload(tx, row.id))
  } catch (error) {
    if (run.signal.aborted) throw error
    if (error instanceof DatasetBusy) return { again_at: new Date(deps.clock.now().getTime() + busy_ms) }
    if (error instanceof DatasetRemoved) return
    if (!(error instanceof FileRefused || error instanceof FileDamaged) && !run.last_attempt) throw error
    // the dataset records the reason; the same file would fail again
    deps.log.warn({ err: error, dataset_id: row.id }, 'street data could not be loaded')
    const reason = error instanceof FileRefused ? error.message : error instanceof FileDamaged ? damaged : gaveUp
    await endLoading(deps, sha256, (tx) => streetData.markFailed(tx, row.id, reason))
  }
}

/** Records the end of an import; its file is no longer needed. */
async function endLoading(deps: Deps, sha256: string, record: (tx: Tx) => Promise<void>): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    await record(tx)
    await releaseFiles(tx, [sha256], deps.clock.now())
  })
}

const damaged = 'The file was damaged in storage before it was loaded. Send it again.'
const gaveUp = 'The import failed for a reason outside the file. The worker log has the cause. Send the file again.'

/** Clears the rows of deleted datasets and killed imports. Safe to run twice, and to stop at any time. */
export async function clearLeftovers(deps: Deps, run: JobRun): Promise<{ again_at: Date } | void> {
  const done = await clearDatasets(deps.db, run.signal)
  if (!done) return { again_at: new Date(deps.clock.now().getTime() + clear_again_ms) }
}

/** Throws 404 for an unknown dataset. */
export async function requireDataset(c: Context, id: string): Promise<streetData.Dataset> {
  const row = await streetData.findDataset(c.tx, id)
  if (!row) throw problem('not-found', `There is no dataset ${id}.`)
  return row
}

/**
 * Activates a loaded dataset in place of the active vintage of its name, or rolls back to the previous vintage. Throws 404,
 * and 409 if it is not loaded, or if its report holds it and `force` is not set.
 */
export async function activate(c: Context, id: string, force: boolean): Promise<streetData.Dataset> {
  const row = await requireDataset(c, id)
  // before the transaction, because comparing the streets takes longer than the activation
  const overlap = await streetData.overlapOf(c.db, row.id)
  return await inTransaction(c.db, async (tx) => {
    const options = { now: c.clock.now(), follow_ups: followUps, force }
    const activation = await streetData.activate(tx, Number(id), options)
    if (activation === 'not loaded')
      throw problem('conflict', `Dataset ${id} is ${row.status}. Only a loaded dataset can be activated.`)
    if (activation === 'held')
      throw problem(
        'conflict',
        `Dataset ${id} is held: ${row.report?.held.join(' ') ?? ''} If this is expected, activate it with force=true; otherwise send the file again with the right columns.`,
      )
    await streetData.recordOverlap(tx, row.id, overlap)
    await recordEvent({ ...c, tx }, null, { type: 'e911_dataset.activated', ...subjectOf(id), data: { force } })
    // read here: after the commit, a failed read would report an error for a completed activation
    return await requireDataset({ ...c, tx }, id)
  })
}

/**
 * Deletes a dataset and its streets. Throws 404, and 409 for an active one unless `force` is set: its addresses are then checked
 * less precisely.
 */
export async function remove(c: Context, id: string, force: boolean): Promise<void> {
  const { upload } = await requireDataset(c, id)
  await inTransaction(c.db, async (tx) => {
    // counted in the transaction, because it may have been activated meanwhile
    const row = await streetData.findDataset(tx, id)
    if (row?.status === 'active' && !force) throw inUse(id, await countCheckedAgainst(tx, row))
    // already deleted by another request
    if (!(await streetData.drop(tx, Number(id), c.clock.now(), followUps))) return
    if (upload) await releaseFiles(tx, [upload.sha256], c.clock.now())
    await recordEvent({ ...c, tx }, null, { type: 'e911_dataset.removed', ...subjectOf(id) })
  })
}

const inUse = (id: string, addresses: number) =>
  problem(
    'conflict',
    `Dataset ${id} is active, and ${countText(addresses, 'stored address was', 'stored addresses were')} checked against it. Without it, they are checked again, less precisely unless other data covers them. To remove it anyway, send force=true.`,
  )

const subjectOf = (id: string) => ({ subject_type: 'e911_dataset', subject_id: id })

import type pg from 'pg'
import type { e911Datasets as api, Query } from '@demarc/client'
import type { Context, Deps } from '../../platform/context.ts'
import { inTransaction, type Tx } from '../../platform/db.ts'
import { recordEvent } from '../../platform/events.ts'
import { enqueue, type JobRun } from '../../platform/jobs.ts'
import { invalid, notFound, problem, refuseFaults } from '../../platform/problem.ts'
import * as store from '../../engines/street-data/store.ts'
import { FileRefused } from '../../platform/file-text.ts'
import { clearDatasets } from '../../engines/street-data/clear.ts'
import * as switches from '../../engines/street-data/switch.ts'
import { FORMATS, isFormat, type FormatName } from '../../engines/street-data/import/formats/index.ts'
import { DatasetBusy, DatasetRemoved, importDataset } from '../../engines/street-data/import/importer.ts'
import { IMPORT } from '../../engines/street-data/import/limits.ts'
import { layoutOption, optionFaults, pairsOption } from '../../engines/street-data/import/options.ts'
import { storedFile } from '../../engines/street-data/import/source.ts'
import { markFailed } from '../../engines/street-data/switch-store.ts'
import type { DatasetUpload } from '../../engines/street-data/tables.ts'
import { takeUpload, type Upload } from '../upload.ts'

/** Street data as the operator sends it in: kept as a file, loaded by a job, switched on and off. */

/** Kind of the job that loads a dataset; its key is the dataset's id. */
export const importJob = 'import-e911'

/** When a job looks again whether somebody else has done with what it waits for. */
const busy_ms = 5_000
const clear_again_ms = 3_600_000

type ImportQuery = Query<typeof api.importE911Dataset>

/**
 * Takes a file in and rings for its loading. The same file under the same name and vintage again changes nothing. Throws
 * 422 for options that are not understood, 409 for another file under a name and vintage that are there.
 */
export async function takeDataset(c: Context, query: ImportQuery, body: Upload): Promise<store.DatasetRow> {
  const options = readOptions(query)
  const format_name = formatNamed(query.format)
  refuseFaults(optionFaults(format_name, options))
  const format = FORMATS[format_name]
  const sha256 = await takeUpload(c, body, {
    bytes_max: IMPORT.upload_bytes_max,
    too_large: `A file of street data may have ${IMPORT.upload_bytes_max} bytes. Send it packed, or load it from the command line.`,
    // told by its first bytes, whatever the header says
    encodings: ['gzip', 'x-gzip'],
  })
  return await inTransaction(c.db, async (tx) => {
    const now = c.clock.now()
    const wish = {
      name: query.name,
      vintage: query.vintage ?? now.toISOString().slice(0, 10),
      format: query.format,
      kind: format.kind,
      authority: query.authority ?? format.authority,
      licence: '',
      source: '',
      created_at: now,
      upload: { sha256, ...options },
    }
    const { row, begun } = await store.beginDataset(tx, wish)
    if (!begun) return sameAs(row, wish)
    await enqueue(tx, importJob, row.id, now)
    await recordEvent(tx, c.actor, null, now, {
      type: 'e911_dataset.received',
      subject_type: 'e911_dataset',
      subject_id: row.id,
      data: { name: row.name, vintage: row.vintage, sha256 },
    })
    return row
  })
}

/** The dataset that is there, if it is of the same file. Throws 409 otherwise: what was sent would be lost without a word. */
function sameAs(row: store.DatasetRow, wish: store.NewDataset): store.DatasetRow {
  const same = row.sha256 === wish.upload?.sha256 && row.format === wish.format && row.authority === wish.authority
  if (same) return row
  throw problem(
    'conflict',
    `${row.name} of vintage ${row.vintage} is dataset ${row.id}, from another file or read in another way. Give this one another vintage, or delete that one first.`,
  )
}

function formatNamed(name: string): FormatName {
  if (isFormat(name)) return name
  throw invalid({ format: ['Is not a format that is known.'] })
}

function readOptions(query: ImportQuery): Omit<DatasetUpload, 'sha256'> {
  const { activate, state, country, city, columns, layout } = query
  return {
    activate: activate === 'true',
    ...(state === undefined ? {} : { state }),
    ...(country === undefined ? {} : { country }),
    ...(city === undefined ? {} : { city }),
    ...(columns === undefined ? {} : { columns: understood('columns', () => pairsOption(columns)) }),
    ...(layout === undefined ? {} : { layout: understood('layout', () => layoutOption(layout)) }),
  }
}

/** What the option readers say of a text is for the operator. */
function understood<T>(field: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw invalid({ [field]: [error instanceof Error ? error.message : String(error)] }, { cause: error })
  }
}

/** Loads a dataset that was taken in. Safe to run twice: what was loaded already is only switched on. */
export async function loadDataset(deps: Deps, pool: pg.Pool, run: JobRun): Promise<{ again_at: Date } | void> {
  const row = await store.findDataset(deps.db, run.key)
  if (!row?.upload || !isFormat(row.format)) return
  const { sha256, activate, country, ...options } = row.upload
  const { name, vintage, format, authority } = row
  try {
    if (run.attempt > IMPORT.attempts_without_end) throw new FileRefused(gaveUp)
    await importDataset(pool, {
      ...options,
      ...(country === 'US' || country === 'CA' ? { country } : {}),
      file: await storedFile(deps.files, sha256, name),
      format,
      name,
      vintage,
      authority,
      activate,
      dataset_id: Number(row.id),
      now: deps.clock.now(),
      signal: run.signal,
    })
    await store.forgetUpload(deps.db, row.id)
  } catch (error) {
    if (run.signal.aborted) throw error
    if (error instanceof DatasetBusy) return { again_at: new Date(deps.clock.now().getTime() + busy_ms) }
    if (error instanceof DatasetRemoved) return
    if (!(error instanceof FileRefused) && !run.last_attempt) throw error
    // the dataset says why; the same file would fail the same way
    deps.log.warn({ err: error, dataset_id: row.id }, 'street data could not be loaded')
    await markFailed(deps.db, Number(row.id), error instanceof FileRefused ? error.message : gaveUp)
  }
}

const gaveUp = 'The file could not be loaded, for no fault of its own. The log of the worker says why. Send it again.'

/** Clears what datasets that went and imports that were killed left behind. Safe to run twice, and to be stopped at any time. */
export async function clearLeftovers(deps: Deps, run: JobRun): Promise<{ again_at: Date } | void> {
  const done = await clearDatasets(deps.db, run.signal)
  if (!done) return { again_at: new Date(deps.clock.now().getTime() + clear_again_ms) }
}

/** Throws 404 for an unknown dataset. */
export async function requireDataset(c: Context, id: string): Promise<store.DatasetRow> {
  const row = await store.findDataset(c.tx, id)
  if (!row) throw notFound(`No dataset ${id}`)
  return row
}

/** Makes a loaded dataset count, in place of another vintage of its name. Throws 404, 409 while it is not loaded. */
export async function activate(c: Context, id: string): Promise<store.DatasetRow> {
  const row = await requireDataset(c, id)
  await inTransaction(c.db, async (tx) => {
    if (!(await switches.activate(tx, Number(id), c.clock.now())))
      throw problem('conflict', `Dataset ${id} is ${row.status}. Only one that is loaded can be activated.`)
    await noteSwitch(c, tx, id, 'e911_dataset.activated')
  })
  return await requireDataset(c, id)
}

/** Removes a dataset with its streets. Throws 404. */
export async function remove(c: Context, id: string): Promise<void> {
  await requireDataset(c, id)
  await inTransaction(c.db, async (tx) => {
    // gone already, by somebody else
    if (await switches.drop(tx, Number(id), c.clock.now())) await noteSwitch(c, tx, id, 'e911_dataset.removed')
  })
}

async function noteSwitch(c: Context, tx: Tx, id: string, type: string): Promise<void> {
  await recordEvent(tx, c.actor, null, c.clock.now(), { type, subject_type: 'e911_dataset', subject_id: id })
}

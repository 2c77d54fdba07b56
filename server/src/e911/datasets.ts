import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type pg from 'pg'
import type { e911Datasets as api, Query } from '@demarc/client'
import type { Context, Deps } from '../platform/context.ts'
import { inTransaction } from '../platform/db.ts'
import { recordEvent } from '../platform/events.ts'
import { FileTooLarge } from '../platform/files.ts'
import { enqueue, type JobRun } from '../platform/jobs.ts'
import { invalid, notFound, problem } from '../platform/problem.ts'
import { ringForRevalidation } from './actions.ts'
import * as store from './dataset-store.ts'
import { activateDataset, dropDataset } from './import/datasets.ts'
import { FORMATS, isFormat, type FormatName } from './import/formats/index.ts'
import { importDataset } from './import/importer.ts'
import { layoutOption, pairsOption } from './import/options.ts'
import type { DatasetUpload } from './tables.ts'

/** Street data as the operator sends it in: kept as a file, loaded by a job, switched on and off. */

/** Kind of the job that loads a dataset; its key is the dataset's id. */
export const importJob = 'import-e911'

/** The national files of the largest sources stay below this; larger ones go in by state, or from the command line. */
export const uploadBytes_max = 20_000_000_000

type ImportQuery = Query<typeof api.importE911Dataset>

/** Takes a file in and rings for its loading. The same name and vintage again changes nothing. Throws 422 for options that are not understood. */
export async function takeDataset(c: Context, query: ImportQuery, body: Readable): Promise<store.DatasetRow> {
  const options = readOptions(query)
  const format = FORMATS[formatNamed(query.format)]
  const sha256 = await takeFile(c, body)
  return await inTransaction(c.db, async (tx) => {
    const now = c.clock.now()
    const { row, begun } = await store.beginDataset(tx, {
      name: query.name,
      vintage: query.vintage ?? now.toISOString().slice(0, 10),
      format: query.format,
      kind: format.kind,
      authority: query.authority ?? format.authority,
      created_at: now,
      upload: { sha256, ...options },
    })
    if (!begun) return row
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

async function takeFile(c: Context, body: Readable): Promise<string> {
  try {
    return (await c.files.putStream(body, { max_bytes: uploadBytes_max })).digest
  } catch (error) {
    if (error instanceof FileTooLarge)
      throw problem('payload-too-large', `A file of street data may have ${uploadBytes_max} bytes.`, { cause: error })
    throw error
  }
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
export async function loadDataset(deps: Deps, pool: pg.Pool, run: JobRun): Promise<void> {
  const row = await store.findDataset(deps.db, run.key)
  if (!row?.upload || !isFormat(row.format)) return
  const { sha256, activate, country, ...options } = row.upload
  const folder = await mkdtemp(path.join(os.tmpdir(), 'demarc-e911-'))
  try {
    // the reader of archives jumps about in its file; the store gives streams
    const file = path.join(folder, `${row.name.replaceAll(/[^\w.-]/g, '_')}.data`)
    await pipeline(await deps.files.read(sha256), createWriteStream(file), { signal: run.signal })
    await importDataset(pool, {
      ...options,
      ...(country === 'US' || country === 'CA' ? { country } : {}),
      file,
      format: row.format,
      name: row.name,
      vintage: row.vintage,
      authority: row.authority,
      activate,
      dataset_id: Number(row.id),
      now: deps.clock.now(),
      signal: run.signal,
    })
  } catch (error) {
    if (run.signal.aborted) throw error
    // the dataset says why; the same file would fail the same way
    deps.log.warn({ err: error, dataset_id: row.id }, 'street data could not be loaded')
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
  await store.forgetUpload(deps.db, row.id)
  if (activate) await ringForRevalidation(deps)
}

/** Throws 404 for an unknown dataset. */
export async function requireDataset(c: Context, id: string): Promise<store.DatasetRow> {
  const row = await store.findDataset(c.tx, id)
  if (!row) throw notFound(`No dataset ${id}`)
  return row
}

/** Makes a loaded dataset count, in place of another vintage of its name. Throws 404, 409 while it is not loaded. */
export async function activate(c: Context, pool: pg.Pool, id: string): Promise<store.DatasetRow> {
  const row = await requireDataset(c, id)
  if (!(await activateDataset(pool, Number(id), c.clock.now())))
    throw problem('conflict', `Dataset ${id} is ${row.status}. Only one that is loaded can be activated.`)
  await noteSwitch(c, id, 'e911_dataset.activated')
  return await requireDataset(c, id)
}

/** Removes a dataset with its streets. Throws 404. */
export async function remove(c: Context, pool: pg.Pool, id: string): Promise<void> {
  await requireDataset(c, id)
  await dropDataset(pool, Number(id))
  await noteSwitch(c, id, 'e911_dataset.removed')
}

async function noteSwitch(c: Context, id: string, type: string): Promise<void> {
  await inTransaction(c.db, (tx) =>
    recordEvent(tx, c.actor, null, c.clock.now(), { type, subject_type: 'e911_dataset', subject_id: id }),
  )
  await ringForRevalidation(c)
}

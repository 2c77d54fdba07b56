import type pg from 'pg'
import {
  type Executor,
  inTransaction,
  kyselyForClient,
  kyselyForPool,
  openConnection,
  type Tx,
} from '../../../platform/db.ts'
import * as store from '../store.ts'
import { FileRefused } from '../../../platform/file-text.ts'
import type { Authority, PostalData } from '../../addresses/index.ts'
import { activate, activateDataset, type FollowUps } from '../switch.ts'
import type { DatasetOptions } from '../tables.ts'
import { measure, report } from './assess.ts'
import type { ReadOptions } from './format.ts'
import { FORMATS, type FormatName } from './formats/index.ts'
import { replaceSuffixes } from './learn.ts'
import type { PlaceDefaults } from './resolve.ts'
import { fileOnDisk, type Source } from './source.ts'
import { PROGRESS_READ, type ReportProgress, stage, type Staged } from './stage.ts'
import * as staging from './staging-store.ts'

/** Progress when the streets are aggregated, by share of the time for a million streets. */
const PROGRESS_AGGREGATED = 0.95
/** The cleanup job runs this long after an import starts, and repeats until the import has ended. */
const CLEAR_AFTER_MS = 3_600_000

export interface ImportOptions extends ReadOptions, PlaceDefaults {
  /** A path or a source. */
  file: string | Source
  format: FormatName
  /** Identifies a dataset together with the vintage. */
  name: string
  vintage: string
  authority?: Authority
  license?: string
  source?: string
  /** Activates the dataset when loaded, in place of the active vintage of its name, unless its report holds it. */
  activate: boolean
  /** Activates it even if its report holds it. */
  force?: boolean
  /** The dataset's id if a job loads it: its row exists and is kept for the next attempt. */
  dataset_id?: number
  now: Date
  follow_ups: FollowUps
  signal?: AbortSignal
  onProgress?: (progress: ImportProgress) => void
  /** For tests. */
  data?: PostalData
}

export interface ImportProgress {
  dataset_id: number
  rows_read: number
  rows_skipped: number
  /** 0 to 1; 1 when everything is loaded. */
  progress: number
}

export interface ImportReport {
  dataset: store.Dataset
  /** The same name and vintage was already loaded, so it was only activated if requested. */
  repeated: boolean
  seconds: number
}

/** Another session is loading a dataset of this name. */
export class DatasetBusy extends Error {
  constructor(name: string) {
    super(`${name} is being loaded by another process. Wait for it to finish, or stop it.`)
    this.name = 'DatasetBusy'
  }
}

/** The dataset was dropped during the import. */
export class DatasetRemoved extends Error {
  constructor(name: string) {
    super(`${name} was deleted during the import.`)
    this.name = 'DatasetRemoved'
  }
}

/**
 * Loads a file of street data. Readers see none of it until it is active, and then all of it. If the file is refused, the dataset
 * gets status `failed` and the reason. The next import of that name and vintage starts over, as it does after a killed import.
 * Throws FileRefused, DatasetBusy, DatasetRemoved, and database errors.
 */
export async function importDataset(pool: pg.Pool, options: ImportOptions): Promise<ImportReport> {
  const started = performance.now()
  const { name } = options
  // before anything is written: a mistyped path creates no dataset
  const file = typeof options.file === 'string' ? await fileOnDisk(options.file) : options.file
  const client = await openConnection(pool)
  try {
    await staging.prepareSession(client)
    if (!(await staging.lockName(client, name))) throw new DatasetBusy(name)
    const own = kyselyForClient(client)
    const known = await knownDataset(own, options)
    const repeated = known !== undefined && known.status !== 'loading' && known.status !== 'failed'
    const id = repeated ? known.id : await begin(pool, client, options, known)
    if (!repeated) await load(pool, client, id, { ...options, file })
    else if (options.activate && known.status !== 'active') {
      if ((await activateDataset(kyselyForPool(pool), id, options)) === 'not loaded') throw new DatasetRemoved(name)
    }
    await staging.unlockAll(client)
    const dataset = await store.findDataset(own, id)
    if (!dataset) throw new DatasetRemoved(name)
    return { dataset, repeated, seconds: (performance.now() - started) / 1000 }
  } finally {
    // closing the connection releases its locks
    await client.end()
  }
}

/** The dataset that the job is to load, or the one of that name and vintage that was read with the same options. */
async function knownDataset(db: Executor, options: ImportOptions): Promise<store.Dataset | undefined> {
  if (options.dataset_id !== undefined) return await store.findDataset(db, options.dataset_id)
  const known = await store.findVintage(db, options.name, options.vintage)
  const is_other = known !== undefined && known.sha256 === null && !store.isSameReading(known, readingOf(options))
  return is_other && known.status !== 'loading' ? undefined : known
}

function readingOf(input: ImportOptions): { format: FormatName; authority: Authority; options: DatasetOptions } {
  const { format, state, country, city, columns, layout } = input
  const options = {
    ...(state === undefined ? {} : { state }),
    ...(country === undefined ? {} : { country }),
    ...(city === undefined ? {} : { city }),
    ...(columns === undefined ? {} : { columns }),
    ...(layout === undefined ? {} : { layout }),
  }
  return { format, authority: input.authority ?? FORMATS[format].authority, options }
}

/** Locks the dataset, drops the staging tables of an interrupted attempt, and returns its id. */
async function begin(
  pool: pg.Pool,
  client: pg.ClientBase,
  options: ImportOptions,
  known: store.Dataset | undefined,
): Promise<number> {
  const { name, vintage, now } = options
  const id = options.dataset_id ?? (await beginFromCommandLine(pool, options, known))
  if (options.dataset_id !== undefined && known?.id !== id) throw new DatasetRemoved(`${name} ${vintage}`)
  if (!(await staging.lockDataset(client, id))) throw new DatasetBusy(name)
  await staging.dropStaging(client, id)
  await options.follow_ups.importStarted(kyselyForPool(pool), new Date(now.getTime() + CLEAR_AFTER_MS))
  return id
}

async function beginFromCommandLine(
  pool: pg.Pool,
  options: ImportOptions,
  known: store.Dataset | undefined,
): Promise<number> {
  const { name, vintage, now } = options
  // a job is loading it
  if (known && known.upload !== null) throw new DatasetBusy(name)
  const reading = readingOf(options)
  const input = {
    ...reading,
    name,
    vintage,
    kind: FORMATS[reading.format].kind,
    license: options.license ?? '',
    source: options.source ?? '',
    created_at: now,
    upload: null,
  }
  const { row } = await store.beginDataset(kyselyForPool(pool), input, ['failed', 'loading'])
  return row.id
}

async function load(
  pool: pg.Pool,
  client: pg.ClientBase,
  id: number,
  options: ImportOptions & { file: Source },
): Promise<void> {
  const report_progress = progressReporter(pool, id, options)
  try {
    const staged = await stage(client, id, options, report_progress)
    await inTransaction(kyselyForClient(client), (tx) => assemble(tx, client, id, staged, options, report_progress))
  } catch (error) {
    // an import from the command line is not retried; a refused file would be refused again
    const is_final = options.dataset_id === undefined || error instanceof FileRefused
    if (is_final)
      await store.markFailed(kyselyForPool(pool), id, error instanceof Error ? error.message : String(error))
    // after other errors the connection may be broken; the next attempt or the cleanup job drops them
    if (error instanceof FileRefused || error instanceof DatasetRemoved || options.signal?.aborted === true)
      await staging.dropStaging(client, id)
    throw error
  }
}

/** Aggregates the staged rows, writes the report, and activates the dataset if requested, unless the report holds it. */
async function assemble(
  tx: Tx,
  client: pg.ClientBase,
  id: number,
  staged: Staged,
  options: ImportOptions,
  report_progress: ReportProgress,
): Promise<void> {
  const { loader } = staged
  const { buckets } = loader
  const suffixes = await replaceSuffixes(client, id, buckets)
  for (const [done, bucket] of buckets.entries()) {
    await staging.gatherStreets(client, id, bucket, FORMATS[options.format].kind)
    await report_progress(loader, PROGRESS_READ + ((PROGRESS_AGGREGATED - PROGRESS_READ) * (done + 1)) / buckets.length)
  }
  await staging.gatherAreas(client, id, buckets)
  const assessed = { format: options.format, data: options.data, active: await store.findActive(tx, options.name) }
  const places = await measure(client, id, staged, assessed)
  await staging.analyze(client)
  await staging.dropStaging(client, id)
  const counts = await staging.loadedCounts(client, id)
  const found = await report(client, id, staged, { counts, suffixes, places }, assessed)
  // blocking row locks come last: the version before the dataset, as in every transaction that activates one
  if (options.activate) await store.incrementVersion(tx)
  if (!(await store.markLoaded(tx, id, counts, found))) throw new DatasetRemoved(options.name)
  if (options.activate) await activate(tx, id, options)
}

/** Records progress and passes it to `onProgress`. Throws if the import was aborted or its dataset dropped. */
function progressReporter(
  pool: pg.Pool,
  dataset_id: number,
  { name, signal, onProgress }: ImportOptions,
): ReportProgress {
  return async (loader, progress) => {
    signal?.throwIfAborted()
    const { rows_read, rows_skipped, skipped } = loader
    onProgress?.({ dataset_id, rows_read, rows_skipped, progress })
    if (!(await store.recordProgress(kyselyForPool(pool), dataset_id, { rows_read, rows_skipped, skipped }, progress)))
      throw new DatasetRemoved(name)
  }
}

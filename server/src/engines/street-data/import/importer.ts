import type pg from 'pg'
import { inTransaction, kyselyForClient, kyselyForPool } from '../../../platform/db.ts'
import * as store from '../store.ts'
import { FileRefused } from '../../../platform/file-text.ts'
import { type Authority, population, postalData, type PostalData, stateNamed } from '../../addresses/index.ts'
import { activate, activateDataset, type FollowUps } from '../switch.ts'
import type { Format, ReadOptions } from './format.ts'
import { FORMATS, type FormatName } from './formats/index.ts'
import { openInputs, type Input } from './input.ts'
import { replaceSuffixes } from './learn.ts'
import { IMPORT } from './limits.ts'
import { Loader } from './loader.ts'
import { measurePlaces } from './measure.ts'
import { columnMapping, eachRecord } from './read.ts'
import type { OnRecord } from './records.ts'
import type { PlaceDefaults } from './resolve.ts'
import { fileOnDisk, type Source } from './source.ts'
import * as staging from './staging-store.ts'

const PROGRESS_EVERY_MS = 1_000
/** Rows between two checks of the limits, the clock and the signal. */
const ROWS_PER_CHECK = 1_000
/** Progress when the file is read, and when its streets are aggregated: their parts of the time, measured with a million streets. */
const PROGRESS_READ = 0.6
const PROGRESS_AGGREGATED = 0.95
/** The job that clears after killed imports runs this long after each has begun, and again until it has ended. */
const CLEAR_AFTER_MS = 3_600_000
/** `tl_2025_30059_addrfeat.zip`: the name of a county's file has its FIPS code. */
const COUNTY_FILE = /^tl_\d{4}_(\d{5})_/

export interface ImportOptions extends ReadOptions, PlaceDefaults {
  /** A path or a source. */
  file: string | Source
  format: FormatName
  /** Identifies a dataset, together with the vintage. */
  name: string
  vintage: string
  authority?: Authority
  licence?: string
  source?: string
  /** Activates it when it is loaded, and drops the active vintage of that name. */
  activate: boolean
  /** The dataset's id, where a job loads it: its row exists already and is kept for the next attempt. */
  dataset_id?: number
  now: Date
  follow_ups: FollowUps
  signal?: AbortSignal
  onProgress?: (progress: ImportProgress) => void
  /** For tests; default that of the service. */
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
  /** The same name and vintage had been loaded before, and was only activated where that was requested. */
  repeated: boolean
  seconds: number
}

/** Another session is loading a dataset of this name. */
export class DatasetBusy extends Error {
  constructor(name: string) {
    super(`${name} is being loaded by another process. Wait until that is done, or stop it.`)
    this.name = 'DatasetBusy'
  }
}

/** The dataset was dropped while it was loaded. */
export class DatasetRemoved extends Error {
  constructor(name: string) {
    super(`${name} was removed while it was loaded.`)
    this.name = 'DatasetRemoved'
  }
}

/**
 * Loads a file of street data. Readers see nothing of it until it is active, and then all of it. A dataset whose file is
 * refused gets status `failed` and the reason; the next import of that name and vintage starts over. So does one after an
 * import that was killed. Throws FileRefused, DatasetBusy, DatasetRemoved, and the errors of the database.
 */
export async function importDataset(pool: pg.Pool, options: ImportOptions): Promise<ImportReport> {
  const started = performance.now()
  const { name } = options
  // before anything is written: a mistyped path creates no dataset
  const file = typeof options.file === 'string' ? await fileOnDisk(options.file) : options.file
  const client = await pool.connect()
  try {
    await staging.prepareSession(client)
    if (!(await staging.lockName(client, name))) throw new DatasetBusy(name)
    const own = kyselyForClient(client)
    const known = await store.findVintage(own, name, options.vintage)
    const repeated = known?.status === 'active' || known?.status === 'loaded'
    const id = repeated ? known.id : await begin(pool, client, options, known)
    if (!repeated) await load(pool, client, id, { ...options, file })
    if (
      known?.status === 'loaded' &&
      options.activate &&
      !(await activateDataset(kyselyForPool(pool), id, options.now, options.follow_ups))
    )
      throw new DatasetRemoved(name)
    await staging.unlockAll(client)
    const dataset = await store.findDataset(own, id)
    if (!dataset) throw new DatasetRemoved(name)
    return { dataset, repeated, seconds: (performance.now() - started) / 1000 }
  } finally {
    // closing the connection resets its settings and releases its locks
    client.release(true)
  }
}

/** Locks the dataset and drops the staging tables of an interrupted attempt. Returns its id. */
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
  const { name, vintage, format, now } = options
  // a job loads it
  if (known && known.upload !== null) throw new DatasetBusy(name)
  const { kind, authority } = FORMATS[format]
  const input = {
    name,
    vintage,
    format,
    kind,
    authority: options.authority ?? authority,
    licence: options.licence ?? '',
    source: options.source ?? '',
    created_at: now,
    upload: null,
  }
  const { row } = await store.beginDataset(kyselyForPool(pool), input, ['failed', 'loading'])
  return row.id
}

async function load(pool: pg.Pool, client: pg.ClientBase, id: number, options: ImportOptions): Promise<void> {
  const { kind } = FORMATS[options.format]
  const report_progress = progressReporter(pool, id, options)
  try {
    const loader = await stage(client, id, options, report_progress)
    await inTransaction(kyselyForClient(client), async (tx) => {
      const { buckets } = loader
      await replaceSuffixes(client, id, buckets)
      for (const [done, bucket] of buckets.entries()) {
        await staging.gatherStreets(client, id, bucket, kind)
        await report_progress(
          loader,
          PROGRESS_READ + ((PROGRESS_AGGREGATED - PROGRESS_READ) * (done + 1)) / buckets.length,
        )
      }
      await staging.gatherAreas(client, id, buckets)
      await measure(client, id, loader, options)
      await staging.analyse(client)
      await staging.dropStaging(client, id)
      const found = await staging.loadedCounts(client, id)
      // row locks that block others come last; the version before the dataset, as in every transaction that activates one
      if (options.activate) await store.incrementVersion(tx)
      if (!(await store.markLoaded(tx, id, found))) throw new DatasetRemoved(options.name)
      if (options.activate) await activate(tx, id, options.now, options.follow_ups)
    })
  } catch (error) {
    // an import from the command line is not retried; a file that is refused would be refused again
    const is_final = options.dataset_id === undefined || error instanceof FileRefused
    if (is_final)
      await store.markFailed(kyselyForPool(pool), id, error instanceof Error ? error.message : String(error))
    // after other errors the connection may be broken; the next attempt drops them, or the job that clears
    if (error instanceof FileRefused || error instanceof DatasetRemoved || options.signal?.aborted === true)
      await staging.dropStaging(client, id)
    throw error
  }
}

type ReportProgress = (loader: Loader, progress: number) => Promise<void>

/** Records the progress and passes it to `onProgress`. Throws when the import is aborted or its dataset dropped. */
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

async function stage(
  client: pg.ClientBase,
  id: number,
  options: ImportOptions,
  report_progress: ReportProgress,
): Promise<Loader> {
  const format: Format = FORMATS[options.format]
  const inputs = await openInputs(options.file, format)
  const loader = new Loader(client, id, format.kind, options, options.data ?? postalData())
  try {
    for (const input of inputs) {
      const county = COUNTY_FILE.exec(input.name)?.[1]
      if (county !== undefined && format.container === 'dbf') loader.county(county)
      await eachRecord(input, format, options, recordHandler(format, options, loader, input, report_progress))
    }
    await loader.end()
  } finally {
    await loader.abandon()
  }
  await report_progress(loader, PROGRESS_READ)
  refuseEmpty(loader, options.format)
  return loader
}

/** An empty dataset would replace the active vintage, which has streets. */
function refuseEmpty({ buckets, rows_read, skipped }: Loader, format: FormatName): void {
  if (rows_read === 0) throw new FileRefused('The file has no rows.')
  if (buckets.length > 0) return
  const reasons = Object.entries(skipped).map(([reason, rows]) => `${reason} (${rows})`)
  throw new FileRefused(
    `None of the ${rows_read} rows could be used: ${reasons.join(', ')}. Is the file of the format ${format}, and has it the columns of that?`,
  )
}

function recordHandler(
  format: Format,
  options: ImportOptions,
  loader: Loader,
  input: Input,
  report_progress: ReportProgress,
): OnRecord {
  const mapped = columnMapping(format, options)
  let reported_at = performance.now()
  const check = async () => {
    if (loader.rows_read > IMPORT.rows_max)
      throw new FileRefused(
        `The file has more than ${IMPORT.rows_max} rows. Send it in parts, each with a name of its own.`,
      )
    if (performance.now() - reported_at > PROGRESS_EVERY_MS) {
      reported_at = performance.now()
      await report_progress(loader, PROGRESS_READ * input.fractionRead())
    }
    options.signal?.throwIfAborted()
    await loader.flush()
  }
  return (get) => {
    loader.rows_read++
    format.read(mapped ? (column) => get(mapped(column)) : get, loader)
    return loader.rows_read % ROWS_PER_CHECK === 0 ? check() : loader.flush()
  }
}

/** Measures how much of each place the dataset has, and stores it. */
async function measure(
  client: pg.ClientBase,
  id: number,
  { counties }: Loader,
  { format, data = postalData() }: ImportOptions,
): Promise<void> {
  const own = new Set([...counties].map((fips) => `${stateNamed(fips.slice(0, 2), 'US') ?? ''}${fips.slice(2)}`))
  const counts = await staging.placeCounts(client, id)
  await staging.markMeasured(client, id, measurePlaces(counts, FORMATS[format].kind, own, { data, population }))
}

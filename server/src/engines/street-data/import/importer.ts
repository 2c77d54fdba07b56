import type pg from 'pg'
import { inTransaction, kyselyForClient, kyselyForPool } from '../../../platform/db.ts'
import * as store from '../store.ts'
import { FileRefused } from '../../../platform/file-text.ts'
import { type Authority, postalData, type PostalData, stateNamed } from '../../addresses/index.ts'
import { activate, activateDataset, type FollowUps } from '../switch.ts'
import type { Format, Get, ReadOptions, TakeRecord } from './format.ts'
import { FORMATS, type FormatName } from './formats/index.ts'
import { openInputs, type Input } from './input.ts'
import { IMPORT } from './limits.ts'
import { Loader } from './loader.ts'
import { eachCsvRecord, eachDbfRecord, eachFixedRecord, eachJsonRecord, eachLine } from './records.ts'
import type { PlaceDefaults } from './resolve.ts'
import { fileOnDisk, type Source } from './source.ts'
import * as staging from './staging-store.ts'

const PROGRESS_EVERY_MS = 1_000
/** Records between two looks at the clock. */
const LOOK_EVERY = 1_000
/** How much of the time reading the file takes, and reading and gathering; the rest counts and looks over. As measured with a million streets. */
const READ_SHARE = 0.6
const GATHERED_SHARE = 0.95
/** What an import that was killed leaves is looked for this long after it began, and again until it is over. */
const CLEAR_AFTER_MS = 3_600_000
/** `tl_2025_30059_addrfeat.zip`: the name of a county's file says which county it is. */
const COUNTY_FILE = /^tl_\d{4}_(\d{5})_/

export interface ImportOptions extends ReadOptions, PlaceDefaults {
  /** By its path, or whatever can be read. */
  file: string | Source
  format: FormatName
  /** With the vintage, what makes an import the same as an earlier one. */
  name: string
  vintage: string
  authority?: Authority
  licence?: string
  source?: string
  /** Makes it count at once, in the place of an older vintage of that name. */
  activate: boolean
  /** The dataset's row, where it was made before its file is read, and is there for another attempt. */
  dataset_id?: number
  now: Date
  follow_ups: FollowUps
  signal?: AbortSignal
  onProgress?: (progress: ImportProgress) => void
  /** For tests; default what ships with the service. */
  data?: PostalData
}

export interface ImportProgress {
  dataset_id: number
  rows_read: number
  rows_skipped: number
  /** Of the work, 0 to 1; 1 when everything is loaded. */
  progress: number
}

export interface ImportReport {
  dataset: store.Dataset
  /** The same name and vintage had been loaded before, and nothing was done but to activate it where that was asked. */
  repeated: boolean
  seconds: number
}

/** Somebody else is loading a dataset of this name. */
export class DatasetBusy extends Error {
  constructor(name: string) {
    super(`${name} is being loaded by another process. Wait until that is done, or stop it.`)
    this.name = 'DatasetBusy'
  }
}

/** The dataset was removed while it was loaded. */
export class DatasetRemoved extends Error {
  constructor(name: string) {
    super(`${name} was removed while it was loaded.`)
    this.name = 'DatasetRemoved'
  }
}

/**
 * Loads a file of street data. Readers see nothing of it until it is active, and then all of it. A dataset whose file
 * cannot be used stays with status `failed` and the reason; the next import of that name and vintage starts afresh. So does
 * one after an import that was killed. Throws FileRefused, DatasetBusy, DatasetRemoved, and what the database throws.
 */
export async function importDataset(pool: pg.Pool, options: ImportOptions): Promise<ImportReport> {
  const started = performance.now()
  const { name } = options
  // a name that was mistyped makes no dataset
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
    // its settings and its locks go with the connection
    client.release(true)
  }
}

/** Hands each record of a file to `take`, without loading anything. */
export async function readRecords(
  options: ReadOptions & { file: string | Source; format: FormatName },
  take: TakeRecord,
): Promise<void> {
  const format: Format = FORMATS[options.format]
  const rename = renaming(format, options)
  for (const input of await openInputs(options.file, format))
    await eachRecord(input, format, options, (get) => take(rename ? (column) => get(rename(column)) : get))
}

/** The row of the dataset, held. What an attempt that was cut short left behind is removed. */
async function begin(
  pool: pg.Pool,
  client: pg.ClientBase,
  options: ImportOptions,
  known: store.Dataset | undefined,
): Promise<number> {
  const { name, vintage, now } = options
  const id = options.dataset_id ?? (await beginByHand(pool, options, known))
  if (options.dataset_id !== undefined && known?.id !== id) throw new DatasetRemoved(`${name} ${vintage}`)
  if (!(await staging.lockDataset(client, id))) throw new DatasetBusy(name)
  await staging.dropStaging(client, id)
  await options.follow_ups.begun(kyselyForPool(pool), new Date(now.getTime() + CLEAR_AFTER_MS))
  return id
}

async function beginByHand(pool: pg.Pool, options: ImportOptions, known: store.Dataset | undefined): Promise<number> {
  const { name, vintage, format, now } = options
  // it has a job of its own
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
  const tell = teller(pool, id, options)
  try {
    const loader = await stage(client, id, options, tell)
    await inTransaction(kyselyForClient(client), async (tx) => {
      const { buckets } = loader
      for (const [done, bucket] of buckets.entries()) {
        await staging.gatherStreets(client, id, bucket, kind)
        await tell(loader, READ_SHARE + ((GATHERED_SHARE - READ_SHARE) * (done + 1)) / buckets.length)
      }
      await staging.gatherAreas(client, id, buckets)
      await markBeyond(client, id, loader, options)
      await staging.analyse(client)
      await staging.dropStaging(client, id)
      const found = await staging.gathered(client, id)
      // what holds others up comes last; the version before the row, in the order of all who switch
      if (options.activate) await store.nextVersion(tx)
      if (!(await store.markLoaded(tx, id, found))) throw new DatasetRemoved(options.name)
      if (options.activate) await activate(tx, id, options.now, options.follow_ups)
    })
  } catch (error) {
    // by hand nobody comes back to it; a file that is refused would be refused again
    const given_up = options.dataset_id === undefined || error instanceof FileRefused
    if (given_up)
      await store.markFailed(kyselyForPool(pool), id, error instanceof Error ? error.message : String(error))
    // otherwise the connection may be of no use any more; the next attempt removes them, or the job that clears
    if (error instanceof FileRefused || error instanceof DatasetRemoved || options.signal?.aborted === true)
      await staging.dropStaging(client, id)
    throw error
  }
}

type Tell = (loader: Loader, progress: number) => Promise<void>

/** Notes and tells how far the loading is. Throws where it should not go on. */
function teller(pool: pg.Pool, dataset_id: number, { name, signal, onProgress }: ImportOptions): Tell {
  return async (loader, progress) => {
    signal?.throwIfAborted()
    const { rows_read, rows_skipped, skipped } = loader
    onProgress?.({ dataset_id, rows_read, rows_skipped, progress })
    if (!(await store.recordProgress(kyselyForPool(pool), dataset_id, { rows_read, rows_skipped, skipped }, progress)))
      throw new DatasetRemoved(name)
  }
}

async function stage(client: pg.ClientBase, id: number, options: ImportOptions, tell: Tell): Promise<Loader> {
  const format: Format = FORMATS[options.format]
  const inputs = await openInputs(options.file, format)
  const loader = new Loader(client, id, format.kind, options, options.data ?? postalData())
  try {
    for (const input of inputs) {
      const county = COUNTY_FILE.exec(input.name)?.[1]
      if (county !== undefined && format.container === 'dbf') loader.county(county)
      await eachRecord(input, format, options, taking(format, options, loader, input, tell))
    }
    await loader.end()
  } finally {
    await loader.abandon()
  }
  await tell(loader, READ_SHARE)
  refuseEmpty(loader, options.format)
  return loader
}

/** To take nothing for a dataset would be to take the place of one that has something. */
function refuseEmpty({ buckets, rows_read, skipped }: Loader, format: FormatName): void {
  if (rows_read === 0) throw new FileRefused('The file has no rows.')
  if (buckets.length > 0) return
  const reasons = Object.entries(skipped).map(([reason, rows]) => `${reason} (${rows})`)
  throw new FileRefused(
    `None of the ${rows_read} rows could be used: ${reasons.join(', ')}. Is the file of the format ${format}, and has it the columns of that?`,
  )
}

function taking(format: Format, options: ImportOptions, loader: Loader, input: Input, tell: Tell): TakeRecord {
  const rename = renaming(format, options)
  let told_at = performance.now()
  const look = async () => {
    if (loader.rows_read > IMPORT.rows_max)
      throw new FileRefused(
        `The file has more than ${IMPORT.rows_max} rows. Send it in parts, each with a name of its own.`,
      )
    if (performance.now() - told_at > PROGRESS_EVERY_MS) {
      told_at = performance.now()
      await tell(loader, READ_SHARE * input.share())
    }
    options.signal?.throwIfAborted()
    await loader.flush()
  }
  return (get) => {
    loader.rows_read++
    format.read(rename ? (column) => get(rename(column)) : get, loader)
    return loader.rows_read % LOOK_EVERY === 0 ? look() : loader.flush()
  }
}

/** Our names for columns → the file's; undefined where they are the same. */
function renaming(format: Format, options: ReadOptions): ((column: string) => string) | undefined {
  const columns = new Map(
    Object.entries({ ...format.columns, ...options.columns }).map(([ours, theirs]) => [ours, theirs.toLowerCase()]),
  )
  return columns.size === 0 ? undefined : (column) => columns.get(column) ?? column
}

function eachRecord(input: Input, format: Format, options: ReadOptions, take: TakeRecord): Promise<void> {
  switch (format.container) {
    case 'csv':
      return eachCsvRecord(input.bytes, take)
    case 'json':
      return eachJsonRecord(input.bytes, take)
    case 'dbf':
      return eachDbfRecord(input.bytes, take)
    case 'fixed':
      return eachFixedRecord(input.bytes, options.layout ?? format.layout ?? {}, take)
    case 'lines':
      return eachAddressLine(input, take)
  }
}

async function eachAddressLine(input: Input, take: TakeRecord): Promise<void> {
  let text = ''
  const get: Get = (column) => (column === 'line' ? text : '')
  await eachLine(input.bytes, (line) => {
    text = line.trim()
    return text === '' ? undefined : take(get)
  })
}

/**
 * A county's file holds only its side of a postal code that is shared with the next county. Which codes those are is told
 * by the county that each code mostly lies in; where the file does not name its own, that of most of its streets is taken.
 */
async function markBeyond(client: pg.ClientBase, id: number, loader: Loader, options: ImportOptions): Promise<void> {
  if (FORMATS[options.format].container !== 'dbf') return
  const data = options.data ?? postalData()
  const codes = (await staging.codesOf(client, id)).map(({ postal, streets }) => ({
    postal,
    streets,
    county: countyOf(postal, data),
  }))
  const own = new Set([...loader.counties].map((fips) => `${stateNamed(fips.slice(0, 2), 'US') ?? ''}${fips.slice(2)}`))
  if (own.size === 0) {
    const streets = new Map<string, number>()
    for (const code of codes) streets.set(code.county, (streets.get(code.county) ?? 0) + code.streets)
    const [most] = [...streets].toSorted((a, b) => b[1] - a[1])
    if (most) own.add(most[0])
  }
  const beyond = codes.filter(({ county }) => county !== '' && !own.has(county)).map(({ postal }) => postal)
  await staging.markIncomplete(client, id, beyond)
}

/** `NC143`; empty where the shipped data does not know it. */
function countyOf(code: string, data: PostalData): string {
  const zip = data.zip(code)
  return zip === undefined || zip.county === '' ? '' : zip.state + zip.county
}

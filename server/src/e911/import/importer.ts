import type pg from 'pg'
import { stateNamed } from '../places.ts'
import { postalData, type PostalData } from '../postal/data.ts'
import type { Authority } from '../tables.ts'
import type { Format, Get, ReadOptions, TakeRecord } from './format.ts'
import { FORMATS, type FormatName } from './formats/index.ts'
import { openInput, type Input } from './input.ts'
import { Loader } from './loader.ts'
import { eachCsvRecord, eachDbfRecord, eachFixedRecord, eachJsonRecord, eachLine } from './records.ts'
import type { PlaceDefaults } from './resolve.ts'
import {
  activate,
  analyse,
  codesOf,
  createStaging,
  deleteDataset,
  dropStaging,
  findDataset,
  findVintage,
  gatherAreas,
  gatherStreets,
  inTransaction,
  insertDataset,
  lockName,
  markFailed,
  markIncomplete,
  markLoaded,
  noteProgress,
  prepareSession,
  unlockName,
  type Dataset,
} from './store.ts'

const PROGRESS_EVERY_MS = 1_000
/** Records between two looks at the clock. */
const LOOK_EVERY = 1_000
/** `tl_2025_30059_addrfeat.zip`: the name of a county's file says which county it is. */
const COUNTY_FILE = /^tl_\d{4}_(\d{5})_/

export interface ImportOptions extends ReadOptions, PlaceDefaults {
  file: string
  format: FormatName
  /** With the vintage, what makes an import the same as an earlier one. */
  name: string
  vintage: string
  authority?: Authority
  licence?: string
  source?: string
  /** Makes it count at once, in the place of an older vintage of that name. */
  activate: boolean
  /** The dataset's row, where it was made before its file is read; then no row of this name and vintage is looked for. */
  dataset_id?: number
  now: Date
  signal?: AbortSignal
  onProgress?: (progress: ImportProgress) => void
  /** For tests; default what ships with the service. */
  data?: PostalData
}

export interface ImportProgress {
  dataset_id: number
  rows_read: number
  rows_skipped: number
  /** Of the file as it lies on disk, 0 to 1. */
  share: number
}

export interface ImportReport {
  dataset: Dataset
  /** The same name and vintage had been loaded before, and nothing was done but to activate it where that was asked. */
  repeated: boolean
  seconds: number
}

/**
 * Loads a file of street data. Readers see nothing of it until it is active, and then all of it. A failed import leaves
 * a dataset of status `failed` that says why; the next one of that name and vintage starts afresh.
 */
export async function importDataset(pool: pg.Pool, options: ImportOptions): Promise<ImportReport> {
  const started = performance.now()
  const client = await pool.connect()
  try {
    await prepareSession(client)
    if (!(await lockName(client, options.name))) throw new Error(`${options.name} is being loaded by another process.`)
    const known = await findVintage(client, options.name, options.vintage)
    const repeated = known?.status === 'active' || known?.status === 'loaded'
    const prepared = known !== undefined && known.id === options.dataset_id
    if (known && !repeated && !prepared) await deleteDataset(client, known.id)
    const id = repeated && known ? known.id : await load(pool, client, options, prepared ? known.id : null)
    if (options.activate && known?.status !== 'active')
      await inTransaction(client, () => activate(client, id, options.now))
    await unlockName(client, options.name)
    const dataset = await findDataset(client, id)
    if (!dataset) throw new Error(`${options.name} was removed while it was loaded.`)
    return { dataset, repeated, seconds: (performance.now() - started) / 1000 }
  } finally {
    // its settings and its lock go with the connection
    client.release(true)
  }
}

/** Hands each record of a file to `take`, without loading anything. */
export async function readRecords(
  options: ReadOptions & { file: string; format: FormatName },
  take: TakeRecord,
): Promise<void> {
  const format: Format = FORMATS[options.format]
  const input = await openInput(options.file, format.extensions)
  const rename = renaming(format, options)
  try {
    await eachRecord(input, format, options, (get) => take(rename ? (column) => get(rename(column)) : get))
  } finally {
    await input.close()
  }
}

async function load(
  pool: pg.Pool,
  client: pg.ClientBase,
  options: ImportOptions,
  prepared: number | null,
): Promise<number> {
  const format: Format = FORMATS[options.format]
  const { name, vintage, now } = options
  // what an import that was cut short left behind
  if (prepared !== null) await dropStaging(client, prepared)
  const id =
    prepared ??
    (await insertDataset(client, {
      name,
      vintage,
      format: options.format,
      kind: format.kind,
      authority: options.authority ?? format.authority,
      licence: options.licence ?? '',
      source: options.source ?? '',
      created_at: now,
    }))
  try {
    const loader = await stage(pool, client, id, format, options)
    await inTransaction(client, async () => {
      await gatherStreets(client, id, format.kind)
      await gatherAreas(client, id)
      await markBeyond(client, id, loader, options)
      await markLoaded(client, id, loader)
      await dropStaging(client, id)
    })
    await analyse(client)
    return id
  } catch (error) {
    await markFailed(pool, id, error instanceof Error ? error.message : String(error))
    await dropStaging(pool, id)
    throw error
  }
}

async function stage(
  pool: pg.Pool,
  client: pg.ClientBase,
  id: number,
  format: Format,
  options: ImportOptions,
): Promise<Loader> {
  const input = await openInput(options.file, format.extensions)
  try {
    const county = COUNTY_FILE.exec(input.name)?.[1]
    const data = options.data ?? postalData()
    const loader = new Loader(client, await createStaging(client, id), format.kind, options, data)
    if (county !== undefined && format.container === 'dbf') loader.county(county)
    const take = taking(pool, id, format, options, loader, input)
    try {
      await eachRecord(input, format, options, take)
      await loader.end()
    } catch (error) {
      await loader.abort('the file could not be read to its end')
      throw error
    }
    return loader
  } finally {
    await input.close()
  }
}

function taking(
  pool: pg.Pool,
  id: number,
  format: Format,
  options: ImportOptions,
  loader: Loader,
  input: Input,
): TakeRecord {
  const rename = renaming(format, options)
  let told_at = performance.now()
  const tell = async () => {
    told_at = performance.now()
    const { rows_read, rows_skipped, skipped } = loader
    options.onProgress?.({
      dataset_id: id,
      rows_read,
      rows_skipped,
      share: input.size === 0 ? 1 : input.read() / input.size,
    })
    await noteProgress(pool, id, { rows_read, rows_skipped, skipped })
  }
  return (get) => {
    loader.rows_read++
    format.read(rename ? (column) => get(rename(column)) : get, loader)
    if (loader.rows_read % LOOK_EVERY === 0) {
      options.signal?.throwIfAborted()
      if (performance.now() - told_at > PROGRESS_EVERY_MS) return tell().then(() => loader.flush())
    }
    return loader.flush()
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
      return eachCsvRecord(input.stream, take)
    case 'json':
      return eachJsonRecord(input.stream, take)
    case 'dbf':
      return eachDbfRecord(input.stream, take)
    case 'fixed':
      return eachFixedRecord(input.stream, options.layout ?? format.layout ?? {}, take)
    case 'lines':
      return eachAddressLine(input, take)
  }
}

async function eachAddressLine(input: Input, take: TakeRecord): Promise<void> {
  let text = ''
  const get: Get = (column) => (column === 'line' ? text : '')
  await eachLine(input.stream, (line) => {
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
  const codes = (await codesOf(client, id)).map(({ postal, streets }) => ({
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
  await markIncomplete(client, id, beyond)
}

/** `NC143`; empty where the shipped data does not know it. */
function countyOf(code: string, data: PostalData): string {
  const zip = data.zip(code)
  return zip === undefined || zip.county === '' ? '' : zip.state + zip.county
}

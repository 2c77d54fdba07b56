import type pg from 'pg'
import { FileRefused } from '../../../platform/file-text.ts'
import { preparePostalData, type PostalData } from '../../addresses/index.ts'
import { Columns } from './columns.ts'
import type { Format, ReadOptions } from './format.ts'
import { FORMATS, type FormatName } from './formats/index.ts'
import { openInputs, type Input } from './input.ts'
import { IMPORT, SKIPPED_SHARE_MAX } from './limits.ts'
import { Loader } from './loader.ts'
import { eachRecord } from './read.ts'
import type { OnRecord } from './records.ts'
import type { PlaceDefaults } from './resolve.ts'
import type { Source } from './source.ts'

/** Reads a file into staging tables. */

const PROGRESS_EVERY_MS = 1_000
/** Rows between checks of the limits, the clock, and the signal. */
const ROWS_PER_CHECK = 1_000
/** Progress when the file is read, by share of the time for a million streets. */
export const PROGRESS_READ = 0.6
/** `tl_2025_30059_addrfeat.zip`: the name of a county file contains its FIPS code. */
const COUNTY_FILE = /^tl_\d{4}_(\d{5})_/

export type ReportProgress = (loader: Loader, progress: number) => Promise<void>

export interface StageOptions extends ReadOptions, PlaceDefaults {
  file: string | Source
  format: FormatName
  signal?: AbortSignal
  data?: PostalData
}

/** What was read: the loader with its counts, and the columns. */
export interface Staged {
  loader: Loader
  columns: Columns
}

/** Throws FileRefused for a file that cannot be read, has almost no usable rows, or lacks required columns. */
export async function stage(
  client: pg.ClientBase,
  id: number,
  options: StageOptions,
  report_progress: ReportProgress,
): Promise<Staged> {
  const format: Format = FORMATS[options.format]
  const inputs = await openInputs(options.file, format)
  const columns = new Columns(options.format, options)
  const data = options.data ?? (await preparePostalData())
  const example = () => `Row ${loader.rows_read}: ${columns.example()}`
  const loader: Loader = new Loader(client, id, { kind: format.kind, defaults: options, data, example })
  try {
    for (const input of inputs) {
      const county = COUNTY_FILE.exec(input.name)?.[1]
      if (county !== undefined && format.container === 'dbf') loader.county(county)
      const on_record = recordHandler(format, options, { loader, columns }, input, report_progress)
      const reading = eachRecord(input, format, options, on_record, (names) => columns.found(names))
      await namingMember(input, reading)
    }
    await loader.end()
  } finally {
    await loader.abandon()
  }
  await report_progress(loader, PROGRESS_READ)
  refuseUseless(loader, options.format)
  return { loader, columns }
}

/** An archive may have hundreds of files, so the reason names the one that is refused. */
async function namingMember({ name, in_archive }: Input, reading: Promise<void>): Promise<void> {
  try {
    await reading
  } catch (error) {
    if (!in_archive || !(error instanceof FileRefused) || error.message.includes(name)) throw error
    throw new FileRefused(`${name} in the archive: ${error.message}`, { cause: error })
  }
}

/** A dataset that is empty, or has only a few accidental rows, must not replace the active vintage. */
function refuseUseless({ buckets, rows_read, rows_skipped, skipped }: Loader, format: FormatName): void {
  if (rows_read === 0) throw new FileRefused('The file has no rows.')
  const none = buckets.length === 0
  if (!none && rows_skipped < SKIPPED_SHARE_MAX * rows_read) return
  const reasons = Object.entries(skipped).map(([reason, rows]) => `${reason} (${rows})`)
  throw new FileRefused(
    `${none ? 'No row' : `Only ${rows_read - rows_skipped} of ${rows_read} rows`} could be used: ${reasons.join(', ')}. Is the file in the format ${format}, with its columns?`,
  )
}

function recordHandler(
  format: Format,
  options: StageOptions,
  { loader, columns }: Staged,
  input: Input,
  report_progress: ReportProgress,
): OnRecord {
  let reported_at = performance.now()
  const check = async () => {
    if (loader.rows_read > IMPORT.rows_max)
      throw new FileRefused(
        `The file has more than ${IMPORT.rows_max} rows. Split it and send the parts under different names.`,
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
    format.read(columns.reader(get), loader)
    loader.endRecord()
    return loader.rows_read % ROWS_PER_CHECK === 0 ? check() : loader.flush()
  }
}

import { Readable } from 'node:stream'
import type { Archive, ArchivePiece, MonthState, Warehouse } from '../engines/call-records/index.ts'
import type { BackupFolder } from './folder.ts'
import { line } from './lines.ts'
import type { Manifest, StoredFile, StoredMonth } from './manifest.ts'
import { BackupRefused } from './refused.ts'

/** The call records of a backup, by month. Of a month that an earlier backup has, only what arrived since is written. */

/** A month is written again once so many backups added files to it. */
const max_additions = 64
/** Attempts while records change that arrived earlier. */
const attempts = 3
const accounts_at_once = 10_000

export async function copyCalls(
  archive: Archive,
  folder: BackupFolder,
  { until, previous }: { until: number; previous: Manifest | null },
): Promise<{ months: StoredMonth[]; written_bytes: number }> {
  const months: StoredMonth[] = []
  let written_bytes = 0
  for (const state of await archive.months(until)) {
    const before = previous?.calls.months.find(({ month }) => month === state.month)
    const month = await copyMonth(archive, folder, state, before)
    const known = new Set(before?.objects.map(({ file }) => file.path))
    for (const { file } of month.objects) if (!known.has(file.path)) written_bytes += file.bytes
    months.push(month)
  }
  return { months, written_bytes }
}

async function copyMonth(
  archive: Archive,
  folder: BackupFolder,
  found: MonthState,
  before: StoredMonth | undefined,
): Promise<StoredMonth> {
  let state = found
  const { month, until } = state
  let kept = before && (await canKeep(archive, folder, before)) ? before : undefined
  for (let attempt = 1; ; attempt += 1) {
    const after = kept?.until ?? 0
    const objects = [...(kept?.objects ?? [])]
    // if earlier records were removed or added since, the state differs
    if (!kept || !isSame(kept, state))
      for (const piece of await archive.pieces({ month, after, until }))
        objects.push({ piece, file: await writePiece(archive, folder, piece) })
    const rows = objects.reduce((sum, { piece }) => sum + piece.rows, 0)
    if (rows === state.rows) return { ...state, objects }
    if (attempt === attempts)
      throw new BackupRefused(`The call records of ${month} changed while they were read. Run the backup again.`)
    kept = undefined
    state = await archive.month(month, until)
  }
}

/** Whether the store still has what the earlier backup has, and the earlier files are there. */
async function canKeep(archive: Archive, folder: BackupFolder, before: StoredMonth): Promise<boolean> {
  if (before.objects.length > max_additions) return false
  for (const { file } of before.objects) if (!(await folder.has(file))) return false
  return isSame(before, await archive.month(before.month, before.until))
}

const isSame = (a: Pick<MonthState, 'rows' | 'checksum'>, b: Pick<MonthState, 'rows' | 'checksum'>): boolean =>
  a.rows === b.rows && a.checksum === b.checksum

async function writePiece(archive: Archive, folder: BackupFolder, piece: ArchivePiece): Promise<StoredFile> {
  const source = Readable.from(endingAsParquet(await archive.read(piece)), { objectMode: false })
  const { file } = await folder.share(`calls/${piece.month}`, source, '.parquet')
  return file
}

/** Throws if a file does not end as a Parquet file does: the store's response was cut short. */
async function* endingAsParquet(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let end = Buffer.alloc(0)
  for await (const chunk of source) {
    end = Buffer.concat([end, chunk.subarray(-4)]).subarray(-4)
    yield chunk
  }
  if (end.toString('latin1') !== 'PAR1') throw new Error('The call-record store did not send a complete Parquet file.')
}

/** Writes the sums of each account and month. */
export async function writeSums(
  warehouse: Warehouse,
  folder: BackupFolder,
  { months, until }: { months: readonly StoredMonth[]; until: number },
): Promise<StoredFile> {
  return await folder.add('months.ndjson.zst', Readable.from(lines()), { is_compressed: true })

  async function* lines(): AsyncGenerator<Buffer> {
    for (const { month } of months)
      for (let after = '0'; ;) {
        const accounts = await warehouse.accountsIn({ month, after, most: accounts_at_once, until })
        if (accounts.length > 0) yield Buffer.concat(accounts.map(line))
        const last = accounts.at(-1)
        if (last === undefined || accounts.length < accounts_at_once) break
        after = last.account_id
      }
  }
}

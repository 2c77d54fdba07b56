import type { Readable } from 'node:stream'
import { readCsvRows, type CsvRow } from '@demarc/client'
import type { Context } from '../platform/context.ts'
import { inTransaction } from '../platform/db.ts'
import { recordEvent } from '../platform/events.ts'
import { invalid } from '../platform/problem.ts'
import { readHeader, readRow, type FileNumber, type InventoryColumn } from './inventory-file.ts'
import * as store from './load-store.ts'
import { listClasses } from './prices-store.ts'

/** Loads numbers from a file, in batches that are a transaction with an event each. */

/** One transaction finishes them within the statement timeout even on a slow machine. */
const batch_rows = 2_000
/** Rejected lines in a report. */
const errors_max = 100

export interface LoadReport {
  dry_run: boolean
  read: number
  added: number
  changed: number
  unchanged: number
  rejected: number
  errors: { line: number; messages: Record<string, string[]> }[]
}

type Counts = Pick<LoadReport, 'added' | 'changed' | 'unchanged'>

/** Reads a file to its end and stores its numbers, unless `dry_run`. Throws 422 for a file that is not CSV with the known columns. */
export async function loadInventory(c: Context, stream: Readable, dry_run: boolean): Promise<LoadReport> {
  const report: LoadReport = { dry_run, read: 0, added: 0, changed: 0, unchanged: 0, rejected: 0, errors: [] }
  const classes = new Set((await listClasses(c.db)).map(({ name }) => name))
  let columns: readonly InventoryColumn[] | null = null
  let batch: FileNumber[] = []
  const finish = async () => {
    const counts = dry_run ? await compare(c, batch) : await save(c, batch)
    for (const key of ['added', 'changed', 'unchanged'] as const) report[key] += counts[key]
    batch = []
  }
  const end = (after_line: number): never => {
    throw new CsvEnded(after_line)
  }
  const rows = untilMalformed(readCsvRows(textOf(stream), end), (after_line) => {
    // the batches before it are stored, so the report says where to continue
    const messages = { file: [`Is not CSV after line ${after_line}: a quote is not closed, or a row is too long.`] }
    if (report.added + report.changed + report.unchanged === 0) throw invalid(messages)
    report.rejected++
    report.errors.push({ line: after_line + 1, messages })
  })
  for await (const { line, cells } of rows) {
    if (columns === null) {
      const header = readHeader(cells)
      if ('messages' in header) throw invalid({ header: header.messages })
      columns = header.columns
      continue
    }
    report.read++
    const row = readRow(cells, columns, classes)
    if ('entry' in row) batch.push(row.entry)
    else if (++report.rejected <= errors_max) report.errors.push({ line, messages: row.messages })
    if (batch.length === batch_rows) await finish()
  }
  if (columns === null) throw invalid({ file: ['Is empty.'] })
  if (batch.length > 0) await finish()
  return report
}

/** Where a file stops being CSV. */
class CsvEnded extends Error {
  readonly after_line: number
  constructor(after_line: number) {
    super(`not CSV after line ${after_line}`)
    this.after_line = after_line
  }
}

async function* untilMalformed(
  rows: AsyncGenerator<CsvRow>,
  onMalformed: (after_line: number) => void,
): AsyncGenerator<CsvRow> {
  try {
    yield* rows
  } catch (error) {
    if (!(error instanceof CsvEnded)) throw error
    onMalformed(error.after_line)
  }
}

/** Reads a stream without destroying it when reading stops early, which would close the connection before the response. */
async function* textOf(stream: Readable): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  for await (const piece of stream.iterator({ destroyOnReturn: false }))
    yield decoder.decode(piece as Buffer, { stream: true })
}

/** The last line of each number counts. */
const distinct = (batch: readonly FileNumber[]) => [...new Map(batch.map((entry) => [entry.number, entry])).values()]

async function compare(c: Context, batch: readonly FileNumber[]): Promise<Counts> {
  const entries = distinct(batch)
  const profile_ids = await store.profileIds(c.db, entries, false)
  const stored = await store.storedNumbers(c.db, numbersIn(entries), false)
  return countsOf(batch, changesOf(entries, profile_ids, stored))
}

async function save(c: Context, batch: readonly FileNumber[]): Promise<Counts> {
  const entries = distinct(batch)
  return await inTransaction(c.db, async (tx) => {
    const profile_ids = await store.profileIds(tx, entries, true)
    const stored = await store.storedNumbers(tx, numbersIn(entries), true)
    const changes = changesOf(entries, profile_ids, stored)
    const counts = countsOf(batch, changes)
    const rows = [...changes.added, ...changes.changed].flatMap(({ entry, profile_id }) =>
      profile_id === null ? [] : [{ ...entry, profile_id }],
    )
    if (rows.length === 0) return counts
    await store.saveNumbers(tx, c.clock.now(), rows)
    const data = { added_count: counts.added, changed_count: counts.changed }
    const subject = { subject_type: 'inventory', subject_id: rows[0]?.number ?? '' }
    await recordEvent({ ...c, tx }, null, { type: 'inventory.loaded', ...subject, data })
    return counts
  })
}

const numbersIn = (entries: readonly FileNumber[]) => entries.map(({ number }) => number)

interface Change {
  entry: FileNumber
  /** Null for a profile that does not exist. */
  profile_id: number | null
}

function changesOf(
  entries: readonly FileNumber[],
  profile_ids: readonly (number | null)[],
  stored: Awaited<ReturnType<typeof store.storedNumbers>>,
): { added: Change[]; changed: Change[] } {
  const all = entries.map((entry, i) => ({ entry, profile_id: profile_ids[i] ?? null }))
  const differs = ({ entry, profile_id }: Change) => {
    const known = stored.get(entry.number)
    return (
      known !== undefined &&
      (known.profile_id !== profile_id || known.supplier !== entry.supplier || known.resporg !== entry.resporg)
    )
  }
  return { added: all.filter(({ entry }) => !stored.has(entry.number)), changed: all.filter(differs) }
}

const countsOf = (
  batch: readonly FileNumber[],
  { added, changed }: { added: unknown[]; changed: unknown[] },
): Counts => ({
  added: added.length,
  changed: changed.length,
  unchanged: batch.length - added.length - changed.length,
})

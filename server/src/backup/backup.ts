import { rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { arrivalTime } from '../cdrs/index.ts'
import { openConnection } from '../platform/db.ts'
import { copyCalls, writeSums } from './calls.ts'
import { copyDatabase } from './database.ts'
import { copyFiles, type CopiedFiles } from './files.ts'
import { beginBackup, findPrevious } from './folder.ts'
import type { Manifest } from './manifest.ts'
import { pruneBackups } from './prune.ts'
import { BackupRefused } from './refused.ts'
import type { OnProgress, Secret, Stores } from './source.ts'
import { tryLock } from './store.ts'

/**
 * Backs up PostgreSQL as of one time, then the files that its rows name, then the call records. In this order nothing is missing:
 * a file is stored before its row, and a record before its sum in the ledger.
 */

/** What a backup did. */
export interface BackupReport {
  name: string
  manifest: Manifest
  /** Of the files and call records, without what an earlier backup has. */
  written_bytes: number
  damaged: CopiedFiles['damaged']
  /** Call records that the ledger has and the store has not. */
  missing_calls: number
  /** Names of the earlier backups that were deleted. */
  deleted: string[]
}

interface BackupOptions {
  dir: string
  recipients: readonly string[]
  now: Date
  /** How many backups are kept, unless this one lacks something. Null keeps all. */
  keep: number | null
  onProgress: OnProgress
}

/**
 * Writes a backup into `dir`. Interrupted at any point, it leaves no backup, and changes none. Throws BackupRefused if another process
 * is making one.
 */
export async function backUp(
  stores: Stores,
  about: { release: string; is_demo: boolean; secrets: readonly Secret[] },
  options: BackupOptions,
): Promise<BackupReport> {
  const client = await openConnection(stores.database.pool)
  try {
    if (!(await tryLock(client))) throw new BackupRefused('Another process is making a backup. Wait for it to finish.')
    const report = await writeBackup(stores, about, options)
    const isComplete = report.damaged.length === 0 && report.missing_calls === 0
    // under the lock, because a backup in progress needs files of earlier ones
    const deleted = options.keep !== null && isComplete ? await pruneBackups(options.dir, options.keep) : []
    return { ...report, deleted }
  } finally {
    await client.end()
  }
}

async function writeBackup(
  stores: Stores,
  { release, is_demo, secrets }: Parameters<typeof backUp>[1],
  { dir, recipients, now, onProgress }: BackupOptions,
): Promise<Omit<BackupReport, 'deleted'>> {
  const { database, warehouse } = stores
  const previous = await findPrevious(dir, recipients)
  const folder = await beginBackup(dir, now, recipients)
  const spool = folder.pathOf('files.spool')
  const copied = await copyDatabase(database, folder, spool)
  const { tables } = copied.database
  onProgress(`Database: ${tables.length} tables with ${sum(tables.map(({ rows }) => rows))} rows.`)
  const { written, written_bytes, damaged, ...files } = await copyFiles(stores, folder, { spool, previous })
  await rm(spool)
  onProgress(`Files: ${files.count}, of which ${written} are new.`)
  const until = await arrivalTime(database.db)
  const calls = await copyCalls(warehouse.archive, folder, { until, previous })
  const sums = await writeSums(warehouse, folder, { ...calls, until })
  const rows = sum(calls.months.map((month) => month.rows))
  const later = Math.max(0, rows - copied.calls)
  onProgress(`Call records: ${rows}, of which ${later} arrived after the database was backed up.`)
  const stored = []
  for (const { name, content } of secrets) stored.push({ name, file: await folder.add(name, Readable.from([content])) })
  const manifest: Manifest = {
    format: 1,
    release,
    created_at: now.toISOString(),
    is_demo,
    recipients: folder.recipients,
    database: copied.database,
    files,
    calls: { until, rows, later, months: calls.months, sums },
    secrets: stored,
  }
  await folder.complete(manifest)
  const missing_calls = Math.max(0, copied.calls - rows)
  return {
    name: folder.name,
    manifest,
    written_bytes: written_bytes + calls.written_bytes + sum(tables.map(({ file }) => file.bytes)),
    damaged,
    missing_calls,
  }
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0)

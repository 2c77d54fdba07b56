import type pg from 'pg'
import { compareSums, findMonth } from '../cdrs/index.ts'
import { monthRange, type MonthSums, type Warehouse } from '../engines/call-records/index.ts'
import type { Db } from '../platform/db.ts'
import { verifyChain } from '../platform/events.ts'
import type { FileStore } from '../platform/files/index.ts'
import { copyIn } from './copy.ts'
import { listFiles } from './files.ts'
import { readStored, verifyStored } from './folder.ts'
import { readLines } from './lines.ts'
import { listedSums, type Manifest, type StoredFile } from './manifest.ts'
import { BackupRefused } from './refused.ts'
import type { Stores } from './source.ts'
import * as store from './store.ts'

/** Restores a backup into an empty installation. Each step continues where an interrupted restore stopped. */

/** A backup that is read. */
export interface Backup {
  dir: string
  manifest: Manifest
  /** Of the manifest: identifies the backup. */
  digest: string
  identities: readonly string[]
}

const accounts_at_once = 10_000

const read = ({ dir, identities }: Backup, file: StoredFile, options: { is_compressed?: boolean } = {}) =>
  readStored(dir, file, { ...options, identities })

/** Compares every file with its digest. Throws BackupRefused, which names the file. */
export async function verifyFiles({ dir, manifest }: Pick<Backup, 'dir' | 'manifest'>): Promise<void> {
  const { database, files, calls, secrets } = manifest
  const own = [...database.tables, ...secrets].map(({ file }) => file)
  for (const file of [...own, files.list, calls.sums]) await verifyStored(dir, file)
  for (const { objects } of calls.months) for (const { file } of objects) await verifyStored(dir, file)
  for await (const { file } of listFiles({ read: (...of) => readStored(dir, ...of) }, manifest))
    await verifyStored(dir, file)
}

/**
 * Begins a restore, or continues it. Throws BackupRefused if the target is not empty, or if another restore is unfinished. `others`
 * checks whether files and call records are empty.
 */
export async function beginRestore(
  client: pg.ClientBase,
  { digest }: Backup,
  others: Pick<Stores, 'files' | 'warehouse'>,
): Promise<void> {
  if (!(await store.tryLock(client))) throw new BackupRefused('Another process is restoring. Wait for it to finish.')
  const unfinished = await store.findRestore(client)
  if (unfinished?.backup === digest) return
  if (unfinished)
    throw new BackupRefused(
      'The restore of another backup did not finish here. Continue that restore, or use an empty database and data folder.',
    )
  if (await store.hasTables(client))
    throw new BackupRefused('The database has tables. Restore into an empty database, or an empty data folder.')
  for await (const { digest: file } of others.files.list())
    throw new BackupRefused(
      `There are files already, such as ${others.files.locate(file)}. Restore into an empty store.`,
    )
  const [month] = await others.warehouse.archive.months(Number.MAX_SAFE_INTEGER)
  if (month)
    throw new BackupRefused(
      `There are call records already, of ${month.month}. Restore into an empty call-record store.`,
    )
  await store.beginRestore(client, digest)
}

/** Loads all tables in one transaction, unless they are. The database must have been migrated. */
export async function restoreDatabase(client: pg.ClientBase, backup: Backup): Promise<void> {
  const { tables, sequences } = backup.manifest.database
  if ((await store.findRestore(client))?.is_loaded) return
  await store.prepareSession(client)
  await checkTables(client, backup.manifest)
  await client.query('begin')
  await store.loadTables(client, tables, async () => {
    for (const table of tables) {
      const rows = await copyIn(client, table, await read(backup, table.file, { is_compressed: true }))
      if (rows !== table.rows)
        throw new BackupRefused(`${table.file.path} has ${rows} rows instead of ${table.rows}. Use another backup.`)
    }
  })
  await store.setSequences(client, sequences)
  await store.markLoaded(client)
  await client.query('commit')
  await store.analyze(client)
}

async function checkTables(client: pg.ClientBase, { database }: Manifest): Promise<void> {
  const expected = database.tables.map(({ name, columns }) => `${name} (${columns.join(', ')})`)
  const found = (await store.listTables(client)).map(({ name, columns }) => `${name} (${columns.join(', ')})`)
  const other = expected.find((table) => !found.includes(table)) ?? found.find((table) => !expected.includes(table))
  if (other !== undefined) throw new BackupRefused(`The backup and this release differ in the table ${other}.`)
}

/** Throws BackupRefused unless the backup is of a release with these migrations. */
export function checkMigrations({ database, release }: Manifest, own: readonly store.Migration[]): void {
  const name = ({ name: file, checksum }: store.Migration) => `${file} ${checksum}`
  const expected = new Set(own.map(name))
  const same =
    database.migrations.length === own.length && database.migrations.every((each) => expected.has(name(each)))
  if (!same)
    throw new BackupRefused(
      `Release ${release} made the backup, and its tables differ from those of this release. Restore it with that release, then upgrade.`,
    )
}

/** Stores the files that the store lacks. */
export async function restoreFiles(files: FileStore, backup: Backup): Promise<void> {
  const folder = { read: (file: StoredFile, options: { is_compressed?: boolean }) => read(backup, file, options) }
  for await (const { sha256, bytes, file } of listFiles(folder, backup.manifest)) {
    if ((await files.stat(sha256))?.bytes === bytes) continue
    const stored = await files.putStream(await read(backup, file))
    if (stored.digest !== sha256) throw new BackupRefused(`${file.path} is not the file ${sha256}. Use another backup.`)
  }
}

/** Stores the call records that the store lacks. */
export async function restoreCalls(warehouse: Warehouse, backup: Backup): Promise<void> {
  const { archive } = warehouse
  if (warehouse.shards !== null)
    for await (const page of sumsByPage(backup)) await archive.place(new Set(page.map(({ account_id }) => account_id)))
  for (const { month, rows, checksum, until, objects } of backup.manifest.calls.months) {
    const found = await archive.month(month, until)
    if (found.rows === rows && found.checksum === checksum) continue
    for (const { piece, file } of objects)
      if ((await archive.rows(piece)) !== piece.rows) await archive.write(piece, () => read(backup, file))
  }
}

/** The sums of accounts in one month at a time. */
async function* sumsByPage(backup: Backup): AsyncGenerator<MonthSums[]> {
  let page: MonthSums[] = []
  const lines = readLines(await read(backup, backup.manifest.calls.sums, { is_compressed: true }), listedSums)
  for await (const sums of lines) {
    if (page.length === accounts_at_once || (page[0] && page[0].month !== sums.month)) {
      yield page
      page = []
    }
    page.push(sums)
  }
  if (page.length > 0) yield page
}

/** What a restore compared. */
export interface Verified {
  chains: number
  events: number
  sums: number
}

/**
 * Verifies audit chains, sequences, and the totals of each account and month. Throws BackupRefused for what differs from the backup.
 */
export async function verifyRestored(
  client: pg.ClientBase,
  { database, warehouse }: { database: Pick<Stores['database'], 'db'>; warehouse: Warehouse },
  backup: Backup,
): Promise<Verified> {
  const verified = { chains: 0, events: 0, sums: 0 }
  for (const chain of await store.listChains(client)) {
    const { intact, events, broken_at } = await verifyChain(database.db, chain)
    if (!intact)
      throw new BackupRefused(`The audit chain ${chain} is broken at event ${broken_at}. Use another backup.`)
    verified.chains += 1
    verified.events += events
  }
  const behind = await store.sequencesBehind(client)
  if (behind.length > 0) throw new BackupRefused(`Sequences are behind their tables: ${behind.join(', ')}.`)
  verified.sums = await verifySums(database.db, warehouse, backup)
  return verified
}

async function verifySums(db: Db, warehouse: Warehouse, backup: Backup): Promise<number> {
  const { until } = backup.manifest.calls
  let compared = 0
  let last: MonthSums | undefined
  for await (const page of sumsByPage(backup)) {
    const [{ month }] = page as [MonthSums]
    const after = last?.month === month ? last.account_id : '0'
    const found = await warehouse.accountsIn({ month, after, most: page.length, until })
    const byAccount = new Map(found.map((sums) => [sums.account_id, sums]))
    for (const expected of page) await compare(db, warehouse, expected, byAccount.get(expected.account_id))
    compared += page.length
    last = page.at(-1)
  }
  return compared
}

/** Repeated deliveries may have been merged since, so sums that differ are compared without them. */
async function compare(db: Db, warehouse: Warehouse, expected: MonthSums, found: MonthSums | undefined): Promise<void> {
  if (found && compareSums(expected, found) === 'complete') return
  const { account_id, month } = expected
  const exact = await warehouse.totals({ account_id, filter: monthRange(month) })
  if (compareSums(expected, exact) === 'complete') return
  const recorded = await findMonth(db, { account_id, month })
  const isExplained = exact.num_calls < expected.num_calls && compareSums(recorded, exact) !== 'missing'
  if (!isExplained)
    throw new BackupRefused(
      `Account ${account_id} has ${exact.num_calls} call records of ${month} with a cost of ${exact.total_cost} instead of ${expected.num_calls} with ${expected.total_cost}.`,
    )
}

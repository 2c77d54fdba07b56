import { setTimeout as sleep } from 'node:timers/promises'
import {
  LIMITS,
  openTransfer,
  openWarehouse,
  placing,
  transferClaims,
  transferMonth,
  type MonthSums,
  type ShardSums,
  type TransferStore,
  type Warehouse,
} from '../engines/call-records/index.ts'
import { inTransaction, type Db, type Tx } from '../platform/db.ts'
import { timeText } from '../platform/clock.ts'
import type { Vault } from '../platform/secrets.ts'
import { listAccounts, monthNames } from './ledger-store.ts'
import { allowToWait, withAccountsLocked } from './lock-store.ts'
import * as store from './migration-store.ts'
import { placementSource } from './placements.ts'
import { compareSums } from './rules.ts'
import { nameOfStore, openAddress, sealStore, type StoreSettings } from './stores.ts'

/**
 * Migrates all call records to another store, while ingest and exports go on:
 *
 *   copy what arrived, by account and month, and the claims → compare → repeat for what arrived meanwhile, until that is little
 *   → under the locks of all accounts: copy and compare the rest, switch
 *
 * Until the switch, everyone uses the old store; after it, the new one (stores.ts). The old store keeps its copy. Going back is the same
 * in the other direction: it copies what arrived at the new store since. Confirming ends that.
 *
 * Every step can be repeated, so a command that was interrupted continues when it is started again: a record that is copied twice is the
 * same record to every reader, and what is recorded as copied or as the same in both stores is never more than what is.
 */

/** The migration cannot start, continue, or switch. The message has the reason and what to do. */
export class MigrationRefused extends Error {
  override name = 'MigrationRefused'
}

export interface MigrationReport {
  /** What was copied by this command. */
  months: number
  num_calls: number
  /** For how long inserts waited for the switch. */
  locked_ms: number
}

export interface MigrationOptions {
  onProgress?: (text: string) => void
  /** Wraps the stores, for tests that interrupt a step. */
  transfers?: (settings: StoreSettings) => TransferStore
}

export interface MigrationContext {
  db: Db
  vault: Vault
  /** What the settings of the service name. */
  own: StoreSettings
}

type Between = {
  db: Db
  migration: store.Migration
  from: TransferStore
  to: TransferStore
  /** Makes sure that the store that is copied to knows the shards of accounts. */
  place: (accounts: ReadonlySet<string>) => Promise<void>
  report: MigrationReport
  onProgress: (text: string) => void
}

/** Passes without the locks. The last one copied few records, or ingest is faster than the copy. */
const passes = { most: 20, few_records: 10_000 } as const

/** Accounts of a month that are compared with the ledger at a time. */
const accounts_at_once = 10_000

/** Migrates to a store, or continues to. Throws MigrationRefused, and the stores' errors. */
export async function migrateRecords(
  context: MigrationContext,
  to: StoreSettings,
  options: MigrationOptions = {},
): Promise<MigrationReport> {
  const { db, vault, own } = context
  return await withoutOtherCommands(db, async () => {
    const migration = await openMigration(context, to, options)
    if (migration.current === 'to')
      throw new MigrationRefused(
        'The call records are already in the new store. Confirm the migration (migrate confirm), or go back (migrate back).',
      )
    // the password may be a new one
    await store.setAddress(db, sealStore(vault, to))
    return await between({ db, migration, from: own, to }, options)
  })
}

/** Goes back to the store that the settings name, or ends a migration that has not switched. Null if nothing was copied back. */
export async function migrateBack(
  { db, vault, own }: MigrationContext,
  options: MigrationOptions = {},
): Promise<MigrationReport | null> {
  return await withoutOtherCommands(db, async (tx) => {
    const migration = await requireMigration(db, own)
    if (migration.confirmed_at !== null)
      throw new MigrationRefused('The migration is confirmed, so the old store lacks newer call records.')
    if (migration.current === 'from') {
      await store.deleteMigration(tx)
      return null
    }
    return await between({ db, migration, from: openAddress(vault, migration.address), to: own }, options)
  })
}

/** From now on the call records cannot go back. Throws MigrationRefused unless they are in the new store. */
export async function confirmMigration({ db, own }: Omit<MigrationContext, 'vault'>): Promise<string> {
  return await withoutOtherCommands(db, async () => {
    const { current, to_store } = await requireMigration(db, own)
    if (current === 'from')
      throw new MigrationRefused('The call records are not in the new store yet. Complete the migration first.')
    await store.confirmMigration(db)
    return to_store
  })
}

/** The state of the latest migration, as sentences. */
export async function describeMigration(db: Db): Promise<string> {
  const found = await store.findMigration(db)
  if (found === undefined) return 'There is no migration of call records.'
  const { from_store, to_store, current, same_until, confirmed_at } = found
  const stores = `From ${from_store} to ${to_store}.`
  if (confirmed_at !== null) return `${stores} Confirmed: the call records are in ${to_store}.`
  const copied = `Both stores have what arrived by ${timeText(new Date(Number(same_until) / 1000))}; since then, ${await store.countMonths(db)} months are copied.`
  if (current === 'to') return `${stores} Switched, and not confirmed: the call records are in ${to_store}. ${copied}`
  return `${stores} Not switched: the call records are in ${from_store}. ${same_until === '0' ? `${await store.countMonths(db)} months are copied.` : copied}`
}

async function withoutOtherCommands<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  return await inTransaction(db, async (tx) => {
    // it is idle while the records are copied
    await allowToWait(tx, 0)
    if (!(await store.lockMigration(tx)))
      throw new MigrationRefused('Another command is migrating the call records. Wait for its end.')
    return await work(tx)
  })
}

async function requireMigration(db: Db, own: StoreSettings): Promise<store.Migration> {
  const migration = await store.findMigration(db)
  if (migration === undefined) throw new MigrationRefused('There is no migration of call records.')
  if (migration.from_store !== nameOfStore(own))
    throw new MigrationRefused(
      `The call records are being migrated from ${migration.from_store}, but the settings name ${nameOfStore(own)}. Use the settings of the service.`,
    )
  return migration
}

async function openMigration(
  { db, vault, own }: MigrationContext,
  to: StoreSettings,
  { transfers = openTransfer }: MigrationOptions,
): Promise<store.Migration> {
  const [from_store, to_store] = [nameOfStore(own), nameOfStore(to)]
  const known = await store.findMigration(db)
  const unconfirmed = known?.confirmed_at === null ? known : undefined
  if (unconfirmed !== undefined && (unconfirmed.from_store !== from_store || unconfirmed.to_store !== to_store))
    throw new MigrationRefused(
      `The call records are being migrated from ${unconfirmed.from_store} to ${unconfirmed.to_store}. Complete that, or go back (migrate back), first.`,
    )
  if (known?.confirmed_at != null && known.from_store === from_store)
    throw new MigrationRefused(
      `The call records are in ${known.to_store}. Set the CLICKHOUSE settings to it and restart every process first.`,
    )
  if (from_store === to_store) throw new MigrationRefused(`The call records are in ${to_store}.`)
  if ('cluster' in own.mode || own.mode.name === 'replicated-database')
    throw new MigrationRefused('Call records cannot be migrated from a store with shards.')
  await ensureTables(to)
  if (unconfirmed === undefined) {
    const target = transfers(to)
    try {
      if (!(await target.isEmpty()))
        throw new MigrationRefused(
          `The store ${to_store} has call records already. Drop its database demarc, or choose another store.`,
        )
    } finally {
      await target.close()
    }
    const address = sealStore(vault, to)
    await inTransaction(db, (tx) => store.startMigration(tx, { from_store, to_store, address }))
  }
  return await requireMigration(db, own)
}

/** The journal of the tables is not used: it may have the steps of another store of this mode. */
async function ensureTables(to: StoreSettings): Promise<void> {
  const warehouse = openWarehouse(to)
  try {
    await warehouse.ensureSchema()
  } finally {
    await warehouse.close()
  }
}

async function between(
  { db, migration, from, to }: { db: Db; migration: store.Migration; from: StoreSettings; to: StoreSettings },
  { onProgress = () => undefined, transfers = openTransfer }: MigrationOptions,
): Promise<MigrationReport> {
  const [source, target] = [transfers(from), transfers(to)]
  const warehouse: Warehouse = openWarehouse(to)
  try {
    const report = { months: 0, num_calls: 0, locked_ms: 0 }
    const place = placing(warehouse.shards, placementSource(db))
    return await copyAndSwitch({ db, migration, from: source, to: target, place, report, onProgress })
  } finally {
    await source.close()
    await target.close()
    await warehouse.close()
  }
}

async function copyAndSwitch(work: Between): Promise<MigrationReport> {
  const { migration, report, onProgress } = work
  await requireRecorded(work)
  for (let pass = 1; pass <= passes.most; pass += 1) {
    const until = await withNothingInFlight(work, (_tx, time) => time())
    if ((await copyUntil(work, until)) <= passes.few_records) break
  }
  await withNothingInFlight(work, async (tx, time) => {
    const began = performance.now()
    const until = await time()
    await copyUntil(work, until)
    // fails if the locks are lost
    await time()
    if (!(await store.switchStore(tx, migration.current, until)))
      throw new MigrationRefused('Another command has changed the migration. Look at its state (migrate status).')
    report.locked_ms = Math.round(performance.now() - began)
  })
  onProgress('switched')
  return report
}

/** Runs work under the locks of all accounts, when no insert of a process that lost its lock can still change the old store. */
async function withNothingInFlight<T>(
  { db, from }: Between,
  work: (tx: Tx, time: () => Promise<number>) => Promise<T>,
): Promise<T> {
  for (;;) {
    const done = await withAccountsLocked(db, 'all', async (tx, time) => {
      const since = (await time()) - LIMITS.insert_settled_seconds * 1e6
      if (await from.mayBeInFlight(since)) return null
      return { result: await work(tx, time) }
    })
    if (done !== null) return done.result
    await sleep(LIMITS.settle_poll_ms)
  }
}

/** Both stores have the same by `until` when this resolves. Returns the number of records that had arrived. */
async function copyUntil(work: Between, until: number): Promise<number> {
  const { db, from, to, place, report, onProgress } = work
  const migration = await store.findMigration(db)
  const after = Number(migration?.same_until ?? 0)
  const months = await from.sums({ after, until })
  const copiedUntil = await store.copiedMonths(db)
  for (const sums of months) {
    await place(new Set([sums.account_id]))
    await transferMonth(from, to, { ...sums, after: Math.max(after, copiedUntil(sums)), until })
    await store.recordMonth(db, sums, until)
    report.months += 1
    report.num_calls += sums.num_calls
    onProgress(`account ${sums.account_id}, ${sums.month}: ${sums.num_calls} call records copied`)
  }
  await transferClaims(from, to, { after: Math.max(after, Number(migration?.claims_until ?? 0)), until })
  await store.recordClaims(db, until)
  await requireSame(work, months, { after, until })
  await inTransaction(db, (tx) => store.recordSame(tx, until))
  return months.reduce((sum, { num_calls }) => sum + num_calls, 0)
}

/** Throws unless both stores have the same months and claims. */
async function requireSame(
  { db, from, to }: Between,
  months: readonly ShardSums[],
  range: { after: number; until: number },
): Promise<void> {
  const copyOf = byMonth(await to.sums(range))
  for (const sums of months) {
    if (same(sums, copyOf(sums))) continue
    // repeated deliveries or copies that are not merged yet
    const of = { ...sums, until: range.until }
    if (same(await from.exactSums(of), await to.exactSums(of))) continue
    await store.forgetMonth(db, sums)
    throw different(`The copy of account ${sums.account_id} in ${sums.month}`)
  }
  if ((await from.claims(range)) === (await to.claims(range))) return
  await store.recordClaims(db, 0)
  throw different('The copy of the claims, which detect records that are delivered twice,')
}

const different = (copy: string): MigrationRefused =>
  new MigrationRefused(
    `${copy} differs. The call records stay where they are. Start the command again, which copies it again.`,
  )

const same = (a: ShardSums | undefined, b: ShardSums | undefined): boolean =>
  a?.num_calls === b?.num_calls &&
  a?.billed_seconds === b?.billed_seconds &&
  a?.total_cost === b?.total_cost &&
  a?.checksum === b?.checksum

/** Throws if the ledger has more than the store that is copied. */
async function requireRecorded({ db, from }: Between): Promise<void> {
  // the ledger first: what is stored in between is not missing
  const ledger: MonthSums[] = []
  for (const month of await monthNames(db)) {
    for (let after = '0'; ;) {
      const page = await listAccounts(db, { month, after, most: accounts_at_once })
      ledger.push(...page)
      const last = page.at(-1)
      if (last === undefined || page.length < accounts_at_once) break
      after = last.account_id
    }
  }
  const until = Number.MAX_SAFE_INTEGER
  const stored = byMonth(await from.sums({ after: 0, until }))
  const none = { num_calls: 0, billed_seconds: '0', total_cost: '0' }
  for (const sums of ledger) {
    if (compareSums(sums, stored(sums) ?? none) === 'complete') continue
    if (compareSums(sums, (await from.exactSums({ ...sums, until })) ?? none) === 'missing')
      throw new MigrationRefused(
        `Call records of account ${sums.account_id} in ${sums.month} are missing from the store. Deliver them again or accept the loss first.`,
      )
  }
}

type Month = { account_id: string; month: string }

function byMonth(all: readonly ShardSums[]): (of: Month) => ShardSums | undefined {
  const keyOf = ({ account_id, month }: Month) => `${account_id} ${month}`
  const found = new Map(all.map((sums) => [keyOf(sums), sums]))
  return (of) => found.get(keyOf(of))
}

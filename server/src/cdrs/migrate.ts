import { openTransfer, openWarehouse, placing, type TransferStore } from '../engines/call-records/index.ts'
import { inTransaction, type Db, type Tx } from '../platform/db.ts'
import { timeText } from '../platform/clock.ts'
import type { Vault } from '../platform/secrets.ts'
import { isRemoving } from './cold-store.ts'
import { allowToWait, withAccountsLocked } from './lock-store.ts'
import { copyAndSwitch, MigrationRefused, type MigrationReport } from './migration-copy.ts'
import * as store from './migration-store.ts'
import { placementSource } from './placements.ts'
import { nameOfStore, openAddress, sealStore, type StoreSettings } from './stores.ts'

/**
 * Migrates all call records to another store, while ingest and exports go on:
 *
 *   copy what arrived, by account and month, and the claims → compare → repeat until little has arrived meanwhile
 *   → under the locks of all accounts: copy and compare the rest, switch
 *
 * Until the switch, everyone uses the old store; after it, the new one (stores.ts). The old store keeps its copy. Going back is the same
 * in the other direction: it copies what arrived at the new store since. Confirming ends that.
 *
 * Every step can be repeated, so a command that was interrupted continues when it is started again: a record that is copied twice is the
 * same record to every reader, and what is recorded as copied or as the same in both stores is never more than what is.
 */

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
      throw new MigrationRefused('Another command is migrating the call records. Wait for it to finish.')
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
    // months are moved to the file store under one of these locks
    await withAccountsLocked(db, 'all', async (tx) => {
      if (await isRemoving(tx))
        throw new MigrationRefused(
          'A month of call records is being moved to the file store or deleted. Try again when that is complete.',
        )
      await store.startMigration(tx, { from_store, to_store, address })
    })
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
  const warehouse = openWarehouse(to)
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

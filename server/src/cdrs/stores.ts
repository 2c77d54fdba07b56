import {
  openWarehouse,
  WarehouseRefused,
  withoutCredentials,
  type Exclusively,
  type StoreAddress,
  type StoreMode,
  type Warehouse,
  type WarehouseOptions,
} from '../engines/call-records/index.ts'
import type { Db } from '../platform/db.ts'
import type { Vault } from '../platform/secrets.ts'
import { addressContext, findMigration, type Migration } from './migration-store.ts'

/**
 * The call-record store that is current. It is the one that the settings name, unless the call records have been migrated (migrate.ts):
 * then a row in PostgreSQL names it, which every read and every insert reads first. An insert reads it under the locks of its accounts,
 * and the row changes under the locks of all accounts. So an insert never goes to a store that is no longer current.
 */

/** Where a store is. */
export interface StoreSettings {
  at: StoreAddress
  mode: StoreMode
}

/** Names a store without its user and password. */
export function nameOfStore({ at, mode }: StoreSettings): string {
  const hosts = 'socket' in at ? [] : [at.url, ...(at.others ?? [])].map(withoutCredentials).toSorted()
  return [mode.name, ...('cluster' in mode ? [mode.cluster] : []), ...hosts].join(' ')
}

export const sealStore = (vault: Vault, settings: StoreSettings): string =>
  vault.seal(JSON.stringify(settings), addressContext)

export const openAddress = (vault: Vault, sealed: string): StoreSettings =>
  JSON.parse(vault.open(sealed, addressContext)) as StoreSettings // sealStore wrote it

/** The name of the current store, of a process whose settings name `own`. */
export function currentStore(migration: Migration | undefined, own: string): string {
  if (migration === undefined) return own
  const { from_store, to_store, current, confirmed_at } = migration
  // a migration that is complete says nothing about a store that was chosen later
  if (confirmed_at !== null && own !== from_store) return own
  return current === 'from' ? from_store : to_store
}

/** The store that the insert was going to use is no longer current. Nothing was inserted. */
class StoreSwitched extends Error {
  override name = 'StoreSwitched'
}

type Options = StoreSettings &
  Pick<WarehouseOptions, 'placements' | 'wait_ms' | 'failFast'> & { exclusively: Exclusively }
type Opened = { name: string; warehouse: Warehouse }

/**
 * Opens the current store. `reads` needs a pool whose connections are never held by someone who waits for another one of it: requests
 * read the row while they hold a connection of the main pool.
 */
export function openCurrentStore({ reads, vault }: { reads: Db; vault: Vault }, options: Options): Warehouse {
  const own_name = nameOfStore(options)
  const fenced =
    (name: string): Exclusively =>
    (accounts, work) =>
      options.exclusively(accounts, async (lock) => {
        if (currentStore(await findMigration(reads), own_name) !== name) throw new StoreSwitched()
        return await work(lock)
      })
  const open = (settings: StoreSettings): Opened => {
    const name = nameOfStore(settings)
    return { name, warehouse: openWarehouse({ ...options, ...settings, exclusively: fenced(name) }) }
  }
  const own = open(options)
  const others = new Map<string, Opened>()

  const current = async (): Promise<Opened> => {
    const migration = await findMigration(reads)
    const name = currentStore(migration, own_name)
    if (migration === undefined || name === own_name) return own
    if (name !== migration.to_store) throw wrongSettings(migration)
    const known = others.get(migration.address)
    if (known !== undefined) return known
    const opened = open(openAddress(vault, migration.address))
    others.set(migration.address, opened)
    return opened
  }
  return delegating(
    own.warehouse,
    async () => (await current()).warehouse,
    async () => {
      for (const { warehouse } of [own, ...others.values()]) await warehouse.close()
    },
  )
}

const wrongSettings = ({ from_store }: Migration): WarehouseRefused =>
  new WarehouseRefused(
    `The call records are in the store ${from_store}, but the settings name another one. Set the CLICKHOUSE settings back until the migration is confirmed.`,
  )

/** Each call goes to the store that is current when it begins. */
function delegating(own: Warehouse, current: () => Promise<Warehouse>, close: () => Promise<void>): Warehouse {
  return {
    ready: async (cancel) => (await current()).ready(cancel),
    ensureSchema: async (withJournal) => {
      const warehouse = await current()
      // the journal has the steps of one store of a mode
      return await (warehouse === own ? warehouse.ensureSchema(withJournal) : warehouse.ensureSchema())
    },
    insert: async (records, options) => {
      for (;;) {
        try {
          return await (await current()).insert(records, options)
        } catch (error) {
          if (!(error instanceof StoreSwitched)) throw error
        }
      }
    },
    count: async (query, cancel) => (await current()).count(query, cancel),
    totals: async (query, cancel) => (await current()).totals(query, cancel),
    months: async (of, cancel) => (await current()).months(of, cancel),
    accountsIn: async (of, cancel) => (await current()).accountsIn(of, cancel),
    monthNames: async (cancel) => (await current()).monthNames(cancel),
    estimate: async (query, cancel) => (await current()).estimate(query, cancel),
    summarize: async (query, grouping, cancel) => (await current()).summarize(query, grouping, cancel),
    newest: async (query, most, cancel) => (await current()).newest(query, most, cancel),
    stream: async (query, format, options) => (await current()).stream(query, format, options),
    export: async (query, format, write, options) => (await current()).export(query, format, write, options),
    close,
    shards: own.shards,
    cold: {
      files: async function* (of, signal) {
        yield* (await current()).cold.files(of, signal)
      },
      load: async (content, arrival) => (await current()).cold.load(content, arrival),
      countUntil: async (of, signal) => (await current()).cold.countUntil(of, signal),
      remove: async (months) => (await current()).cold.remove(months),
      removeClaims: async (of) => (await current()).cold.removeClaims(of),
    },
    archive: {
      months: async (until) => (await current()).archive.months(until),
      month: async (month, until) => (await current()).archive.month(month, until),
      pieces: async (of, most) => (await current()).archive.pieces(of, most),
      rows: async (piece) => (await current()).archive.rows(piece),
      read: async (piece) => (await current()).archive.read(piece),
      write: async (piece, open) => (await current()).archive.write(piece, open),
      place: async (accounts) => (await current()).archive.place(accounts),
    },
  }
}

import { sql, type Selectable } from 'kysely'
import type { Executor, Tx } from '../platform/db.ts'
import type { SecretColumns } from '../platform/secret-columns.ts'
import type { CdrMigrationTable } from './tables.ts'

/** The latest migration of all call records to another store. migrate.ts has the protocol. */

export type Migration = Omit<Selectable<CdrMigrationTable>, 'id' | 'started_at'>

const columns = [
  'from_store',
  'to_store',
  'address',
  'current',
  'same_until',
  'claims_until',
  'switched_at',
  'confirmed_at',
] as const

/** The sealing context of the address. */
export const addressContext = 'cdr_migration:address'

export const cdrSecrets: SecretColumns = {
  sealed: [{ table: 'cdr_migration', column: 'address', id: { id: 'bigint' }, contextOf: () => addressContext }],
  hashed: [],
}

export async function findMigration(db: Executor): Promise<Migration | undefined> {
  return await db.selectFrom('cdr_migration').select(columns).executeTakeFirst()
}

/** Whether call records are in two stores, so that none may be deleted. */
export const isMigrating = async (db: Executor): Promise<boolean> => (await findMigration(db))?.confirmed_at === null

/** Replaces a confirmed migration. Without effect if there is an unconfirmed one. */
export async function startMigration(
  db: Tx,
  migration: Pick<Migration, 'from_store' | 'to_store' | 'address'>,
): Promise<void> {
  await db.deleteFrom('cdr_migration').where('confirmed_at', 'is not', null).execute()
  await db
    .insertInto('cdr_migration')
    .values(migration)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export async function setAddress(db: Executor, address: string): Promise<void> {
  await db.updateTable('cdr_migration').set({ address }).execute()
}

const keyOf = (account_id: string, month: string) => `${account_id} ${month}`

/** Up to when the records of a month are copied, in microseconds; 0 if they are not. */
export async function copiedMonths(db: Executor): Promise<(of: { account_id: string; month: string }) => number> {
  const rows = await db.selectFrom('cdr_migration_month').select(['account_id', 'month', 'copied_until']).execute()
  const until = new Map(rows.map(({ account_id, month, copied_until }) => [keyOf(account_id, month), copied_until]))
  return ({ account_id, month }) => Number(until.get(keyOf(account_id, month)) ?? 0)
}

export async function countMonths(db: Executor): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from cdr_migration_month`.execute(db)
  return rows[0]?.count ?? 0
}

export async function recordMonth(
  db: Executor,
  { account_id, month }: { account_id: string; month: string },
  until: number,
): Promise<void> {
  await db
    .insertInto('cdr_migration_month')
    .values({ account_id, month, copied_until: String(until) })
    .onConflict((conflict) => conflict.columns(['account_id', 'month']).doUpdateSet({ copied_until: String(until) }))
    .execute()
}

/** The next pass copies the month again. */
export async function discardMonth(
  db: Executor,
  { account_id, month }: { account_id: string; month: string },
): Promise<void> {
  await db.deleteFrom('cdr_migration_month').where('account_id', '=', account_id).where('month', '=', month).execute()
}

/** 0: the next pass copies all claims since `same_until` again. */
export async function recordClaims(db: Executor, until: number): Promise<void> {
  await db
    .updateTable('cdr_migration')
    .set({ claims_until: String(until) })
    .execute()
}

/**
 * Both stores were compared and have the same by this time. Returns false if the migration is not the one that was read: a command that
 * lost its lock may still run.
 */
export async function recordSame(
  tx: Tx,
  { to_store, current, same_until }: Migration,
  until: number,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('cdr_migration')
    .set({ same_until: String(until), claims_until: String(until) })
    .where('to_store', '=', to_store)
    .where('current', '=', current)
    .where('same_until', '=', same_until)
    .executeTakeFirst()
  if (numUpdatedRows !== 1n) return false
  await tx.deleteFrom('cdr_migration_month').execute()
  return true
}

/** From the commit on, everyone uses the other store. Returns false if someone else has switched. */
export async function switchStore(tx: Tx, from: Migration['current'], until: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('cdr_migration')
    .set({ current: from === 'from' ? 'to' : 'from', switched_at: sql`clock_timestamp()` })
    .where('current', '=', from)
    .where('same_until', '=', String(until))
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

export async function confirmMigration(db: Executor): Promise<void> {
  await db
    .updateTable('cdr_migration')
    .set({ confirmed_at: sql`now()` })
    .where('current', '=', 'to')
    .execute()
}

/** Without effect if the migration has switched. */
export async function deleteMigration(tx: Tx): Promise<void> {
  await tx.deleteFrom('cdr_migration').where('current', '=', 'from').execute()
  await tx.deleteFrom('cdr_migration_month').execute()
}

/** "migr" in ASCII. */
const lock_key = 0x6d696772

/** Whether this transaction now excludes other commands that migrate. */
export async function lockMigration(tx: Tx): Promise<boolean> {
  const { rows } = await sql<{ locked: boolean }>`
    select pg_try_advisory_xact_lock(${sql.lit(lock_key)}) as locked`.execute(tx)
  return rows[0]?.locked === true
}

import { sql, type Selectable } from 'kysely'
import type { Executor } from '../platform/db.ts'
import type { AccountPriceTable, Price, PriceClassTable } from './tables.ts'

/** Prices of classes, and what accounts pay instead. */

export type PriceClassRow = Selectable<PriceClassTable>

export interface ClassPriceRow extends Price {
  name: string
  list_monthly_cost: string
  list_setup_cost: string
  is_negotiated: boolean
}

const classColumns = ['name', 'monthly_cost', 'setup_cost', 'changed_at'] as const

export const listClasses = async (db: Executor): Promise<PriceClassRow[]> =>
  await db.selectFrom('price_class').select(classColumns).orderBy('name').execute()

/** Locks a class until the transaction ends, so that orders of its numbers wait. */
export const lockClassForUpdate = async (tx: Executor, name: string): Promise<PriceClassRow | undefined> =>
  await tx.selectFrom('price_class').select(classColumns).where('name', '=', name).forNoKeyUpdate().executeTakeFirst()

/** Locks classes until the transaction ends, so that neither their prices nor those of accounts change; in order of their names. */
export async function lockClassesForShare(tx: Executor, names: readonly string[]): Promise<void> {
  await sql`select from price_class where name = any(${names}) order by name for share`.execute(tx)
}

export async function saveClass(tx: Executor, row: PriceClassRow): Promise<void> {
  const { name: _, ...change } = row
  await tx
    .insertInto('price_class')
    .values(row)
    .onConflict((oc) => oc.column('name').doUpdateSet(change))
    .execute()
}

/** What an account pays for each class, by name; null: what the classes cost. */
export async function pricesOf(db: Executor, account_id: string | null): Promise<ClassPriceRow[]> {
  const { rows } = await sql<ClassPriceRow>`
    select k.name, coalesce(a.monthly_cost, k.monthly_cost) as monthly_cost, coalesce(a.setup_cost, k.setup_cost) as setup_cost,
      k.monthly_cost as list_monthly_cost, k.setup_cost as list_setup_cost, a.account_id is not null as is_negotiated
    from price_class k left join account_price a on a.price_class = k.name and a.account_id = ${account_id}
    order by k.name`.execute(db)
  return rows
}

export async function saveAccountPrice(tx: Executor, row: Selectable<AccountPriceTable>): Promise<void> {
  const { account_id: _, price_class: _name, ...change } = row
  await tx
    .insertInto('account_price')
    .values(row)
    .onConflict((oc) => oc.columns(['account_id', 'price_class']).doUpdateSet(change))
    .execute()
}

/** The price that was removed; undefined if there was none. */
export const deleteAccountPrice = async (
  tx: Executor,
  account_id: string,
  price_class: string,
): Promise<Price | undefined> =>
  await tx
    .deleteFrom('account_price')
    .where('account_id', '=', account_id)
    .where('price_class', '=', price_class)
    .returning(['monthly_cost', 'setup_cost'])
    .executeTakeFirst()

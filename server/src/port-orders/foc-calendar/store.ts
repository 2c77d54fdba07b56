import { sql } from 'kysely'
import { visibleTo, type Actor } from '../../platform/actor.ts'
import type { Executor } from '../../platform/db.ts'
import type { OrderRow } from '../store.ts'

export interface CalendarLinkTable {
  account_id: string
  secret_hash: Buffer
  created_at: Date
}

declare module '../../platform/db.ts' {
  interface Database {
    port_order_calendar: CalendarLinkTable
  }
}

export async function findLink(db: Executor, account_id: string): Promise<CalendarLinkTable | undefined> {
  return await db
    .selectFrom('port_order_calendar')
    .select(['account_id', 'secret_hash', 'created_at'])
    .where('account_id', '=', account_id)
    .executeTakeFirst()
}

/** Inserts the link, or replaces the existing one. */
export async function putLink(tx: Executor, row: CalendarLinkTable): Promise<void> {
  const { secret_hash, created_at } = row
  await tx
    .insertInto('port_order_calendar')
    .values(row)
    .onConflict((c) => c.column('account_id').doUpdateSet({ secret_hash, created_at }))
    .execute()
}

/** False when the account has no link. */
export async function deleteLink(tx: Executor, account_id: string): Promise<boolean> {
  const row = await tx
    .deleteFrom('port_order_calendar')
    .where('account_id', '=', account_id)
    .returning('account_id')
    .executeTakeFirst()
  return row !== undefined
}

export type DatedOrder = Pick<
  OrderRow,
  'id' | 'alias' | 'provider' | 'status' | 'numbers_count' | 'modified_at' | 'reschedules' | 'rejections'
> & { completion_date: string }

/** The latest `limit` orders with a completion date on or after `from`, by date. */
export async function listDated(db: Executor, actor: Actor, from: string, limit: number): Promise<DatedOrder[]> {
  const { rows } = await sql<DatedOrder>`
    select id, alias, provider, status, numbers_count, modified_at, reschedules, rejections, completion_date
    from port_order where ${visibleTo(actor)} and completion_date >= ${from}::date
    order by completion_date desc, id desc limit ${limit}`.execute(db)
  return rows.toReversed()
}

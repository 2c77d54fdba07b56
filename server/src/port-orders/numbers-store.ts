import { sql } from 'kysely'
import type { Executor } from '../platform/db.ts'
import { bigints } from '../platform/rows.ts'
import type { Order, OrderKey, OrderRow } from './store.ts'
import type { PortOrderNumberTable } from './tables.ts'

/** SQL for the numbers of orders. Values are 11 digits. */

/** Adds numbers to an order and returns those that were not added, because they are on another open order of the account. */
export async function insertNumbers(
  tx: Executor,
  { account_id, id }: OrderKey,
  values: readonly string[],
): Promise<string[]> {
  // in ascending order, so that two requests for the same numbers cannot deadlock
  const { rows } = await sql<{ value: string }>`
    with added as (
      insert into port_order_number (account_id, port_order_id, value)
      select ${account_id}::bigint, ${id}::bigint, v from unnest(${bigints(values)}) as v order by v
      on conflict (account_id, value) where active do nothing
      returning value
    )
    select v as value from unnest(${bigints(values)}) as v except select value from added`.execute(tx)
  return rows.map((r) => r.value)
}

export async function deleteNumbers(
  tx: Executor,
  { account_id, id }: OrderKey,
  values: readonly string[],
): Promise<void> {
  await sql`
    delete from port_order_number
    where account_id = ${account_id} and port_order_id = ${id} and value = any(${bigints(values)})`.execute(tx)
}

/** The order with its numbers. Read them once per request: an order has up to 20,000. */
export async function withNumbers(db: Executor, row: OrderRow): Promise<Order> {
  const { rows } = await sql<{ value: string }>`
    select value from port_order_number
    where account_id = ${row.account_id} and port_order_id = ${row.id} order by value`.execute(db)
  return { ...row, numbers: rows.map((r) => r.value) }
}

/** Orders of a list, each with its first numbers only. */
export async function withFirstNumbers(db: Executor, orders: readonly OrderRow[], count: number): Promise<Order[]> {
  const { rows } = await sql<{ port_order_id: string; values: string[] }>`
    select o.id as port_order_id, array(
      select n.value from port_order_number n
      where n.account_id = o.account_id and n.port_order_id = o.id order by n.value limit ${count}
    ) as values
    from unnest(${orders.map((o) => o.account_id)}::bigint[], ${orders.map((o) => o.id)}::bigint[]) as o (account_id, id)`.execute(
    db,
  )
  const numbers = new Map(rows.map((r) => [r.port_order_id, r.values]))
  return orders.map((order) => ({ ...order, numbers: numbers.get(order.id) ?? [] }))
}

/** Which of these numbers are on an open order of the account, ignoring the order `except`. */
export async function valuesOnOrders(
  db: Executor,
  values: readonly string[],
  account_id: string,
  except: string | null,
): Promise<string[]> {
  const { rows } = await sql<{ value: string }>`
    select value from port_order_number
    where active and account_id = ${account_id} and value = any(${bigints(values)})
      and port_order_id is distinct from ${except}::bigint`.execute(db)
  return rows.map((r) => r.value)
}

/** Which of these numbers a signed order has claimed, each with the account of that order. */
export async function findClaims(
  db: Executor,
  values: readonly string[],
): Promise<{ value: string; account_id: string }[]> {
  const { rows } = await sql<{ value: string; account_id: string }>`
    select value, account_id from port_order_claim where value = any(${bigints(values)})`.execute(db)
  return rows
}

/** Claims the numbers of a signed order and returns those that were claimed. Numbers of another signed order are skipped. */
export async function insertClaims(tx: Executor, { account_id, id }: OrderKey): Promise<string[]> {
  // in ascending order to avoid deadlocks
  const { rows } = await sql<{ value: string }>`
    insert into port_order_claim (value, account_id, port_order_id)
    select value, account_id, port_order_id from port_order_number
    where account_id = ${account_id} and port_order_id = ${id} order by value
    on conflict (value) do nothing
    returning value`.execute(tx)
  return rows.map((r) => r.value)
}

/** How many numbers the account has on unsigned orders. */
export async function countUnsigned(db: Executor, account_id: string): Promise<number> {
  const { rows } = await sql<{ n: string }>`
    select coalesce(sum(numbers_count), 0) as n from port_order
    where account_id = ${account_id} and status = 'Pending'`.execute(db)
  return Number(rows[0]?.n ?? 0)
}

/** Releases the numbers of a final order, so that they can be ordered again. */
export async function releaseNumbers(tx: Executor, { account_id, id }: OrderKey): Promise<void> {
  await sql`delete from port_order_claim where account_id = ${account_id} and port_order_id = ${id}`.execute(tx)
  await tx
    .updateTable('port_order_number')
    .set({ active: false })
    .where('account_id', '=', account_id)
    .where('port_order_id', '=', id)
    .execute()
}

export async function setOutcome(
  tx: Executor,
  { account_id, id }: OrderKey,
  values: readonly string[],
  outcome: NonNullable<PortOrderNumberTable['outcome']>,
): Promise<void> {
  await sql`
    update port_order_number set outcome = ${outcome}
    where account_id = ${account_id} and port_order_id = ${id} and value = any(${bigints(values)})`.execute(tx)
}

/** Ported numbers whose scheduled presets are not applied yet, ascending. */
export async function unactivated(db: Executor, { account_id, id }: OrderKey): Promise<string[]> {
  const rows = await db
    .selectFrom('port_order_number')
    .select('value')
    .where('account_id', '=', account_id)
    .where('port_order_id', '=', id)
    .where('outcome', '=', 'ported')
    .where('activated_at', 'is', null)
    .orderBy('value')
    .execute()
  return rows.map((r) => r.value)
}

/** Which of these orders have ported numbers whose scheduled presets are not applied yet. */
export async function unactivatedAmong(db: Executor, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ id: string }>`
    select distinct port_order_id as id from port_order_number
    where port_order_id = any(${[...ids]}::bigint[]) and outcome = 'ported' and activated_at is null`.execute(db)
  return new Set(rows.map((r) => r.id))
}

/** Marks the scheduled presets of these numbers as applied. Returns the numbers that were not marked before. */
export async function setActivated(
  tx: Executor,
  { account_id, id }: OrderKey,
  values: readonly string[],
  activated_at: Date,
): Promise<string[]> {
  const { rows } = await sql<{ value: string }>`
    update port_order_number set activated_at = ${activated_at}
    where account_id = ${account_id} and port_order_id = ${id} and value = any(${bigints(values)}) and activated_at is null
    returning value`.execute(tx)
  return rows.map((r) => r.value)
}

/** Ids of the account's orders that have the number, including final ones. */
export async function ordersOfNumber(db: Executor, account_id: string, value: string): Promise<string[]> {
  const rows = await db
    .selectFrom('port_order_number')
    .select('port_order_id')
    .where('value', '=', value)
    .where('account_id', '=', account_id)
    .execute()
  return rows.map((row) => row.port_order_id)
}

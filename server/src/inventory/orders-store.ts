import { sql, type Insertable, type Selectable, type Updateable } from 'kysely'
import { visibleTo, type Actor } from '../platform/actor.ts'
import type { Executor } from '../platform/db.ts'
import { bigints, hasValue, isRow, newestFirst, type RowKey } from '../platform/rows.ts'
import type { NumberOrderTable, NumberPolicyTable, NumberReservationTable } from './tables.ts'

/** Orders, reservations, and the limits of accounts. */

export type OrderRow = Selectable<NumberOrderTable>
export type ReservationRow = Selectable<NumberReservationTable>
export type PolicyRow = Selectable<NumberPolicyTable>

const orderColumns = [
  'account_id',
  'id',
  'status',
  'lines',
  'presets',
  'ordered_count',
  'missing_count',
  'setup_cost',
  'monthly_cost',
  'callback_url',
  'all_or_none',
  'expires_at',
  'rejection_reason',
  'created_at',
] as const

const reservationColumns = [
  'account_id',
  'id',
  'status',
  'numbers',
  'extended',
  'callback_url',
  'created_at',
  'expires_at',
] as const

interface ListOptions<S> {
  status: S | undefined
  limit: number
  offset: number
}

export const insertOrder = async (tx: Executor, row: Insertable<NumberOrderTable>): Promise<OrderRow> =>
  await tx.insertInto('number_order').values(row).returning(orderColumns).executeTakeFirstOrThrow()

const selectOrder = (db: Executor, actor: Actor, id: string) =>
  db.selectFrom('number_order').select(orderColumns).where('id', '=', id).where(visibleTo(actor))

export const findOrder = async (db: Executor, actor: Actor, id: string): Promise<OrderRow | undefined> =>
  await selectOrder(db, actor, id).executeTakeFirst()

/** Locks the order until the transaction ends. Lock its numbers before. */
export const lockOrderForUpdate = async (tx: Executor, actor: Actor, id: string): Promise<OrderRow | undefined> =>
  await selectOrder(tx, actor, id).forNoKeyUpdate().executeTakeFirst()

export const updateOrder = async (tx: Executor, row: RowKey, change: Updateable<NumberOrderTable>): Promise<OrderRow> =>
  await tx.updateTable('number_order').set(change).where(isRow(row)).returning(orderColumns).executeTakeFirstOrThrow()

export const listOrders = async (
  db: Executor,
  actor: Actor,
  { status, account_id, ...page }: ListOptions<OrderRow['status']> & { account_id?: string | undefined },
): Promise<OrderRow[]> =>
  await db
    .selectFrom('number_order')
    .select(orderColumns)
    .where(visibleTo(actor))
    .where(hasValue('account_id', account_id))
    .where(hasValue('status', status))
    .$call(newestFirst(page))
    .execute()

export async function insertReservation(
  tx: Executor,
  row: Pick<ReservationRow, 'account_id' | 'numbers' | 'callback_url' | 'created_at' | 'expires_at'>,
): Promise<ReservationRow> {
  return await tx
    .insertInto('number_reservation')
    .values({ ...row, numbers: sql<string[]>`${bigints(row.numbers)}`, status: 'active' })
    .returning(reservationColumns)
    .executeTakeFirstOrThrow()
}

const selectReservation = (db: Executor, actor: Actor, id: string) =>
  db.selectFrom('number_reservation').select(reservationColumns).where('id', '=', id).where(visibleTo(actor))

export const findReservation = async (db: Executor, actor: Actor, id: string): Promise<ReservationRow | undefined> =>
  await selectReservation(db, actor, id).executeTakeFirst()

/** Locks the reservation until the transaction ends. Lock its numbers before. */
export const lockReservationForUpdate = async (
  tx: Executor,
  actor: Actor,
  id: string,
): Promise<ReservationRow | undefined> => await selectReservation(tx, actor, id).forNoKeyUpdate().executeTakeFirst()

export const listReservations = async (
  db: Executor,
  actor: Actor,
  { status, ...page }: ListOptions<ReservationRow['status']>,
): Promise<ReservationRow[]> =>
  await db
    .selectFrom('number_reservation')
    .select(reservationColumns)
    .where(visibleTo(actor))
    .where(hasValue('status', status))
    .$call(newestFirst(page))
    .execute()

export async function updateReservation(
  tx: Executor,
  row: RowKey,
  change: Partial<Pick<ReservationRow, 'status' | 'extended' | 'expires_at'>>,
): Promise<void> {
  await tx.updateTable('number_reservation').set(change).where(isRow(row)).execute()
}

/** Marks those of the account's reservations as ordered that have no reserved numbers left, and returns their ids. */
export async function finishReservations(tx: Executor, account_id: string, ids: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    update number_reservation r set status = 'ordered'
    where account_id = ${account_id} and id = any(${bigints(ids)}) and status = 'active'
      and not exists (select from inventory_number i where i.reservation_id = r.id)
    returning id`.execute(tx)
  return rows.map(({ id }) => id)
}

/** How many numbers the account has reserved, and how many of its orders wait for approval. */
export async function countReserved(db: Executor, account_id: string): Promise<{ reserved: number; pending: number }> {
  const { rows } = await sql<{ reserved: number; pending: number }>`
    select count(reservation_id)::integer as reserved, count(order_id)::integer as pending
    from inventory_number where account_id = ${account_id} and status = 'reserved'`.execute(db)
  return rows[0] ?? { reserved: 0, pending: 0 }
}

const policyColumns = [
  'account_id',
  'numbers_max',
  'reserved_max',
  'approval',
  'approval_quantity_max',
  'approval_monthly_cost_max',
] as const
const noLimits = {
  numbers_max: null,
  reserved_max: null,
  approval: 'none',
  approval_quantity_max: null,
  approval_monthly_cost_max: null,
} as const

export async function findPolicy(db: Executor, account_id: string): Promise<PolicyRow> {
  const row = await db
    .selectFrom('number_policy')
    .select(policyColumns)
    .where('account_id', '=', account_id)
    .executeTakeFirst()
  return row ?? { account_id, ...noLimits }
}

/** The limits of an account, locked until the transaction ends, so that its orders and reservations count one after another. */
export async function lockPolicyForUpdate(tx: Executor, account_id: string): Promise<PolicyRow> {
  await tx
    .insertInto('number_policy')
    .values({ account_id, ...noLimits })
    .onConflict((oc) => oc.doNothing())
    .execute()
  return await tx
    .selectFrom('number_policy')
    .select(policyColumns)
    .where('account_id', '=', account_id)
    .forUpdate()
    .executeTakeFirstOrThrow()
}

export async function savePolicy(tx: Executor, row: PolicyRow): Promise<void> {
  const { account_id: _, ...limits } = row
  await tx
    .insertInto('number_policy')
    .values(row)
    .onConflict((oc) => oc.column('account_id').doUpdateSet(limits))
    .execute()
}

import { sql, type Insertable, type Updateable } from 'kysely'
import { visibleTo, type Actor } from '../../platform/actor.ts'
import type { Executor } from '../../platform/db.ts'
import { bigints, hasValue, isRow, newestFirst, type RowKey } from '../../platform/rows.ts'
import type { PortoutRow, PortoutTable } from './tables.ts'

const columns = [
  'account_id',
  'id',
  'status',
  'numbers',
  'gaining_carrier',
  'gaining_spid',
  'reference',
  'requested_due_date',
  'complete_by',
  'foc_date',
  'is_simple',
  'passcode_result',
  'reason_code',
  'reason',
  'customer_response',
  'customer_comment',
  'responded_at',
  'created_at',
  'changed_at',
] as const

/** Inserts a port-out with its numbers, which must be locked and on no other port-out. */
export async function insertPortout(tx: Executor, { numbers, ...row }: Insertable<PortoutTable>): Promise<PortoutRow> {
  const inserted = await tx
    .insertInto('portout')
    .values({ ...row, numbers: sql<string[]>`${bigints(numbers)}` })
    .returning(columns)
    .executeTakeFirstOrThrow()
  await sql`
    insert into portout_number (account_id, value, portout_id)
    select ${row.account_id}::bigint, value, ${inserted.id}::bigint from unnest(${bigints(numbers)}) as n (value)`.execute(
    tx,
  )
  return inserted
}

const selectPortout = (db: Executor, actor: Actor, id: string) =>
  db.selectFrom('portout').select(columns).where('id', '=', id).where(visibleTo(actor))

export const findPortout = async (db: Executor, actor: Actor, id: string): Promise<PortoutRow | undefined> =>
  await selectPortout(db, actor, id).executeTakeFirst()

/** Locked until the transaction ends. Lock its numbers after it. */
export const lockPortoutForUpdate = async (tx: Executor, actor: Actor, id: string): Promise<PortoutRow | undefined> =>
  await selectPortout(tx, actor, id).forNoKeyUpdate().executeTakeFirst()

interface ListOptions {
  status: PortoutRow['status'] | undefined
  account_id: string | undefined
  number: string | undefined
  limit: number
  offset: number
}

export const listPortouts = async (
  db: Executor,
  actor: Actor,
  { status, account_id, number, ...page }: ListOptions,
): Promise<PortoutRow[]> =>
  await db
    .selectFrom('portout')
    .select(columns)
    .where(visibleTo(actor))
    .where(hasValue('status', status))
    .where(hasValue('account_id', account_id))
    .where(number === undefined ? sql<boolean>`true` : sql<boolean>`numbers @> ${bigints([number])}`)
    .$call(newestFirst(page))
    .execute()

export async function updatePortout(tx: Executor, row: RowKey, change: Updateable<PortoutTable>): Promise<PortoutRow> {
  return await tx.updateTable('portout').set(change).where(isRow(row)).returning(columns).executeTakeFirstOrThrow()
}

/** Lets the numbers of a port-out leave their account, or stay. */
export async function freeNumbers(tx: Executor, { account_id, id }: RowKey): Promise<void> {
  await tx.deleteFrom('portout_number').where('account_id', '=', account_id).where('portout_id', '=', id).execute()
}

/** The open or confirmed port-outs of these numbers. Exact while the numbers are locked. */
export async function portoutsOf(
  db: Executor,
  numbers: readonly string[],
): Promise<ReadonlyMap<string, Pick<PortoutRow, 'id' | 'gaining_carrier'>>> {
  const { rows } = await sql<{ value: string; id: string; gaining_carrier: string }>`
    select n.value, p.id, p.gaining_carrier
    from portout_number n join portout p on p.account_id = n.account_id and p.id = n.portout_id
    where n.value = any(${bigints(numbers)})`.execute(db)
  return new Map(rows.map(({ value, ...portout }) => [value, portout]))
}

/** The callback URL of the first of these numbers that was ordered with one. */
export async function callbackUrlOf(db: Executor, numbers: readonly string[]): Promise<string | null> {
  const { rows } = await sql<{ callback_url: string }>`
    select callback_url from inventory_number
    where number = any(${bigints(numbers)}) and callback_url is not null order by number limit 1`.execute(db)
  return rows[0]?.callback_url ?? null
}

import { sql, type Insertable, type Selectable } from 'kysely'
import type { portOrders } from '@demarc/client'
import { visibleTo, type Actor } from '../platform/actor.ts'
import type { Executor } from '../platform/db.ts'
import { countByAccount, countRows, containsText, isRow, lockById, readById } from '../platform/rows.ts'
import type { PortOrderCommentTable, PortOrderLoaTable, PortOrderTable } from './tables.ts'

export type OrderRow = Selectable<PortOrderTable>
/** An order with its numbers (11 digits, ascending), which a request reads once and passes on. */
export interface Order extends OrderRow {
  readonly numbers: readonly string[]
}
export type CommentRow = Selectable<PortOrderCommentTable>
export type LoaRow = Selectable<PortOrderLoaTable>
export type OrderKey = Pick<OrderRow, 'account_id' | 'id'>

const columns = [
  'account_id',
  'id',
  'group_id',
  'status',
  'alias',
  'billing_name',
  'billing_number',
  'company',
  'street',
  'street2',
  'city',
  'state',
  'zip',
  'country',
  'provider',
  'provider_account',
  'usage_type',
  'desired_completion_date',
  'enable_cnam_lookups',
  'loa_cc',
  'loa_email',
  'status_url',
  'pin',
  'pin_mask',
  'last_4_ssn',
  'price',
  'numbers_count',
  'cnam_id',
  'e911_id',
  'primary_route_id',
  'failover_route_id',
  'number_alias',
  'presets_failed',
  'created_at',
  'updated_at',
  'modified_at',
  'entered_at',
  'due_at',
  'completion_date',
  'date_ever_given',
  'rejections',
  'reschedules',
  'rejection_raw',
  'rejection_reason',
  'rejected_at',
] as const

export async function nextGroupId(tx: Executor): Promise<string> {
  const { rows } = await sql<{ id: string }>`select nextval('port_order_group_id') as id`.execute(tx)
  return rows[0]?.id ?? ''
}

/** Allocates ids before the rows exist, because secrets are encrypted with the order's id as associated data. */
export async function nextOrderIds(tx: Executor, count: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select nextval('port_order_id') as id from generate_series(1, ${count})`.execute(tx)
  return rows.map((r) => r.id)
}

export async function insertOrder(tx: Executor, row: Insertable<PortOrderTable> & { id: string }): Promise<OrderRow> {
  return await tx.insertInto('port_order').values(row).returning(columns).executeTakeFirstOrThrow()
}

export const findOrder = readById<OrderRow>('port_order', columns)

/** The order, its row locked until the transaction ends. */
export const lockForUpdate = lockById<OrderRow>('port_order', columns, 'no key update')

/** Updates an order unless its status has changed since it was read; undefined if it has. */
export async function updateOrder(
  tx: Executor,
  row: Pick<OrderRow, 'account_id' | 'id' | 'status'>,
  change: Partial<Omit<OrderRow, 'account_id' | 'id'>>,
): Promise<OrderRow | undefined> {
  return await tx
    .updateTable('port_order')
    .set(change)
    .where(isRow(row))
    .where('status', '=', row.status)
    .returning(columns)
    .executeTakeFirst()
}

export interface OrderFilter {
  /** In any of these statuses. */
  statuses?: readonly portOrders.PortOrderStatus[] | undefined
  group_id?: string | undefined
  /** 11 digits. */
  number?: string | undefined
  /** Part of the alias, any case. */
  alias?: string | undefined
  created_from?: Date | undefined
  created_before?: Date | undefined
  modified_from?: Date | undefined
  modified_before?: Date | undefined
}

/** Orders without a deadline come last. Must match the index port_order_due. */
const due = sql<Date>`coalesce(due_at, 'infinity'::timestamptz)`

/** Orders, newest first or by due time; with `after` those that follow the order with this id. */
export async function listOrders(
  db: Executor,
  actor: Actor,
  { order = 'newest', ...filter }: OrderFilter & { order?: 'newest' | 'due' | undefined },
  { after, limit, offset }: { after: string | null; limit: number; offset: number },
): Promise<OrderRow[]> {
  const visible = filtered(db, filter).where(visibleTo(actor)).limit(limit).offset(offset)
  if (order === 'newest') {
    const query = visible.orderBy('id', 'desc')
    return await (after === null ? query : query.where('id', '<', after)).execute()
  }
  const query = visible.orderBy(due).orderBy('id')
  const follows = sql<boolean>`(${due}, id) > (select ${due}, id from port_order where id = ${after})`
  return await (after === null ? query : query.where(follows)).execute()
}

function filtered(db: Executor, filter: OrderFilter) {
  let query = db.selectFrom('port_order').select(columns)
  const { statuses, group_id, number, alias, created_from, created_before, modified_from, modified_before } = filter
  if (statuses) query = query.where(sql<boolean>`status = any(${statuses}::text[])`)
  if (group_id) query = query.where('group_id', '=', group_id)
  if (number)
    query = query.where('id', 'in', (eb) =>
      eb.selectFrom('port_order_number').select('port_order_id').where('value', '=', number),
    )
  if (alias) query = query.where(containsText('alias', alias))
  if (created_from) query = query.where('created_at', '>=', created_from)
  if (created_before) query = query.where('created_at', '<', created_before)
  if (modified_from) query = query.where('modified_at', '>=', modified_from)
  if (modified_before) query = query.where('modified_at', '<', modified_before)
  return query
}

export interface QueueFilter {
  statuses: readonly portOrders.PortOrderStatus[]
  account_id?: string | undefined
  /** Due before this. */
  due_before?: Date | undefined
  /** Due at this time or later, or without a due time. */
  due_from?: Date | undefined
}

/** Open orders of all accounts, by due time. */
export async function listQueue(
  db: Executor,
  { statuses, account_id, due_before, due_from, limit, offset }: QueueFilter & { limit: number; offset: number },
): Promise<OrderRow[]> {
  let query = db.selectFrom('port_order').select(columns)
  query = query.where(sql<boolean>`status = any(${statuses}::text[])`)
  if (account_id !== undefined) query = query.where('account_id', '=', account_id)
  if (due_before) query = query.where('due_at', '<', due_before)
  if (due_from) query = query.where(sql<boolean>`(due_at is null or due_at >= ${due_from})`)
  return await query.orderBy('due_at').orderBy('id').limit(limit).offset(offset).execute()
}

/** The number of orders in these statuses for each account, up to `most`. */
export const countOrdersByAccount = (
  db: Executor,
  account_ids: readonly string[],
  statuses: readonly portOrders.PortOrderStatus[],
  most: number,
) => countByAccount(db, 'port_order', account_ids, most, sql<boolean>`status = any(${statuses}::text[])`)

/** The orders of a group, oldest first. */
export async function groupOrders(db: Executor, actor: Actor, group_id: string): Promise<OrderRow[]> {
  return await db
    .selectFrom('port_order')
    .select(columns)
    .where('group_id', '=', group_id)
    .where(visibleTo(actor))
    .orderBy('id')
    .execute()
}

const commentColumns = ['account_id', 'port_order_id', 'id', 'text', 'author', 'is_private', 'created_at'] as const

export async function insertComment(tx: Executor, comment: Insertable<PortOrderCommentTable>): Promise<CommentRow> {
  return await tx.insertInto('port_order_comment').values(comment).returning(commentColumns).executeTakeFirstOrThrow()
}

export async function countComments(db: Executor, { account_id, id }: OrderKey): Promise<number> {
  return await countRows(db, 'port_order_comment', sql<boolean>`account_id = ${account_id} and port_order_id = ${id}`)
}

/** Comments of orders, oldest first. */
export async function listComments(
  db: Executor,
  ids: readonly string[],
  seesPrivate: boolean,
  page?: { limit: number; offset: number },
): Promise<CommentRow[]> {
  let query = db
    .selectFrom('port_order_comment')
    .select(commentColumns)
    .where(sql<boolean>`port_order_id = any(${[...ids]}::bigint[])`)
    .orderBy('id')
  if (!seesPrivate) query = query.where('is_private', '=', false)
  if (page) query = query.limit(page.limit).offset(page.offset)
  return await query.execute()
}

export async function insertLoa(tx: Executor, row: LoaRow): Promise<void> {
  const { evidence, ...plain } = row
  await tx
    .insertInto('port_order_loa')
    .values({ ...plain, evidence: sql`${JSON.stringify(evidence)}::json` })
    .execute()
}

export async function findLoa(db: Executor, { account_id, id }: OrderKey): Promise<LoaRow | undefined> {
  return await db
    .selectFrom('port_order_loa')
    .select(['account_id', 'port_order_id', 'signed_at', 'evidence', 'facts_sha256'])
    .where('account_id', '=', account_id)
    .where('port_order_id', '=', id)
    .executeTakeFirst()
}

export type Signing = Pick<LoaRow, 'port_order_id' | 'signed_at' | 'facts_sha256'>

/** The signings of these orders. */
export async function signingsOf(db: Executor, ids: readonly string[]): Promise<Signing[]> {
  return await db
    .selectFrom('port_order_loa')
    .select(['port_order_id', 'signed_at', 'facts_sha256'])
    .where(sql<boolean>`port_order_id = any(${[...ids]}::bigint[])`)
    .execute()
}

/** Events of one order, oldest first, except those of type `without` (private comments). */
export async function listTimeline(
  db: Executor,
  { account_id, id }: OrderKey,
  without: string | null,
  page: { limit: number; offset: number },
) {
  let query = db
    .selectFrom('event')
    .select(['id', 'occurred_at', 'actor', 'type', 'data'])
    .where('subject_type', '=', 'portorder')
    .where('subject_id', '=', id)
    .where('chain_id', '=', account_id)
  if (without !== null) query = query.where('type', '<>', without)
  return await query.orderBy('id').limit(page.limit).offset(page.offset).execute()
}

/** Orders with this id, with a number in this range, or with this text in their alias; newest first. */
export async function searchOrders(
  db: Executor,
  actor: Actor,
  { text, id, range }: { text: string; id: string | null; range: { from: string; below: string } | null },
  limit: number,
): Promise<Pick<OrderRow, 'account_id' | 'id' | 'alias' | 'status' | 'numbers_count'>[]> {
  const arms = [
    ...(id === null ? [] : [sql`(select id from port_order where id = ${id} and ${visibleTo(actor)})`]),
    ...(range === null
      ? []
      : [
          sql`(select distinct port_order_id from port_order_number
            where value >= ${range.from} and value < ${range.below} and ${visibleTo(actor)} order by port_order_id desc limit ${limit})`,
        ]),
    // aliases are only searched within one account, because no index covers all accounts
    ...(actor.account_id === null
      ? []
      : [
          sql`(select id from port_order where ${visibleTo(actor)} and ${containsText('alias', text)} order by id desc limit ${limit})`,
        ]),
  ]
  if (arms.length === 0) return []
  const { rows } = await sql<Pick<OrderRow, 'account_id' | 'id' | 'alias' | 'status' | 'numbers_count'>>`
    select account_id, id, alias, status, numbers_count from port_order
    where ${visibleTo(actor)} and id in (${sql.join(arms, sql` union `)})
    order by id desc limit ${limit}`.execute(db)
  return rows
}

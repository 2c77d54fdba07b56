import { businessDocuments } from '../order-documents/index.ts'
import { notFound, problem } from '../platform/problem.ts'
import { portOrders } from '@demarc/client'
import type { Actor } from '../platform/actor.ts'
import type { Context, WriteContext } from '../platform/context.ts'
import type { Executor } from '../platform/db.ts'
import { unactivatedAmong, withNumbers } from './numbers-store.ts'
import * as store from './store.ts'

/** An order with everything that its document contains. */
export interface OrderView {
  /** In a list only with its first numbers. */
  order: store.Order
  comments: readonly store.CommentRow[]
  documents: readonly { filename: string; status: 'uploaded' | 'failed' }[]
  signing: store.Signing | undefined
  /** It has ported numbers whose scheduled presets are not applied yet. */
  waiting: boolean
}

/** Only the carrier's staff sees private comments. */
export const seesPrivate = (actor: Actor): boolean => actor.kind === 'operator'

/** Views of orders, in the same sequence, with one statement per table. */
export async function viewsOf(
  db: Executor,
  orders: readonly store.Order[],
  withPrivate: boolean,
): Promise<OrderView[]> {
  if (orders.length === 0) return []
  const ids = orders.map((order) => order.id)
  const comments = Map.groupBy(await store.listComments(db, ids, withPrivate), (comment) => comment.port_order_id)
  const signings = new Map((await store.signingsOf(db, ids)).map((s) => [s.port_order_id, s]))
  const documents = await documentsOf(db, orders)
  const completed = orders.filter((order) => order.status === 'Completed').map((order) => order.id)
  const waiting = completed.length === 0 ? new Set<string>() : await unactivatedAmong(db, completed)
  return orders.map((order) => ({
    order,
    comments: comments.get(order.id) ?? [],
    documents: documents.get(order.id) ?? [],
    signing: signings.get(order.id),
    waiting: waiting.has(order.id),
  }))
}

export async function viewOf(db: Executor, order: store.Order, withPrivate: boolean): Promise<OrderView> {
  const [view] = await viewsOf(db, [order], withPrivate)
  if (!view) throw new Error('one order has one view')
  return view
}

async function documentsOf(db: Executor, rows: readonly store.OrderRow[]) {
  const found = new Map<string, OrderView['documents']>()
  for (const [account_id, own] of Map.groupBy(rows, (r) => r.account_id)) {
    const documents = await businessDocuments(
      db,
      account_id,
      own.map((r) => r.id),
    )
    for (const [id, list] of documents) found.set(id, list)
  }
  return found
}

/** Throws 404 unless the actor can see the order. */
export async function requireOrder(c: Context, id: string): Promise<store.OrderRow> {
  return (await store.findOrder(c.tx, c.actor, id)) ?? unknownOrder(c, id)
}

/** The order with its numbers. Throws 404 unless the actor can see it. */
export const loadOrder = async (c: Context, id: string): Promise<store.Order> =>
  await withNumbers(c.tx, await requireOrder(c, id))

/** The order, its row locked until the transaction ends. Throws 404. */
export async function lockOrderForUpdate(c: WriteContext, id: string): Promise<store.OrderRow> {
  return (await store.lockForUpdate(c.tx, c.actor, id)) ?? unknownOrder(c, id)
}

/** The order, its row locked until the transaction ends. Throws 404, and 409 in a status that does not allow the edit. */
export async function lockForEdit(c: WriteContext, id: string, edit: portOrders.Edit): Promise<store.OrderRow> {
  const row = await lockOrderForUpdate(c, id)
  requireEdit(row, edit)
  return row
}

/** Throws 409 in a status that does not allow the edit; it lists the statuses that do. */
export function requireEdit({ status }: Pick<store.OrderRow, 'status'>, edit: portOrders.Edit): void {
  const permission = portOrders.editAllowed(edit, status)
  if (!permission.ok) throw problem('conflict', permission.reason)
}

function unknownOrder(c: Context, id: string): never {
  throw notFound(c.actor, `No port order ${id}`)
}

import { businessDocuments } from '../order-documents/index.ts'
import { notFound, problem } from '../platform/problem.ts'
import { portOrders } from '@demarc/client'
import type { Actor } from '../platform/actor.ts'
import type { Context, WriteContext } from '../platform/context.ts'
import type { Executor } from '../platform/db.ts'
import { firstNumbersOf, numbersOf, unactivatedAmong } from './numbers-store.ts'
import * as store from './store.ts'

/** An order with everything that its document contains. */
export interface OrderView {
  row: store.OrderRow
  /** 11 digits, ascending; in a list only the first. */
  numbers: readonly string[]
  comments: readonly store.CommentRow[]
  documents: readonly { filename: string; status: 'uploaded' | 'failed' }[]
  signing: store.Signing | undefined
  /** It has ported numbers whose scheduled presets are not applied yet. */
  waiting: boolean
}

/** Private comments are visible to the carrier's staff only. */
export const seesPrivate = (actor: Actor): boolean => actor.kind === 'operator'

/** Views of orders, in the same sequence, with one statement per table; `numbers_max`: with the first numbers of each only. */
export async function viewsOf(
  db: Executor,
  rows: readonly store.OrderRow[],
  withPrivate: boolean,
  numbers_max?: number,
): Promise<OrderView[]> {
  if (rows.length === 0) return []
  const ids = rows.map((r) => r.id)
  const numbers = numbers_max === undefined ? await numbersOf(db, ids) : await firstNumbersOf(db, rows, numbers_max)
  const comments = Map.groupBy(await store.listComments(db, ids, withPrivate), (comment) => comment.port_order_id)
  const signings = new Map((await store.signingsOf(db, ids)).map((s) => [s.port_order_id, s]))
  const documents = await documentsOf(db, rows)
  const completed = rows.filter((r) => r.status === 'Completed').map((r) => r.id)
  const waiting = completed.length === 0 ? new Set<string>() : await unactivatedAmong(db, completed)
  return rows.map((row) => ({
    row,
    numbers: numbers.get(row.id) ?? [],
    comments: comments.get(row.id) ?? [],
    documents: documents.get(row.id) ?? [],
    signing: signings.get(row.id),
    waiting: waiting.has(row.id),
  }))
}

export async function viewOf(db: Executor, row: store.OrderRow, withPrivate: boolean): Promise<OrderView> {
  const [view] = await viewsOf(db, [row], withPrivate)
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
  return (await store.findOrder(c.tx, c.actor, id)) ?? unknownOrder(id)
}

/** The order, its row locked until the transaction ends. Throws 404. */
export async function lockOrderForUpdate(c: WriteContext, id: string): Promise<store.OrderRow> {
  return (await store.lockForUpdate(c.tx, c.actor, id)) ?? unknownOrder(id)
}

/** The order, its row locked, in a status that allows the edit. Throws 404, and 409 naming the statuses that would. */
export async function lockForEdit(c: WriteContext, id: string, edit: portOrders.Edit): Promise<store.OrderRow> {
  const row = await lockOrderForUpdate(c, id)
  requireEdit(row, edit)
  return row
}

/** Throws 409 naming the statuses that allow the edit, unless the order is in one of them. */
export function requireEdit({ status }: Pick<store.OrderRow, 'status'>, edit: portOrders.Edit): void {
  const permission = portOrders.editAllowed(edit, status)
  if (!permission.ok) throw problem('conflict', permission.reason)
}

function unknownOrder(id: string): never {
  throw notFound(`No port order ${id}`)
}

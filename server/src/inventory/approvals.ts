import { countText } from '@demarc/client'
import { systemActor } from '../platform/actor.ts'
import type { Deps, WriteContext } from '../platform/context.ts'
import { inTransaction } from '../platform/db.ts'
import { cancelJob, schedule } from '../platform/jobs.ts'
import { notFound, problem } from '../platform/problem.ts'
import { buyNumbers, costsOf, finishReservations, linesOf, presetErrors, recordOrder, resultOf } from './buying.ts'
import * as orders from './orders-store.ts'
import { requireQuota } from './policy.ts'
import { approval_days, pendingNumbers_max } from './rules.ts'
import * as store from './store.ts'

/** Orders that the operator approves. Until then, their numbers are reserved for them. */

/** Ends an order that was not approved in time. Its key is the order's id. */
export const expireOrderJob = 'expire-number-order'

const day_ms = 86_400_000

/** Stores an order of locked numbers that needs approval. Throws 409 if too many numbers of the account wait for it. */
export async function submitOrder(
  c: WriteContext,
  order: Pick<orders.OrderRow, 'account_id' | 'presets' | 'callback_url' | 'all_or_none'>,
  rows: readonly store.InventoryNumber[],
  { requested, missing_count }: { requested: readonly string[]; missing_count: number },
): Promise<orders.OrderRow> {
  const { account_id, presets } = order
  const { pending } = await orders.countReserved(c.tx, account_id)
  if (pending + rows.length > pendingNumbers_max)
    throw problem(
      'conflict',
      `${pending} numbers of the account wait for approval, and at most ${pendingNumbers_max} can. Cancel orders, or order fewer numbers.`,
    )
  const now = c.clock.now()
  const expires_at = new Date(now.getTime() + approval_days * day_ms)
  const row = await orders.insertOrder(c.tx, {
    ...order,
    status: 'pending_approval',
    lines: JSON.stringify(linesOf(requested, rows, 'pending', presets)),
    presets: JSON.stringify(presets),
    ordered_count: 0,
    missing_count,
    ...costsOf(rows),
    expires_at,
    created_at: now,
  })
  const numbers = rows.map(({ number }) => number)
  await store.setStatus(c.tx, numbers, { status: 'reserved', account_id, order_id: row.id, changed_at: now })
  await finishReservations(c, account_id, rows)
  await schedule(c.tx, expireOrderJob, row.id, expires_at)
  await recordOrder(c, row, 'numberorder.submitted')
  return row
}

/**
 * Completes an order as it was made, at its prices. Throws 404, and 409 if it is not pending, its presets cannot be used any more,
 * the account would have more numbers than it may, or numbers of an order of all or none are gone.
 */
export async function approveOrder(c: WriteContext, id: string): Promise<orders.OrderRow> {
  const { row, numbers } = await lockPending(c, id, 'approved')
  const { account_id, presets, lines, all_or_none } = row
  const prices = new Map(lines.map((line) => [line.value, line]))
  const rows = numbers.map((number) => {
    const { monthly_cost, setup_cost } = prices.get(number.number) ?? number
    return { ...number, monthly_cost: monthly_cost ?? number.monthly_cost, setup_cost: setup_cost ?? number.setup_cost }
  })
  const pending_count = lines.filter(({ outcome }) => outcome === 'pending').length
  if (all_or_none && rows.length < pending_count)
    throw problem(
      'conflict',
      `${countText(pending_count - rows.length, 'number')} of the order can no longer be ordered. Reject it.`,
    )
  const errors = Object.values(await presetErrors(c, account_id, presets)).flat()
  if (errors.length > 0) throw problem('conflict', `The presets of the order cannot be used: ${errors.join(' ')}`)
  await requireQuota(c, account_id, 0)
  const bought = await buyNumbers(c, row, rows)
  const requested = lines.map(({ value }) => value)
  const approved = await orders.updateOrder(c.tx, row, {
    ...resultOf(bought, pending_count + row.missing_count - bought.length),
    lines: JSON.stringify(linesOf(requested, bought, 'ordered', presets)),
  })
  await cancelJob(c.tx, expireOrderJob, id)
  await recordOrder(c, approved, 'numberorder.approved', bought)
  return approved
}

/** Ends an order; the customer sees the reason. Throws 404, and 409 if it is not pending. */
export async function rejectOrder(c: WriteContext, id: string, reason: string): Promise<orders.OrderRow> {
  const pending = await lockPending(c, id, 'rejected')
  await cancelJob(c.tx, expireOrderJob, id)
  return await endOrder(c, pending, { status: 'rejected', rejection_reason: reason })
}

/** Throws 404, and 409 if the order is not pending. */
export async function cancelOrder(c: WriteContext, id: string): Promise<orders.OrderRow> {
  const pending = await lockPending(c, id, 'canceled')
  await cancelJob(c.tx, expireOrderJob, id)
  return await endOrder(c, pending, { status: 'canceled', rejection_reason: null })
}

/** Ends an order that was not approved in time. Safe to run twice. */
export async function expireOrder(deps: Deps, id: string): Promise<{ again_at: Date } | void> {
  return await inTransaction(deps.db, async (tx) => {
    const c: WriteContext = { ...deps, tx, actor: systemActor(expireOrderJob, null) }
    const pending = await lockWithNumbers(c, id)
    if (pending?.row.status !== 'pending_approval') return
    const { expires_at } = pending.row
    if (expires_at !== null && expires_at > c.clock.now()) return { again_at: expires_at }
    await endOrder(c, pending, { status: 'expired', rejection_reason: null })
  })
}

interface PendingOrder {
  row: orders.OrderRow
  /** Those that are still reserved for it. */
  numbers: store.InventoryNumber[]
}

/** The order and its numbers, locked until the transaction ends; the numbers first, as an order locks them. */
async function lockWithNumbers(c: WriteContext, id: string): Promise<PendingOrder | undefined> {
  const found = await orders.findOrder(c.tx, c.actor, id)
  if (!found) return undefined
  const pending = found.lines.filter(({ outcome }) => outcome === 'pending').map(({ value }) => value)
  const numbers = await store.lockNumbersForUpdate(c.tx, pending)
  const row = await orders.lockOrderForUpdate(c.tx, c.actor, id)
  return row && { row, numbers: numbers.filter(({ order_id }) => order_id === id) }
}

async function lockPending(c: WriteContext, id: string, action: string): Promise<PendingOrder> {
  const pending = await lockWithNumbers(c, id)
  if (!pending) throw notFound(c.actor, `No number order ${id}`)
  const { status } = pending.row
  if (status !== 'pending_approval')
    throw problem('conflict', `Number order ${id} is ${status}. Only one that is awaiting approval can be ${action}.`)
  return pending
}

const reasons = {
  rejected: 'The order was rejected.',
  canceled: 'The order was canceled.',
  expired: 'The order expired.',
} as const

/** Makes the numbers of a pending order available again. */
async function endOrder(
  c: WriteContext,
  { row, numbers }: PendingOrder,
  end: { status: keyof typeof reasons; rejection_reason: string | null },
): Promise<orders.OrderRow> {
  const freed = numbers.map(({ number }) => number)
  await store.setStatus(c.tx, freed, { status: 'available', changed_at: c.clock.now() })
  const lines = row.lines.map((line) =>
    line.outcome === 'pending' ? { ...line, outcome: 'refused', reason: reasons[end.status] } : line,
  )
  const pending_count = row.lines.filter(({ outcome }) => outcome === 'pending').length
  const ended = await orders.updateOrder(c.tx, row, {
    ...end,
    lines: JSON.stringify(lines),
    missing_count: row.missing_count + pending_count,
    ...costsOf([]),
  })
  await recordOrder(c, ended, `numberorder.${end.status}`)
  return ended
}

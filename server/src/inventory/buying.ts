import { cnamAssignmentError, lockCnamStatusForShare } from '../cnam/index.ts'
import { lockAddressForKeyShare } from '../e911/index.ts'
import { createNumbers } from '../numbers/index.ts'
import type { WriteContext } from '../platform/context.ts'
import { recordEvent } from '../platform/events.ts'
import { cancelJob } from '../platform/jobs.ts'
import { voiceRouteError } from '../voice-routes/index.ts'
import { orderDocument } from './document.ts'
import * as orders from './orders-store.ts'
import { expireReservationJob } from './reservations.ts'
import { dollarsOf, notOrderable, tenThousandths } from './rules.ts'
import * as store from './store.ts'
import type { OrderLine, OrderPresets, Price } from './tables.ts'

/** How numbers of the inventory come onto an account, by an order or by its approval. */

/** What the account's number has of its inventory row. */
export const numberInput = (row: store.InventoryNumber) => ({
  value: row.number,
  number_type: row.number_type,
  state: row.state || null,
  rate_center: row.rate_center || null,
  monthly_cost: row.monthly_cost,
})

const inputWith =
  ({ alias, cnam_id, e911_id, cnam_lookups_enabled, primary_route_id, failover_route_id }: OrderPresets) =>
  (row: store.InventoryNumber) => {
    const for_longcode = row.number_type === 'longcode' ? { cnam_id, e911_id } : {}
    return {
      ...numberInput(row),
      ...for_longcode,
      alias,
      cnam_lookups_enabled,
      primary_route_id: primary_route_id ?? undefined,
      failover_route_id,
    }
  }

/**
 * Puts locked numbers on an account and returns those that are on it now: all but those that another request put on an account
 * in between.
 */
export async function buyNumbers(
  c: WriteContext,
  { account_id, presets, callback_url }: Pick<orders.OrderRow, 'account_id' | 'presets' | 'callback_url'>,
  rows: readonly store.InventoryNumber[],
): Promise<store.InventoryNumber[]> {
  const { created } = await createNumbers(c, account_id, rows.map(inputWith(presets)))
  const ordered = new Set(created.map(({ value }) => value))
  const change = { status: 'active', account_id, callback_url, changed_at: c.clock.now() } as const
  await store.setStatus(c.tx, [...ordered], change)
  await finishReservations(c, account_id, rows)
  return rows.filter(({ number }) => ordered.has(number))
}

/** Ends the account's reservations that have no numbers left. `rows`: the numbers before they left them. */
export async function finishReservations(
  c: WriteContext,
  account_id: string,
  rows: readonly store.InventoryNumber[],
): Promise<void> {
  const ids = new Set(rows.flatMap(({ reservation_id }) => reservation_id ?? []))
  for (const id of await orders.finishReservations(c.tx, account_id, [...ids]))
    await cancelJob(c.tx, expireReservationJob, id)
}

/** Why records of the presets cannot be used, by field. The records are locked until the transaction ends. */
export async function presetErrors(
  c: WriteContext,
  account_id: string,
  { primary_route_id, failover_route_id, cnam_id, e911_id }: OrderPresets,
): Promise<Record<string, string[]>> {
  const errors: Record<string, string[]> = {}
  const add = (field: string, error: string | null) => {
    if (error !== null) errors[`presets.${field}`] = [error]
  }
  for (const [field, id] of Object.entries({ primary_route_id, failover_route_id }))
    if (id !== null) add(field, await voiceRouteError(c.tx, account_id, id))
  if (cnam_id !== null)
    add('cnam_id', cnamAssignmentError(await lockCnamStatusForShare(c.tx, account_id, cnam_id), cnam_id))
  if (e911_id !== null && !(await lockAddressForKeyShare(c.tx, account_id, e911_id)))
    add('e911_id', `No emergency address ${e911_id} is on this account.`)
  return errors
}

/** What numbers cost together. */
export function costsOf(rows: readonly Price[]): Price {
  const sum = (name: 'setup_cost' | 'monthly_cost') =>
    dollarsOf(rows.reduce((total, row) => total + tenThousandths(row[name]), 0))
  return { setup_cost: sum('setup_cost'), monthly_cost: sum('monthly_cost') }
}

/** The outcome of each requested number: that of `rows`, or refused. */
export function linesOf(
  requested: readonly string[],
  rows: readonly store.InventoryNumber[],
  outcome: 'ordered' | 'pending',
  { cnam_id, e911_id }: OrderPresets,
): OrderLine[] {
  const found = new Map(rows.map((row) => [row.number, row]))
  const warnings = [
    ...(cnam_id === null ? [] : ['Toll-free numbers cannot have a caller ID name.']),
    ...(e911_id === null ? [] : ['Toll-free numbers cannot have emergency service.']),
  ]
  return requested.map((value) => {
    const row = found.get(value)
    if (!row)
      return { value, outcome: 'refused', reason: notOrderable, monthly_cost: null, setup_cost: null, warnings: [] }
    const { monthly_cost, setup_cost, number_type } = row
    const price = { monthly_cost, setup_cost }
    return { value, outcome, reason: null, ...price, warnings: number_type === 'toll-free' ? warnings : [] }
  })
}

/** What an order with these numbers got. */
export const resultOf = (rows: readonly store.InventoryNumber[], missing_count: number) =>
  ({
    status: missing_count === 0 ? 'completed' : rows.length === 0 ? 'failed' : 'partial',
    ordered_count: rows.length,
    missing_count,
    ...costsOf(rows),
  }) as const

/** Records what happened to an order; `rows` are the numbers that came onto the account by it. */
export async function recordOrder(
  c: WriteContext,
  row: orders.OrderRow,
  type: `numberorder.${string}`,
  rows: readonly store.InventoryNumber[] = [],
): Promise<void> {
  const { account_id, id, status, ordered_count, missing_count, callback_url, rejection_reason } = row
  for (const { number, monthly_cost, setup_cost } of rows) {
    const subject = { subject_type: 'number', subject_id: number }
    const data = { monthly_cost, setup_cost, numberorder_id: id }
    await recordEvent(c, account_id, { type: 'number.ordered', ...subject, data })
  }
  await recordEvent(c, account_id, {
    type,
    subject_type: 'numberorder',
    subject_id: id,
    data: { status, ordered_count, missing_count, ...(rejection_reason !== null && { reason: rejection_reason }) },
    notification: callback_url === null ? null : { url: callback_url, document: orderDocument(c, row) },
  })
}

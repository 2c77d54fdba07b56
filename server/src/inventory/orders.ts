import { lockCnamStatusForShare, cnamAssignmentError } from '../cnam/index.ts'
import { lockAddressForKeyShare } from '../e911/index.ts'
import { createNumbers } from '../numbers/index.ts'
import { accountOf } from '../platform/actor.ts'
import type { Context, WriteContext } from '../platform/context.ts'
import { recordEvent } from '../platform/events.ts'
import { cancelJob } from '../platform/jobs.ts'
import { invalid, notFound, problem, throwIfInvalid } from '../platform/problem.ts'
import { voiceRouteError } from '../voice-routes/index.ts'
import { numberInput } from './actions.ts'
import type { Availability } from './availability.ts'
import { orderDocument } from './document.ts'
import * as orders from './orders-store.ts'
import { requireQuota } from './policy.ts'
import { expireReservationJob, getReservation } from './reservations.ts'
import {
  canOrder,
  dollarsOf,
  notOrderable,
  numberErrors,
  priceText,
  profileFilter,
  selectionErrors,
  tenThousandths,
  type AvailableFilter,
  type ExpectedPrice,
} from './rules.ts'
import * as store from './store.ts'
import type { OrderLine, OrderPresets } from './tables.ts'

/** Orders of many numbers, each in one transaction. */

export interface NumberOrderInput extends ExpectedPrice {
  numbers?: readonly string[] | undefined
  quantity?: number | undefined
  filters?: AvailableFilter | undefined
  reservation_id?: string | undefined
  mode?: 'partial' | 'all_or_none' | undefined
  cnam_lookups_enabled?: boolean | undefined
  presets?: { [K in keyof OrderPresets]?: OrderPresets[K] | undefined } | null | undefined
  callback_url?: string | undefined
}

/** Numbers that an order of a quantity chooses from. */
const candidates_max = 5_000

/** Numbers that match the filters of an order, before its transaction; null for an order of certain numbers. */
export async function findCandidates(
  availability: Availability,
  { quantity, filters = {} }: NumberOrderInput,
): Promise<string[] | null> {
  if (quantity === undefined) return null
  const matches = await availability.search(filters)
  // anywhere among many, so that orders at the same time choose different ones
  const first = Math.floor(Math.random() * Math.max(0, matches.total - candidates_max + 1))
  return matches.page(candidates_max, first).map(({ number }) => String(number))
}

/**
 * Orders numbers for the actor's account. Throws 422 for an invalid request, 409 above the account's limit or at another price,
 * and in mode `all_or_none` if a number is not available.
 */
export async function createOrder(
  c: WriteContext,
  input: NumberOrderInput,
  candidates: readonly string[] | null,
): Promise<orders.OrderRow> {
  const account_id = accountOf(c.actor)
  throwIfInvalid(selectionErrors(input))
  const presets = presetsOf(input)
  throwIfInvalid(await presetErrors(c, account_id, presets))
  const requested = await requestedNumbers(c, input)
  const rows = requested
    ? (await store.lockNumbersForUpdate(c.tx, requested)).filter((row) => canOrder(row, account_id))
    : await chooseNumbers(c, input, candidates ?? [])
  requireAll(input, rows, requested)
  requirePrice(input, rows)
  await requireQuota(c, account_id, rows.length)
  const { created } = await createNumbers(c, account_id, rows.map(inputWith(presets, input.cnam_lookups_enabled)))
  const ordered = new Set(created.map(({ value }) => value))
  const bought = rows.filter(({ number }) => ordered.has(number))
  const callback_url = input.callback_url ?? null
  const now = c.clock.now()
  await store.setStatus(c.tx, [...ordered], { status: 'active', account_id, callback_url, changed_at: now })
  const reservations = new Set(rows.flatMap(({ reservation_id }) => reservation_id ?? []))
  for (const id of await orders.finishReservations(c.tx, account_id, [...reservations]))
    await cancelJob(c.tx, expireReservationJob, id)
  const lines = linesOf(requested ?? [...ordered], rows, ordered, presets)
  const missing_count = (input.quantity ?? lines.length) - ordered.size
  const row = await orders.insertOrder(c.tx, {
    account_id,
    status: missing_count === 0 ? 'completed' : ordered.size === 0 ? 'failed' : 'partial',
    lines: JSON.stringify(lines),
    presets: JSON.stringify(presets),
    ordered_count: ordered.size,
    missing_count,
    ...costsOf(bought),
    callback_url,
    created_at: now,
  })
  await recordOrder(c, row, bought)
  return row
}

const presetsOf = ({ presets }: NumberOrderInput): OrderPresets => ({
  cnam_id: presets?.cnam_id ?? null,
  e911_id: presets?.e911_id ?? null,
  primary_route_id: presets?.primary_route_id ?? null,
  failover_route_id: presets?.failover_route_id ?? null,
  alias: presets?.alias ?? null,
})

/** The numbers that a request names, directly or by a reservation; null for a quantity. Throws 422 for an unknown reservation. */
async function requestedNumbers(c: Context, { numbers, reservation_id }: NumberOrderInput): Promise<string[] | null> {
  if (reservation_id === undefined) return numbers ? [...numbers] : null
  const found = await orders.findReservation(c.tx, c.actor, reservation_id)
  if (!found) throw invalid({ reservation_id: [`No reservation ${reservation_id} is on this account.`] })
  const { status } = await getReservation(c, reservation_id)
  if (status !== 'active')
    throw problem('conflict', `Reservation ${reservation_id} is ${status}. Reserve the numbers again.`)
  return found.numbers
}

/** Why records of the presets cannot be used, by field. The records are locked until the transaction ends. */
async function presetErrors(
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

/** Locks as many of the candidates as an order wants. Those that another order has locked are left to it. */
async function chooseNumbers(
  c: WriteContext,
  { quantity = 0, filters = {} }: NumberOrderInput,
  candidates: readonly string[],
): Promise<store.InventoryNumber[]> {
  const rows = await store.lockAvailable(c.tx, candidates, quantity)
  // prices may have changed since the search
  const condition = profileFilter(filters)
  return condition ? rows.filter((row) => condition({ ...row, id: row.profile_id })) : rows
}

/** Throws if an order that wants all of its numbers cannot have them. */
function requireAll(
  { mode, quantity }: NumberOrderInput,
  rows: readonly store.InventoryNumber[],
  requested: readonly string[] | null,
): void {
  if (mode !== 'all_or_none') return
  if (quantity !== undefined && rows.length < quantity)
    throw problem('conflict', `Only ${rows.length} matching numbers are available. Order fewer, or change the filters.`)
  const available = new Set(rows.map(({ number }) => number))
  throwIfInvalid(numberErrors(requested ?? [], (number) => (available.has(number) ? null : notOrderable)))
}

function requirePrice(expected: ExpectedPrice, rows: readonly store.InventoryNumber[]): void {
  const costs = costsOf(rows)
  for (const name of ['setup_cost', 'monthly_cost'] as const) {
    const wanted = expected[name]
    if (wanted !== undefined && tenThousandths(wanted) !== tenThousandths(costs[name]))
      throw problem('conflict', `The available numbers cost ${priceText(costs)}. Order them again at this price.`)
  }
}

/** What numbers cost together. */
function costsOf(rows: readonly store.InventoryNumber[]): { setup_cost: string; monthly_cost: string } {
  const sum = (name: 'setup_cost' | 'monthly_cost') =>
    dollarsOf(rows.reduce((total, row) => total + tenThousandths(row[name]), 0))
  return { setup_cost: sum('setup_cost'), monthly_cost: sum('monthly_cost') }
}

const inputWith =
  (presets: OrderPresets, cnam_lookups_enabled: boolean | undefined) => (row: store.InventoryNumber) => {
    const { alias, cnam_id, e911_id, primary_route_id, failover_route_id } = presets
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

function linesOf(
  requested: readonly string[],
  rows: readonly store.InventoryNumber[],
  ordered: ReadonlySet<string>,
  { cnam_id, e911_id }: OrderPresets,
): OrderLine[] {
  const tollfree = new Set(rows.filter((row) => row.number_type === 'toll-free').map(({ number }) => number))
  const warnings = [
    ...(cnam_id === null ? [] : ['Toll-free numbers cannot have a caller-ID name.']),
    ...(e911_id === null ? [] : ['Toll-free numbers cannot have emergency service.']),
  ]
  return requested.map((value) =>
    ordered.has(value)
      ? { value, outcome: 'ordered', reason: null, warnings: tollfree.has(value) ? warnings : [] }
      : { value, outcome: 'refused', reason: notOrderable, warnings: [] },
  )
}

async function recordOrder(
  c: WriteContext,
  row: orders.OrderRow,
  rows: readonly store.InventoryNumber[],
): Promise<void> {
  const { account_id, id, status, ordered_count, missing_count, callback_url } = row
  for (const { number, monthly_cost, setup_cost } of rows) {
    const subject = { subject_type: 'number', subject_id: number }
    const data = { monthly_cost, setup_cost, numberorder_id: id }
    await recordEvent(c, account_id, { type: 'number.ordered', ...subject, data })
  }
  await recordEvent(c, account_id, {
    type: 'numberorder.completed',
    subject_type: 'numberorder',
    subject_id: id,
    data: { status, ordered_count, missing_count },
    notification: callback_url === null ? null : { url: callback_url, document: orderDocument(c, row) },
  })
}

/** Throws 404 for an order that the actor cannot see. */
export async function getOrder(c: Context, id: string): Promise<orders.OrderRow> {
  const row = await orders.findOrder(c.tx, c.actor, id)
  if (!row) throw notFound(`No number order ${id}`)
  return row
}

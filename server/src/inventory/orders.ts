import { countText } from '@demarc/client'
import { accountOf } from '../platform/actor.ts'
import type { Context, WriteContext } from '../platform/context.ts'
import { invalid, notFound, problem, throwIfInvalid } from '../platform/problem.ts'
import { submitOrder } from './approvals.ts'
import type { Availability } from './availability.ts'
import { buyNumbers, costsOf, linesOf, presetErrors, recordOrder, resultOf } from './buying.ts'
import * as orders from './orders-store.ts'
import { requireQuota } from './policy.ts'
import { atAccountPrices } from './prices.ts'
import { getReservation } from './reservations.ts'
import {
  canOrder,
  needsApproval,
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
import type { OrderPresets } from './tables.ts'

/** Orders of many numbers, each in one transaction. */

export interface NumberOrderInput extends ExpectedPrice {
  numbers?: readonly string[] | undefined
  quantity?: number | undefined
  filters?: AvailableFilter | undefined
  reservation_id?: string | undefined
  mode?: 'partial' | 'all_or_none' | undefined
  cnam_lookups_enabled?: boolean | undefined
  presets?: { [K in keyof SentPresets]?: SentPresets[K] | undefined } | null | undefined
  callback_url?: string | undefined
}

type SentPresets = Omit<OrderPresets, 'cnam_lookups_enabled'>

/** Numbers that an order of a quantity chooses from. */
const candidates_max = 5_000

/** Numbers that match the filters of an order, before its transaction; null for an order of certain numbers. */
export async function findCandidates(
  availability: Availability,
  account_id: string | null,
  { quantity, filters = {} }: NumberOrderInput,
): Promise<string[] | null> {
  if (quantity === undefined) return null
  return await availability.search(filters, account_id, ({ total, page }) => {
    // anywhere among many, so that orders at the same time choose different ones
    const first = Math.floor(Math.random() * Math.max(0, total - candidates_max + 1))
    return page(candidates_max, first).map(({ number }) => String(number))
  })
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
    ? await atAccountPrices(
        c,
        account_id,
        (await store.lockNumbersForUpdate(c.tx, requested)).filter((row) => canOrder(row, account_id)),
      )
    : await chooseNumbers(c, input, candidates ?? [])
  requireAll(input, rows, requested)
  requirePrice(input, rows)
  const policy = await requireQuota(c, account_id, rows.length)
  const order = {
    account_id,
    presets,
    callback_url: input.callback_url ?? null,
    all_or_none: input.mode === 'all_or_none',
  }
  const chosen = requested ?? rows.map(({ number }) => number)
  const wanted = input.quantity ?? chosen.length
  if (rows.length > 0 && needsApproval(policy, { quantity: rows.length, ...costsOf(rows) }))
    return await submitOrder(c, order, rows, { requested: chosen, missing_count: wanted - rows.length })
  const bought = await buyNumbers(c, order, rows)
  const row = await orders.insertOrder(c.tx, {
    ...order,
    ...resultOf(bought, wanted - bought.length),
    lines: JSON.stringify(linesOf(requested ?? bought.map(({ number }) => number), bought, 'ordered', presets)),
    presets: JSON.stringify(presets),
    created_at: c.clock.now(),
  })
  await recordOrder(c, row, 'numberorder.completed', bought)
  return row
}

const presetsOf = ({ presets, cnam_lookups_enabled = false }: NumberOrderInput): OrderPresets => ({
  cnam_id: presets?.cnam_id ?? null,
  e911_id: presets?.e911_id ?? null,
  primary_route_id: presets?.primary_route_id ?? null,
  failover_route_id: presets?.failover_route_id ?? null,
  alias: presets?.alias ?? null,
  cnam_lookups_enabled,
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

/** Locks as many of the candidates as an order wants. Those that another order has locked are left to it. */
async function chooseNumbers(
  c: WriteContext,
  { quantity = 0, filters = {} }: NumberOrderInput,
  candidates: readonly string[],
): Promise<store.InventoryNumber[]> {
  const rows = await atAccountPrices(c, accountOf(c.actor), await store.lockAvailable(c.tx, candidates, quantity))
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
    throw problem(
      'conflict',
      `Available: ${countText(rows.length, 'matching number')}. Order fewer, or change the filters.`,
    )
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

/** Throws 404 for an order that the actor cannot see. */
export async function getOrder(c: Context, id: string): Promise<orders.OrderRow> {
  const row = await orders.findOrder(c.tx, c.actor, id)
  if (!row) throw notFound(c.actor, `No number order ${id}`)
  return row
}

import {
  createNumbers,
  findNumber as findAccountNumber,
  lockNumberForUpdate,
  numberDocument,
  removeNumber,
  requireNumber,
  type NumberRow,
} from '../numbers/index.ts'
import { accountOf, actIn, systemActor } from '../platform/actor.ts'
import type { Context, Deps, WriteContext } from '../platform/context.ts'
import { inTransaction } from '../platform/db.ts'
import { recordEvent } from '../platform/events.ts'
import { cancelJob, schedule } from '../platform/jobs.ts'
import { invalid, notFound, problem } from '../platform/problem.ts'
import { releaseDocument } from './document.ts'
import type * as orders from './orders-store.ts'
import { submitOrder } from './approvals.ts'
import { buyNumbers, numberInput } from './buying.ts'
import { requireQuota } from './policy.ts'
import { portoutError } from './portouts/rules.ts'
import { portoutsOf } from './portouts/store.ts'
import { atAccountPrices } from './prices.ts'
import {
  agingUntil,
  canOrder,
  isAssignable,
  isPriceChanged,
  needsApproval,
  notAssignable,
  priceText,
  releaseWarnings,
  type AgingDays,
  type ExpectedPrice,
  type ReleasePlan,
} from './rules.ts'
import * as store from './store.ts'

/** Ends the aging of a released number. Its key is the number. */
export const endAgingJob = 'end-number-aging'

/** The same for a number that is not in the inventory, is aging, or is reserved or ordered by someone else. */
export const notAvailable = (number: string) => problem('not-found', `Number ${number} is not available.`)

/**
 * Orders a number for the actor's account, or returns the order that needs approval. Throws 404 for a number that is not
 * available, 409 if it is on the account or its price is not the expected one, and 422 for a number that cannot be assigned.
 */
export async function orderNumber(
  c: WriteContext,
  number: string,
  { cnam_lookups_enabled = false, ...expected }: ExpectedPrice & { cnam_lookups_enabled?: boolean | undefined },
): Promise<orders.OrderRow | null> {
  const account_id = accountOf(c.actor)
  if (!isAssignable(number)) throw invalid({ number: [notAssignable] })
  const [locked] = await store.lockNumbersForUpdate(c.tx, [number])
  // before the price is read, so that a number that someone else has takes no more time than one that does not exist
  if (!locked || !canOrder(locked, account_id)) {
    if (await findAccountNumber(c.tx, c.actor, number))
      throw problem('conflict', `Number ${number} is already on the account.`)
    throw notAvailable(number)
  }
  const [row = locked] = await atAccountPrices(c, account_id, [locked])
  if (isPriceChanged(row, expected))
    throw problem('conflict', `The price of ${number} is now ${priceText(row)}. Order it again with this price.`)
  const policy = await requireQuota(c, account_id, 1)
  const { monthly_cost, setup_cost } = row
  const order = {
    account_id,
    presets: { ...noPresets, cnam_lookups_enabled },
    callback_url: null,
    all_or_none: true,
  }
  if (needsApproval(policy, { quantity: 1, monthly_cost }))
    return await submitOrder(c, order, [row], { requested: [number], missing_count: 0 })
  if ((await buyNumbers(c, order, [row])).length === 0) throw notAvailable(number)
  const subject = { subject_type: 'number', subject_id: number }
  await recordEvent(c, account_id, { type: 'number.ordered', ...subject, data: { monthly_cost, setup_cost } })
  return null
}

const noPresets = { cnam_id: null, e911_id: null, primary_route_id: null, failover_route_id: null, alias: null }

/** What releasing a number would do. Throws 404. */
export async function previewRelease(c: Context, number: string, days: AgingDays): Promise<ReleasePlan> {
  const row = await requireNumber(c, number)
  const plan = planRelease(c, row, await store.findNumber(c.tx, number), days)
  return { ...plan, errors: await releaseErrors(c, number) }
}

/** What prevents the release of a number. Exact while it is locked. */
async function releaseErrors(c: Context, number: string): Promise<string[]> {
  const portout = (await portoutsOf(c.tx, [number])).get(number)
  return portout ? [portoutError(number, portout)] : []
}

const planRelease = (
  { clock }: Context,
  number: Pick<NumberRow, 'value' | 'number_type'> & Parameters<typeof releaseWarnings>[0],
  row: store.InventoryNumber | undefined,
  days: AgingDays,
): ReleasePlan => ({
  value: number.value,
  errors: [],
  warnings: releaseWarnings(number),
  returns_to: row ? 'inventory' : 'block_carrier',
  aging_until: row ? agingUntil(clock.now(), number.number_type, days) : null,
})

/**
 * Releases a number with all its settings. One of the inventory ages; one that was ported in returns to the carrier of its block.
 * Throws 404, and 409 for a number on a port-out.
 */
export async function releaseNumber(c: WriteContext, number: string, days: AgingDays): Promise<void> {
  const [row] = await store.lockNumbersForUpdate(c.tx, [number])
  const found = await lockNumberForUpdate(c, number)
  const errors = await releaseErrors(c, number)
  if (errors.length > 0) throw problem('conflict', errors.join(' '))
  const plan = planRelease(c, found, row, days)
  const { account_id } = found
  await detachNumber(c, found, row, plan)
  const { aging_until } = plan
  if (row && aging_until) {
    const { callback_url } = row
    const changed_at = c.clock.now()
    await store.setStatus(c.tx, [number], { status: 'aging', account_id, aging_until, callback_url, changed_at })
    await schedule(c.tx, endAgingJob, number, aging_until)
  }
}

/** Takes a locked number off its account because it moved to another carrier. `row`: its locked row in the inventory. */
export async function portOutNumber(
  c: WriteContext,
  number: NumberRow,
  row: store.InventoryNumber | undefined,
  { gaining_carrier, gaining_spid }: { gaining_carrier: string; gaining_spid: string },
): Promise<void> {
  const { value } = number
  const plan = { value, errors: [], warnings: releaseWarnings(number), aging_until: null }
  await detachNumber(c, number, row, { ...plan, returns_to: 'gaining_carrier' })
  const status_reason = `Ported to ${gaining_carrier} (${gaining_spid}).`
  const change = { status: 'ported_out', status_reason, changed_at: c.clock.now() } as const
  if (row) await store.setStatus(c.tx, [value], change)
}

/** Removes a locked number with all its settings from its account, and records that. */
async function detachNumber(
  c: WriteContext,
  number: NumberRow,
  row: store.InventoryNumber | undefined,
  plan: ReleasePlan,
): Promise<void> {
  const { account_id, e911_id, cnam_id, value } = number
  const { returns_to, aging_until } = plan
  await removeNumber(c, number)
  await recordEvent(c, account_id, {
    type: 'number.released',
    subject_type: 'number',
    subject_id: value,
    data: { returns_to, aging_until, e911_id, cnam_id },
    notification: notificationTo(row?.callback_url, releaseDocument(plan)),
  })
}

const notificationTo = (url: string | null | undefined, document: unknown) => (url ? { url, document } : null)

/** Puts an aging number back on the account that released it. Throws 404. */
export async function restoreNumber(c: WriteContext, number: string): Promise<void> {
  const account_id = accountOf(c.actor)
  const [row] = await atAccountPrices(c, account_id, await store.lockNumbersForUpdate(c.tx, [number]))
  if (row?.status !== 'aging' || row.account_id !== account_id) throw notFound(c.actor, `No released number ${number}`)
  await createNumbers(c, account_id, [numberInput(row)])
  const { callback_url } = row
  await store.setStatus(c.tx, [number], { status: 'active', account_id, callback_url, changed_at: c.clock.now() })
  await cancelJob(c.tx, endAgingJob, number)
  const document = numberDocument(c, await requireNumber(actIn(c, account_id), number))
  await recordEvent(c, account_id, {
    type: 'number.restored',
    subject_type: 'number',
    subject_id: number,
    notification: notificationTo(callback_url, document),
  })
}

/** Returns a number to the inventory whose aging has ended. Safe to run twice. */
export async function endAging(deps: Deps, number: string): Promise<{ again_at: Date } | void> {
  return await inTransaction(deps.db, async (tx) => {
    const c: WriteContext = { ...deps, tx, actor: systemActor(endAgingJob, null) }
    const [row] = await store.lockNumbersForUpdate(tx, [number])
    if (row?.status !== 'aging' || row.aging_until === null) return
    const now = c.clock.now()
    // it was restored and released again since the job became due
    if (row.aging_until > now) return { again_at: row.aging_until }
    await store.setStatus(tx, [number], { status: 'available', changed_at: now })
    const subject = { subject_type: 'inventory_number', subject_id: number }
    await recordEvent(c, null, { type: 'inventory_number.returned', ...subject })
  })
}

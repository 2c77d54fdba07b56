import { requireAccount } from '../accounts/index.ts'
import { cnamStanding, requireCnam, whyNotAssignable } from '../cnam/index.ts'
import { holdAddress } from '../e911/index.ts'
import { changesOf } from '../platform/changes.ts'
import type { Context, WriteContext } from '../platform/context.ts'
import { recordEvent } from '../platform/events.ts'
import { notFound, refuseFaults } from '../platform/problem.ts'
import { defaultRouteId, whyNotRoute } from '../voice-routes/index.ts'
import { cnamFaults, countryOf, monthlyCosts, newNumberFaults } from './rules.ts'
import * as store from './store.ts'

/** Throws 404 unless the actor can see the number: one of another account looks like one that nobody has. */
export async function requireNumber(c: Context, value: string): Promise<store.NumberWithRelated> {
  return (await store.findNumber(c.tx, c.actor, value)) ?? unknownNumber(value)
}

export interface NumberWish {
  /** 11 digits. */
  value: string
  number_type: store.NumberRow['number_type']
  alias?: string | null | undefined
  state?: string | null | undefined
  rate_center?: string | null | undefined
  cnam_lookups_enabled?: boolean | undefined
  message_status?: store.NumberRow['message_status'] | undefined
  /** Absent: the default route. Routes and caller-ID names must be the account's own; `whyNotRoute` and `cnamStanding` say. */
  primary_route_id?: string | undefined
  failover_route_id?: string | null | undefined
  cnam_id?: string | null | undefined
  e911_id?: string | null | undefined
}

/** Puts numbers on an account, all or none, and gives them in the order asked. Throws 404, and 422 naming every faulty number. */
export async function addNumbers(
  c: WriteContext,
  account_id: string,
  wishes: readonly NumberWish[],
): Promise<store.NumberRow[]> {
  await requireAccount(c, account_id)
  const values = wishes.map((w) => w.value)
  refuseFaults(newNumberFaults(wishes, new Set(await store.takenNumbers(c.tx, values))))
  const { created, taken } = await createNumbers(c, account_id, wishes)
  // somebody was faster since we looked; what was written goes with the transaction
  refuseFaults(newNumberFaults(wishes, new Set(taken)))
  return created
}

/**
 * Puts numbers on an account in the caller's transaction, any count in one statement. Those that are on an account already
 * are passed over and named in `taken`. Nothing is checked beyond what the tables themselves refuse.
 */
export async function createNumbers(
  c: WriteContext,
  account_id: string,
  wishes: readonly NumberWish[],
): Promise<{ created: store.NumberRow[]; taken: string[] }> {
  const now = c.clock.now()
  const written = await store.insertNumbers(c.tx, account_id, now, wishes.map(complete))
  const byValue = new Map(written.map((row) => [row.value, row]))
  const created = wishes.flatMap((w) => byValue.get(w.value) ?? [])
  const taken = wishes.filter((w) => !byValue.has(w.value)).map((w) => w.value)
  if (created.length > 0) {
    const data = { numbers_count: created.length, numbers: created.slice(0, namedNumbers_max).map((n) => n.value) }
    const subject = { subject_type: 'account', subject_id: account_id }
    await recordEvent(c.tx, c.actor, account_id, now, { type: 'numbers.added', ...subject, data })
  }
  return { created, taken }
}

/** An event names so many numbers and counts the rest. */
const namedNumbers_max = 100

const complete = (wish: NumberWish): store.NewNumber => ({
  value: wish.value,
  alias: wish.alias || null,
  number_type: wish.number_type,
  state: wish.state ?? null,
  rate_center: wish.rate_center ?? null,
  iso_country: countryOf(wish.state),
  status: 'active',
  cnam_lookups_enabled: wish.cnam_lookups_enabled ?? false,
  monthly_cost: monthlyCosts[wish.number_type],
  message_status: wish.message_status ?? 'unprovisioned',
  primary_route_id: wish.primary_route_id ?? defaultRouteId,
  failover_route_id: wish.failover_route_id ?? null,
  cnam_id: wish.cnam_id ?? null,
  e911_id: wish.e911_id ?? null,
})

/** Changes alias (empty removes it) and caller-name look-ups. Throws 404. */
export async function updateNumber(
  c: WriteContext,
  value: string,
  wish: { alias?: string | null | undefined; cnam_lookups_enabled?: boolean | undefined },
): Promise<void> {
  const number = await lockNumber(c, value)
  const alias = wish.alias === '' ? null : wish.alias
  await change(c, number, { alias, cnam_lookups_enabled: wish.cnam_lookups_enabled })
}

/**
 * Points a number at a route: first (`primary`) or when that cannot be reached (`failover`). Null is the default route, or no
 * failover. Gives the reason why it cannot be done; null: it is done. Throws 404 for an unknown number.
 */
export async function setRoute(
  c: WriteContext,
  value: string,
  place: 'primary' | 'failover',
  route_id: string | null,
): Promise<string | null> {
  // route before number: whoever deletes a route takes them in this order too
  const { account_id } = await requireNumber(c, value)
  const why = route_id === null ? null : await whyNotRoute(c.tx, account_id, route_id)
  if (why !== null) return why
  const number = await lockNumber(c, value)
  await change(
    c,
    number,
    place === 'primary' ? { primary_route_id: route_id ?? defaultRouteId } : { failover_route_id: route_id },
  )
  return null
}

/**
 * Gives a number a caller-ID name. Gives what stands against it by field, `number` or `cnam_id`; empty: it is done. Throws
 * 404 for an unknown number.
 */
export async function giveCnam(c: WriteContext, value: string, cnam_id: string): Promise<Record<string, string[]>> {
  // record before number: whoever withdraws a name takes them in this order too
  const { account_id, number_type } = await requireNumber(c, value)
  const faults = cnamFaults(number_type, whyNotAssignable(await cnamStanding(c.tx, account_id, cnam_id), cnam_id))
  if (Object.keys(faults).length > 0) return faults
  await change(c, await lockNumber(c, value), { cnam_id })
  return {}
}

/** As `giveCnam`, for a caller who names the record in the path. Throws 404 for an unknown record too, 422 for what stands against it. */
export async function assignCnam(c: WriteContext, value: string, cnam_id: string): Promise<void> {
  await requireNumber(c, value)
  await requireCnam(c, cnam_id)
  refuseFaults(await giveCnam(c, value, cnam_id))
}

/** Takes the caller-ID name off a number, if it has one. Throws 404 for an unknown number. */
export async function unassignCnam(c: WriteContext, value: string): Promise<void> {
  await change(c, await lockNumber(c, value), { cnam_id: null })
}

/**
 * Gives a number an emergency address. Gives what stands against it by field; empty: it is done. Throws 404 for an unknown
 * number. A toll-free number is no place where an emergency call comes from.
 */
export async function giveE911(c: WriteContext, value: string, e911_id: string): Promise<Record<string, string[]>> {
  const { account_id, number_type } = await requireNumber(c, value)
  if (number_type === 'toll-free') return { number: ['Is toll-free: emergency service goes with long codes only.'] }
  if (!(await holdAddress(c.tx, account_id, e911_id)))
    return { e911_id: [`No emergency address ${e911_id} is on this account.`] }
  await change(c, await lockNumber(c, value), { e911_id })
  return {}
}

/** As `giveE911`, for a caller who names the address in the path. Throws 404 for an unknown address too, 422 for what stands against it. */
export async function assignE911(c: WriteContext, value: string, e911_id: string): Promise<void> {
  const { account_id } = await requireNumber(c, value)
  if (!(await holdAddress(c.tx, account_id, e911_id))) throw notFound(`No emergency address ${e911_id}`)
  refuseFaults(await giveE911(c, value, e911_id))
}

/** Takes the emergency address off a number, if it has one. Throws 404 for an unknown number. */
export async function unassignE911(c: WriteContext, value: string): Promise<void> {
  await change(c, await lockNumber(c, value), { e911_id: null })
}

async function lockNumber(c: WriteContext, value: string): Promise<store.NumberRow> {
  return (await store.lockNumber(c.tx, c.actor, value)) ?? unknownNumber(value)
}

async function change(
  c: WriteContext,
  number: store.NumberRow,
  patch: { [K in keyof store.NumberRow]?: store.NumberRow[K] | undefined },
): Promise<void> {
  const changes = changesOf(number, patch)
  if (!changes) return
  await store.updateNumber(c.tx, number, changes.to)
  const subject = { subject_type: 'number', subject_id: number.value }
  const event = { type: 'number.changed', ...subject, data: { ...changes } }
  await recordEvent(c.tx, c.actor, number.account_id, c.clock.now(), event)
}

function unknownNumber(value: string): never {
  throw notFound(`No number ${value}`)
}

import { requireAccount } from '../accounts/index.ts'
import { lockCnamStatusForShare, requireCnam, cnamAssignmentError } from '../cnam/index.ts'
import { lockAddressForKeyShare } from '../e911/index.ts'
import { changedFields } from '../platform/changed-fields.ts'
import type { Context, WriteContext } from '../platform/context.ts'
import { recordEvent } from '../platform/events.ts'
import { notFound, throwIfInvalid } from '../platform/problem.ts'
import { defaultVoiceRouteId, voiceRouteError } from '../voice-routes/index.ts'
import { cnamErrors, countryOf, e911Errors, monthlyCosts, newNumberErrors, type NewNumberEntry } from './rules.ts'
import * as store from './store.ts'

/** Throws 404 unless the actor can see the number: another account's number looks like a missing one. */
export async function requireNumber(c: Context, value: string): Promise<store.NumberWithRelated> {
  return (await store.findNumber(c.tx, c.actor, value)) ?? unknownNumber(c, value)
}

export interface NumberInput {
  /** 11 digits. */
  value: string
  number_type: store.NumberRow['number_type']
  alias?: string | null | undefined
  state?: string | null | undefined
  rate_center?: string | null | undefined
  cnam_lookups_enabled?: boolean | undefined
  /** Absent: the cost of its type. */
  monthly_cost?: string | undefined
  message_status?: store.NumberRow['message_status'] | undefined
  /**
   * Absent: the default voice route. Voice routes and caller ID names must belong to the account; `voiceRouteError` and
   * `cnamAssignmentError` check that.
   */
  primary_route_id?: string | undefined
  failover_route_id?: string | null | undefined
  cnam_id?: string | null | undefined
  e911_id?: string | null | undefined
}

/** Adds numbers to an account, all or none, and returns them in input order. Throws 404, and 422 naming every invalid number. */
export async function addNumbers(
  c: WriteContext,
  account_id: string,
  inputs: readonly NumberInput[],
): Promise<store.NumberRow[]> {
  await requireAccount(c, account_id)
  throwIfInvalid(await newNumberFieldErrors(c, inputs))
  const { created, taken } = await createNumbers(c, account_id, inputs)
  // a concurrent request added one since the check; throwing rolls back the insert
  throwIfInvalid(newNumberErrors(inputs, new Set(taken)))
  return created
}

/** Validates numbers to be added to an account. Returns errors by field. Members refused by the body's shape are absent. */
export async function newNumberFieldErrors(
  c: Context,
  inputs: readonly NewNumberEntry[],
): Promise<Record<string, string[]>> {
  const values = inputs.flatMap((input) => input?.value ?? [])
  return newNumberErrors(inputs, new Set(await store.takenNumbers(c.tx, values)))
}

/**
 * Adds any count of numbers to an account in the caller's transaction. Numbers that are already on an account
 * are skipped and returned in `taken`. Only the tables' constraints are checked.
 */
export async function createNumbers(
  c: WriteContext,
  account_id: string,
  inputs: readonly NumberInput[],
): Promise<{ created: store.NumberRow[]; taken: string[] }> {
  const now = c.clock.now()
  const written = await store.insertNumbers(c.tx, account_id, now, inputs.map(newNumberOf))
  const byValue = new Map(written.map((row) => [row.value, row]))
  const created = inputs.flatMap((w) => byValue.get(w.value) ?? [])
  const taken = inputs.filter((w) => !byValue.has(w.value)).map((w) => w.value)
  if (created.length > 0) {
    const data = { numbers_count: created.length, numbers: created.slice(0, namedNumbers_max).map((n) => n.value) }
    const subject = { subject_type: 'account', subject_id: account_id }
    await recordEvent(c, account_id, { type: 'numbers.added', ...subject, data })
  }
  return { created, taken }
}

/** An event lists at most this many numbers; its count covers all of them. */
const namedNumbers_max = 100

const newNumberOf = (input: NumberInput): store.NewNumber => ({
  value: input.value,
  alias: input.alias || null,
  number_type: input.number_type,
  state: input.state ?? null,
  rate_center: input.rate_center ?? null,
  iso_country: countryOf(input.state),
  status: 'active',
  cnam_lookups_enabled: input.cnam_lookups_enabled ?? false,
  monthly_cost: input.monthly_cost ?? monthlyCosts[input.number_type],
  message_status: input.message_status ?? 'unprovisioned',
  primary_route_id: input.primary_route_id ?? defaultVoiceRouteId,
  failover_route_id: input.failover_route_id ?? null,
  cnam_id: input.cnam_id ?? null,
  e911_id: input.e911_id ?? null,
})

/** Changes the alias (empty removes it) and CNAM lookups. Throws 404. */
export async function updateNumber(
  c: WriteContext,
  value: string,
  input: { alias?: string | null | undefined; cnam_lookups_enabled?: boolean | undefined },
): Promise<void> {
  const number = await lockNumberForUpdate(c, value)
  const alias = input.alias === '' ? null : input.alias
  await change(c, number, { alias, cnam_lookups_enabled: input.cnam_lookups_enabled })
}

/**
 * Sets a number's voice route: `primary`, or `failover` for when the primary is unreachable. Null is the default voice route,
 * or no failover. Returns an error message, or null on success. Throws 404 for an unknown number.
 */
export async function setVoiceRoute(
  c: WriteContext,
  value: string,
  role: 'primary' | 'failover',
  route_id: string | null,
): Promise<string | null> {
  // lock the voice route first, then the number, as deleting a voice route does, so the two cannot deadlock
  const error = await assignedVoiceRouteError(c, value, route_id)
  if (error !== null) return error
  const number = await lockNumberForUpdate(c, value)
  await change(
    c,
    number,
    role === 'primary' ? { primary_route_id: route_id ?? defaultVoiceRouteId } : { failover_route_id: route_id },
  )
  return null
}

/** Why a number cannot use the voice route; null when it can, or when there is no route. Throws 404 for an unknown number. */
export async function assignedVoiceRouteError(
  c: Context,
  value: string,
  route_id: string | null,
): Promise<string | null> {
  const { account_id } = await requireNumber(c, value)
  return route_id === null ? null : await voiceRouteError(c.tx, account_id, route_id)
}

/**
 * Sets a number's caller ID name. Returns errors by field, `number` or `cnam_id`; empty on success. Throws 404 for an unknown
 * number.
 */
export async function setCnam(c: WriteContext, value: string, cnam_id: string): Promise<Record<string, string[]>> {
  // lock the record first, then the number, as withdrawing a name does, so the two cannot deadlock
  const { account_id, number_type } = await requireNumber(c, value)
  const field_errors = cnamErrors(
    number_type,
    cnamAssignmentError(await lockCnamStatusForShare(c.tx, account_id, cnam_id), cnam_id),
  )
  if (Object.keys(field_errors).length > 0) return field_errors
  await change(c, await lockNumberForUpdate(c, value), { cnam_id })
  return {}
}

/** Like `setCnam`, for a record named in the path: throws 404 for an unknown record too, and 422 instead of returning errors. */
export async function assignCnam(c: WriteContext, value: string, cnam_id: string): Promise<void> {
  await requireNumber(c, value)
  await requireCnam(c, cnam_id)
  throwIfInvalid(await setCnam(c, value, cnam_id))
}

/** Clears a number's caller ID name. Throws 404 for an unknown number. */
export async function unassignCnam(c: WriteContext, value: string): Promise<void> {
  await change(c, await lockNumberForUpdate(c, value), { cnam_id: null })
}

/**
 * Sets a number's emergency address. Returns errors by field; empty on success. Throws 404 for an unknown number. Toll-free
 * numbers are refused, because emergency calls originate from long codes only.
 */
export async function setE911(c: WriteContext, value: string, e911_id: string): Promise<Record<string, string[]>> {
  const { account_id, number_type } = await requireNumber(c, value)
  const field_errors = e911Errors(number_type, e911_id, await lockAddressForKeyShare(c.tx, account_id, e911_id))
  if (Object.keys(field_errors).length > 0) return field_errors
  await change(c, await lockNumberForUpdate(c, value), { e911_id })
  return {}
}

/**
 * Like `setE911`, for an address named in the path: throws 404 for an unknown address too, and 422 instead of returning errors.
 */
export async function assignE911(c: WriteContext, value: string, e911_id: string): Promise<void> {
  const { account_id } = await requireNumber(c, value)
  if (!(await lockAddressForKeyShare(c.tx, account_id, e911_id)))
    throw notFound({ account_id }, `No emergency address ${e911_id}`)
  throwIfInvalid(await setE911(c, value, e911_id))
}

/** Clears a number's emergency address. Throws 404 for an unknown number. */
export async function unassignE911(c: WriteContext, value: string): Promise<void> {
  await change(c, await lockNumberForUpdate(c, value), { e911_id: null })
}

/** The number, locked for update until the transaction ends. Throws 404. */
export async function lockNumberForUpdate(c: WriteContext, value: string): Promise<store.NumberRow> {
  return (await store.lockNumberForUpdate(c.tx, c.actor, value)) ?? unknownNumber(c, value)
}

/** Removes a locked number from its account, with its settings. The caller records the event. */
export const removeNumber = (c: WriteContext, number: store.NumberRow): Promise<void> =>
  store.deleteNumber(c.tx, number)

/** Changes a locked number, and records the event if anything differs. */
export async function change(
  c: WriteContext,
  number: store.NumberRow,
  patch: { [K in keyof store.NumberRow]?: store.NumberRow[K] | undefined },
): Promise<void> {
  const changes = changedFields(number, patch)
  if (!changes) return
  await store.updateNumber(c.tx, number, changes.to)
  const subject = { subject_type: 'number', subject_id: number.value }
  const event = { type: 'number.changed', ...subject, data: { ...changes } }
  await recordEvent(c, number.account_id, event)
}

function unknownNumber(c: Context, value: string): never {
  throw notFound(c.actor, `No number ${value}`)
}

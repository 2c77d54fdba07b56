import { accountOf, systemActor } from '../platform/actor.ts'
import type { Context, Deps, WriteContext } from '../platform/context.ts'
import { inTransaction } from '../platform/db.ts'
import { recordEvent } from '../platform/events.ts'
import { cancelJob, schedule } from '../platform/jobs.ts'
import { notFound, problem, throwIfInvalid } from '../platform/problem.ts'
import { reservationDocument } from './document.ts'
import * as orders from './orders-store.ts'
import { requireReservationQuota } from './policy.ts'
import { notOrderable, numberErrors, reservation_ms } from './rules.ts'
import * as store from './store.ts'

/** Reservations: numbers that only their account can order until they expire. */

/** Releases the numbers of a reservation. Its key is the reservation's id. */
export const expireReservationJob = 'expire-number-reservation'

/** Reserves numbers, all or none. Throws 422 naming every number that is not available, and 409 above the account's limit. */
export async function createReservation(
  c: WriteContext,
  { numbers, callback_url }: { numbers: readonly string[]; callback_url?: string | undefined },
): Promise<orders.ReservationRow> {
  const account_id = accountOf(c.actor)
  const rows = new Map((await store.lockNumbersForUpdate(c.tx, numbers)).map((row) => [row.number, row]))
  throwIfInvalid(numberErrors(numbers, (number) => (rows.get(number)?.status === 'available' ? null : notOrderable)))
  await requireReservationQuota(c, account_id, numbers.length)
  const now = c.clock.now()
  const expires_at = new Date(now.getTime() + reservation_ms)
  const row = await orders.insertReservation(c.tx, {
    account_id,
    numbers: [...numbers],
    callback_url: callback_url ?? null,
    created_at: now,
    expires_at,
  })
  await store.setStatus(c.tx, numbers, { status: 'reserved', account_id, reservation_id: row.id, changed_at: now })
  await schedule(c.tx, expireReservationJob, row.id, expires_at)
  await record(c, row, 'numberreservation.created')
  return row
}

/** Throws 404 for a reservation that the actor cannot see. */
export async function getReservation(c: Context, id: string): Promise<orders.ReservationRow> {
  return (await orders.findReservation(c.tx, c.actor, id)) ?? unknownReservation(c, id)
}

/** Extends a reservation, once. Throws 404, and 409 if it was extended or is no longer active. */
export async function extendReservation(c: WriteContext, id: string): Promise<orders.ReservationRow> {
  const row = await lockActive(c, id, 'extended')
  if (row.extended) throw problem('conflict', `Reservation ${id} was already extended. Order its numbers.`)
  const change = { extended: true, expires_at: new Date(row.expires_at.getTime() + reservation_ms) }
  await orders.updateReservation(c.tx, row, change)
  await schedule(c.tx, expireReservationJob, id, change.expires_at)
  await record(c, { ...row, ...change }, 'numberreservation.extended')
  return { ...row, ...change }
}

/** Makes the numbers of a reservation available again. Throws 404, and 409 if it is no longer active. */
export async function releaseReservation(c: WriteContext, id: string): Promise<void> {
  const row = await lockActive(c, id, 'released')
  await endReservation(c, row, 'released')
  await cancelJob(c.tx, expireReservationJob, id)
}

/** Ends a reservation that has expired. Safe to run twice. */
export async function expireReservation(deps: Deps, id: string): Promise<{ again_at: Date } | void> {
  return await inTransaction(deps.db, async (tx) => {
    const c: WriteContext = { ...deps, tx, actor: systemActor(expireReservationJob, null) }
    const row = await lockWithNumbers(c, id)
    if (row?.status !== 'active') return
    // it was extended since the job became due
    if (row.expires_at > c.clock.now()) return { again_at: row.expires_at }
    await endReservation(c, row, 'expired')
  })
}

/** The reservation and its numbers, locked until the transaction ends; the numbers first, as an order locks them. */
async function lockWithNumbers(c: WriteContext, id: string): Promise<orders.ReservationRow | undefined> {
  const row = await orders.findReservation(c.tx, c.actor, id)
  if (!row) return undefined
  await store.lockNumbersForUpdate(c.tx, row.numbers)
  return await orders.lockReservationForUpdate(c.tx, c.actor, id)
}

async function lockActive(c: WriteContext, id: string, action: string): Promise<orders.ReservationRow> {
  const row = (await lockWithNumbers(c, id)) ?? unknownReservation(c, id)
  if (row.status !== 'active')
    throw problem('conflict', `Reservation ${id} is ${row.status}. Only an active one can be ${action}.`)
  return row
}

const endings = { released: 'numberreservation.released', expired: 'numberreservation.expired' } as const

async function endReservation(
  c: WriteContext,
  row: orders.ReservationRow,
  status: 'released' | 'expired',
): Promise<void> {
  const reserved = await store.reservedNumbers(c.tx, row.id)
  await store.setStatus(c.tx, reserved, { status: 'available', changed_at: c.clock.now() })
  await orders.updateReservation(c.tx, row, { status })
  await record(c, { ...row, status }, endings[status])
}

function record(c: WriteContext, row: orders.ReservationRow, type: string) {
  const { account_id, id, numbers, callback_url } = row
  return recordEvent(c, account_id, {
    type,
    subject_type: 'numberreservation',
    subject_id: id,
    data: { numbers_count: numbers.length, numbers },
    notification: callback_url === null ? null : { url: callback_url, document: reservationDocument(c, row) },
  })
}

function unknownReservation(c: Context, id: string): never {
  throw notFound(c.actor, `No reservation ${id}`)
}

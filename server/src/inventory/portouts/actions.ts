import { dateIn, portouts as api, type Body } from '@demarc/client'
import { lockNumbersForUpdate, type NumberRow } from '../../numbers/index.ts'
import type { Context, WriteContext } from '../../platform/context.ts'
import { recordEvent } from '../../platform/events.ts'
import { notFound, problem, throwIfInvalid } from '../../platform/problem.ts'
import { portOutNumber } from '../actions.ts'
import { numberErrors } from '../rules.ts'
import * as inventory from '../store.ts'
import { portoutDocument } from './document.ts'
import { changeErrors, completeBy, portoutError, transitionTo, type PortoutChange } from './rules.ts'
import * as store from './store.ts'
import type { PortoutRow } from './tables.ts'

/** Port-outs: numbers of an account that move to another carrier. */

type Input = Body<typeof api.createPortout>

/** Throws 404 for a port-out that the actor cannot see. */
export async function getPortout(c: Context, id: string): Promise<PortoutRow> {
  return (await store.findPortout(c.tx, c.actor, id)) ?? unknownPortout(c, id)
}

/** Records a request of another carrier. Throws 422 naming every number that cannot be ported out. */
export async function createPortout(c: WriteContext, input: Input): Promise<PortoutRow> {
  const rows = new Map((await lockNumbersForUpdate(c.tx, c.actor, input.numbers)).map((row) => [row.value, row]))
  const others = await store.portoutsOf(c.tx, input.numbers)
  const [first] = input.numbers.flatMap((number) => rows.get(number) ?? [])
  throwIfInvalid(numberErrors(input.numbers, (number) => errorOf(number, rows.get(number), first, others)))
  if (!first) throw new Error('no number is on an account')
  const { is_simple = input.numbers.length === 1, passcode_result = 'not_set', ...request } = input
  const now = c.clock.now()
  const row = await store.insertPortout(c.tx, {
    ...request,
    account_id: first.account_id,
    numbers: input.numbers.toSorted(),
    status: 'open',
    is_simple,
    passcode_result,
    complete_by: completeBy({ ...request, is_simple }, now, c.time_zone),
    created_at: now,
    changed_at: now,
  })
  await record(c, row, 'portout.requested')
  return row
}

function errorOf(
  number: string,
  row: NumberRow | undefined,
  first: NumberRow | undefined,
  others: Awaited<ReturnType<typeof store.portoutsOf>>,
): string | null {
  if (!row) return 'Is not on an account.'
  if (first && row.account_id !== first.account_id) return `Is on a different account than ${first.value}.`
  const other = others.get(number)
  return other ? portoutError(number, other) : null
}

/**
 * Changes the status by the transitions table. Completing it takes the numbers off the account. Throws 404, 409 for a change that
 * the status does not allow, and 422 for missing or invalid input.
 */
export async function changePortout(c: WriteContext, id: string, change: PortoutChange): Promise<PortoutRow> {
  const row = (await store.lockPortoutForUpdate(c.tx, c.actor, id)) ?? unknownPortout(c, id)
  const transition = transitionTo(row, change.status)
  if (typeof transition === 'string') throw problem('conflict', transition)
  throwIfInvalid(changeErrors(row, transition, change, dateIn(c.clock.now(), c.time_zone)))
  const callback_url = await store.callbackUrlOf(c.tx, row.numbers)
  const changed = await store.updatePortout(c.tx, row, { ...change, changed_at: c.clock.now() })
  if (api.portoutTransitionsFrom(changed.status).length === 0) await store.freeNumbers(c.tx, row)
  if (changed.status === 'completed') await moveNumbers(c, changed)
  await record(c, changed, events[transition.event], callback_url)
  return changed
}

const events = {
  confirmed: 'portout.confirmed',
  rescheduled: 'portout.rescheduled',
  rejected: 'portout.rejected',
  completed: 'portout.completed',
  canceled: 'portout.canceled',
} as const satisfies Record<api.PortoutTransition['event'], string>

/** Takes the numbers of a port-out off the account, in the order in which a release locks them. */
async function moveNumbers(c: WriteContext, portout: PortoutRow): Promise<void> {
  const owned = new Map(
    (await inventory.lockNumbersForUpdate(c.tx, portout.numbers)).map((each) => [each.number, each]),
  )
  for (const number of await lockNumbersForUpdate(c.tx, c.actor, portout.numbers))
    await portOutNumber(c, number, owned.get(number.value), portout)
}

/** Records what the customer says about a port-out. The last response counts. Throws 404, and 409 if the port-out is final. */
export async function respondToPortout(
  c: WriteContext,
  id: string,
  { response, comment }: { response: 'authorized' | 'disputed'; comment?: string | undefined },
): Promise<PortoutRow> {
  const row = (await store.lockPortoutForUpdate(c.tx, c.actor, id)) ?? unknownPortout(c, id)
  if (api.portoutTransitionsFrom(row.status).length === 0)
    throw problem('conflict', `Port-out ${id} is ${row.status}. Contact your carrier if that is not right.`)
  const changed = await store.updatePortout(c.tx, row, {
    customer_response: response,
    customer_comment: comment ?? null,
    responded_at: c.clock.now(),
  })
  await record(c, changed, 'portout.responded')
  return changed
}

/** Records an event of a port-out. The callback URL is that of the first of its numbers that was ordered with one. */
async function record(c: WriteContext, row: PortoutRow, type: string, callback_url?: string | null) {
  const url = callback_url === undefined ? await store.callbackUrlOf(c.tx, row.numbers) : callback_url
  const { numbers, gaining_carrier, requested_due_date, foc_date, reason_code, reason, customer_response } = row
  await recordEvent(c, row.account_id, {
    type,
    subject_type: 'portout',
    subject_id: row.id,
    data: {
      numbers_count: numbers.length,
      numbers: numbers.slice(0, namedNumbers_max),
      gaining_carrier,
      requested_due_date,
      foc_date,
      reason_code,
      reason,
      customer_response,
    },
    notification: url === null ? null : { url, document: portoutDocument(c, row) },
  })
}

/** An event names at most this many numbers. */
const namedNumbers_max = 100

function unknownPortout(c: Context, id: string): never {
  throw notFound(c.actor, `No port-out ${id}`)
}

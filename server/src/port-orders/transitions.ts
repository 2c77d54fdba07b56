import { portOrders } from '@demarc/client'
import type { Actor } from '../platform/actor.ts'
import type { WriteContext } from '../platform/context.ts'
import { recordEvent } from '../platform/events.ts'
import { cancelJob, enqueue } from '../platform/jobs.ts'
import { invalid, problem } from '../platform/problem.ts'
import type { Next } from './carriers/carrier.ts'
import { completeOrder } from './completion.ts'
import { openSecrets } from './details.ts'
import { orderDocument } from './document.ts'
import { numbersOf, releaseNumbers } from './numbers-store.ts'
import { carrierOf, placeOf } from './parts.ts'
import type { Parts } from './parts.ts'
import { dueAt, isTollfree, limits, moved, withoutPlus, withPlus } from './rules.ts'
import * as store from './store.ts'
import { viewOf } from './view.ts'

/** The one place where an order changes its status, by the table of transitions. */

/** Closes idle orders; its key is the order's id. */
export const expireJob = 'expire-port-order'
/** Lets the losing carrier that is played here make its next move; its key is the order's id. */
export const playJob = 'play-port-order'

export interface Move {
  to: portOrders.PortOrderStatus
  by: portOrders.TransitionActor
  reason_code?: string | null | undefined
  reason?: string | null | undefined
  completion_date?: string | null | undefined
  /** `+1` and ten digits, or as people write them. */
  left_behind?: readonly string[] | null | undefined
  comment?: string | null | undefined
  /** Facts for the timeline beside those that every move has. */
  noted?: Record<string, unknown>
}

/**
 * Takes a locked order to another status: row, numbers, secrets, jobs, event and the account holder's notification commit
 * together. Throws 409 when the table has no such move, 422 when it is told too little or too much.
 */
export async function moveOrder(
  c: WriteContext,
  parts: Parts,
  row: store.OrderRow,
  move: Move,
): Promise<store.OrderRow> {
  const verdict = portOrders.canTransition(row.status, move.to, move.by, { completion_date_given: row.date_ever_given })
  if (!verdict.ok) throw problem('conflict', verdict.because)
  const { transition } = verdict
  const faults = needFaults(transition, move)
  if (Object.keys(faults).length > 0) throw invalid(faults)
  const now = c.clock.now()
  const numbers = (await numbersOf(c.tx, [row.id])).get(row.id) ?? []
  const changed = await store.updateOrder(c.tx, row, patchOf(c, row, transition, move, numbers, now))
  // the row is held since it was read, so this is a promise kept twice
  if (!changed) throw problem('conflict', 'The port order was changed by somebody else meanwhile. Look at it again.')
  const commented = move.comment ? await carryComment(c, changed, move.comment) : {}
  if (transition.verb === 'complete') await completeOrder(c, changed, numbers, leftBehind(move, numbers))
  if (portOrders.terminal(changed.status)) await releaseNumbers(c.tx, changed)
  await scheduleExpiry(c, changed)
  await schedulePlay(c, parts, changed, numbers)
  await tellMove(c, row, changed, transition, { ...commented, ...move.noted })
  return changed
}

/** What the move is told too little or too much, by field. */
function needFaults(transition: portOrders.Transition, move: Move): Record<string, string[]> {
  const needs: readonly portOrders.Need[] = transition.needs ?? []
  const faults: Record<string, string[]> = {}
  if (needs.includes('reason_code') && !move.reason_code)
    faults['reason_code'] = ['Is required: a code of the catalogue, or the one that the losing carrier gave.']
  if (needs.includes('completion_date') && !move.completion_date)
    faults['completion_date'] = ['Is required: the day that the losing carrier agreed to.']
  if (move.completion_date && !needs.includes('completion_date'))
    faults['completion_date'] = ['Goes only with Accepted.']
  if (move.reason_code && !['reject', 'cancel'].includes(transition.verb))
    faults['reason_code'] = ['Goes only with a rejection or a cancellation.']
  if (move.left_behind?.length && transition.verb !== 'complete') faults['left_behind'] = ['Goes only with Completed.']
  return faults
}

function patchOf(
  c: WriteContext,
  row: store.OrderRow,
  transition: portOrders.Transition,
  move: Move,
  numbers: readonly string[],
  now: Date,
): Partial<store.OrderRow> {
  const { to, verb } = transition
  const patch: Partial<store.OrderRow> = { status: to, entered_at: now, modified_at: now }
  if (verb === 'accept' || verb === 'reschedule') {
    patch.completion_date = move.completion_date ?? null
    patch.date_ever_given = true
    patch.reschedules = verb === 'accept' ? 0 : row.reschedules + 1
    if (verb === 'accept') Object.assign(patch, { rejection_raw: null, rejection_reason: null, rejected_at: null })
  }
  if (verb === 'reject') {
    patch.completion_date = null
    patch.rejections = row.rejections + 1
    patch.rejection_raw = move.reason_code ?? null
    patch.rejection_reason = move.reason ?? null
    patch.rejected_at = now
  }
  // what nobody will be asked for any more is not kept
  if (portOrders.terminal(to)) Object.assign(patch, { pin: null, pin_mask: '', last_4_ssn: null })
  const facts = { ...row, ...patch, tollfree: isTollfree(numbers[0] ?? '') }
  patch.due_at = dueAt(facts, placeOf(c.time_zone, row.country))
  return patch
}

function leftBehind(move: Move, numbers: readonly string[]): string[] {
  const given = (move.left_behind ?? []).map((n) => withoutPlus(n.trim()))
  const there = new Set(numbers)
  const strange = given.filter((n) => !there.has(n))
  if (strange.length > 0)
    throw invalid({
      left_behind: strange.slice(0, limits.named_numbers).map((n) => `${withPlus(n)} is not on the order.`),
    })
  return given
}

async function carryComment(c: WriteContext, row: store.OrderRow, text: string): Promise<Record<string, unknown>> {
  const comment = await store.insertComment(c.tx, {
    account_id: row.account_id,
    port_order_id: row.id,
    text,
    author: authorOf(c.actor),
    is_private: false,
    created_at: c.clock.now(),
  })
  return { comment_id: comment.id }
}

/** In whose voice a comment is. */
export const authorOf = (actor: Actor): store.CommentRow['author'] => (actor.kind === 'system' ? 'carrier' : actor.kind)

/** Rings when the order would close by itself, or takes the bell away. */
export async function scheduleExpiry(c: WriteContext, row: store.OrderRow): Promise<void> {
  const { due_at, becomes } = portOrders.nextStepOf(row)
  if (becomes !== null && due_at !== null) await enqueue(c.tx, expireJob, row.id, due_at)
  else await cancelJob(c.tx, expireJob, row.id)
}

/** What the losing carrier of this order will do next, and when. */
export function carriersNext(c: WriteContext, parts: Parts, row: store.OrderRow, numbers: readonly string[]): Next {
  return carrierOf(parts, c.time_zone, row).next({
    status: row.status,
    entered_at: row.entered_at,
    numbers: numbers.map(withPlus),
    pin: openSecrets(c, row).pin,
    desired_completion_date: row.desired_completion_date,
    completion_date: row.completion_date,
    rejections: row.rejections,
    reschedules: row.reschedules,
  })
}

async function schedulePlay(
  c: WriteContext,
  parts: Parts,
  row: store.OrderRow,
  numbers: readonly string[],
): Promise<void> {
  const next = carriersNext(c, parts, row, numbers)
  if ('move' in next) await enqueue(c.tx, playJob, row.id, next.move.at)
  else await cancelJob(c.tx, playJob, row.id)
}

/** The event; the account holder's URL is told the order as it now stands, as the account holder sees it. */
async function tellMove(
  c: WriteContext,
  before: store.OrderRow,
  row: store.OrderRow,
  { verb }: portOrders.Transition,
  noted: Record<string, unknown>,
): Promise<void> {
  const rejected = verb === 'reject' && row.rejection_raw !== null ? portOrders.classify(row.rejection_raw) : null
  const document = row.status_url === '' ? null : orderDocument(c, await viewOf(c.tx, row, false))
  await recordEvent(c, row.account_id, {
    type: moved[verb],
    subject_type: 'portorder',
    subject_id: row.id,
    data: {
      from: before.status,
      to: row.status,
      ...(rejected === null
        ? {}
        : { code: rejected.code, raw: rejected.raw, title: rejected.entry.title, reason: row.rejection_reason }),
      ...(verb === 'accept' || verb === 'reschedule' ? { completion_date: row.completion_date } : {}),
      ...noted,
    },
    notification: document === null ? null : { url: row.status_url, document },
  })
}

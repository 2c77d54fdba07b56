import { portOrders } from '@demarc/client'
import type { Actor } from '../platform/actor.ts'
import type { WriteContext } from '../platform/context.ts'
import { recordEvent } from '../platform/events.ts'
import { keepFile } from '../platform/file-references.ts'
import type { StagedFile } from '../platform/files/index.ts'
import { cancelJob, schedule } from '../platform/jobs.ts'
import { invalid, problem, throwIfInvalid } from '../platform/problem.ts'
import type { CarrierStep } from './carriers/carrier.ts'
import { completeOrder } from './completion.ts'
import { openSecrets } from './details.ts'
import { orderDocument } from './document.ts'
import { insertClaims, releaseNumbers } from './numbers-store.ts'
import { unavailableReason } from './portability.ts'
import { carrierOf, businessHoursOf } from './dependencies.ts'
import type { PortOrderDependencies } from './dependencies.ts'
import {
  dueAt,
  errorsByNumber,
  isTollfree,
  limits,
  transitionEvents,
  warningTimes,
  withoutPlus,
  withPlus,
} from './rules.ts'
import * as store from './store.ts'
import { viewOf } from './view.ts'

/** Changes the status of orders according to the transitions table. No other code changes the status. */

/** Closes an idle order; its key is the order's id. */
export const expireJob = 'expire-port-order'
/** Warns that an idle order is about to be closed; its key is the order's id. */
export const warnJob = 'warn-port-order'
/** Runs the next step of the simulated losing carrier; its key is the order's id. */
export const carrierJob = 'play-port-order'

export interface TransitionRequest {
  to: portOrders.PortOrderStatus
  actor: portOrders.TransitionActor
  reason_code?: string | null | undefined
  reason?: string | null | undefined
  completion_date?: string | null | undefined
  /** Numbers in any notation. */
  left_behind?: readonly string[] | null | undefined
  comment?: string | null | undefined
  /** Further details of the event. */
  details?: Record<string, unknown>
  /** A staged file that this transaction refers to. It is stored after the last check that can refuse the transition. */
  file?: StagedFile
}

/**
 * Changes the status of a locked order. Row, numbers, secrets, jobs, event and notification commit together. Throws 409 when
 * the table has no such transition, and 422 when required input is missing or input is not allowed.
 */
export async function transitionOrder(
  c: WriteContext,
  dependencies: PortOrderDependencies,
  order: store.Order,
  request: TransitionRequest,
): Promise<store.Order> {
  const permission = portOrders.canTransition(order.status, request.to, request.actor, {
    completion_date_given: order.date_ever_given,
  })
  if (!permission.ok) throw problem('conflict', permission.reason)
  const { transition } = permission
  throwIfInvalid(requirementErrors(transition, request))
  const { numbers } = order
  const row = await store.updateOrder(c.tx, order, updateOf(c, order, transition, request))
  // defense in depth: the row has been locked since it was read
  if (!row) throw problem('conflict', 'The port order was changed by another request. Get it again, then retry.')
  const changed = { ...row, numbers }
  const commented = request.comment ? await insertTransitionComment(c, changed, request.comment) : {}
  if (transition.verb === 'complete') await completeOrder(c, changed, leftBehind(request, numbers))
  if (transition.verb === 'sign') await claimNumbers(c, changed)
  if (portOrders.terminal(changed.status)) await releaseNumbers(c.tx, changed)
  await scheduleExpiry(c, changed)
  await scheduleCarrierStep(c, dependencies, changed)
  if (request.file) await keepFile(c.tx, request.file)
  await recordTransition(c, order.status, changed, transition, { ...commented, ...request.details })
  return changed
}

/** Claims the numbers of a signed order. Throws 422 with the numbers that another account claimed first. */
async function claimNumbers(c: WriteContext, order: store.Order): Promise<void> {
  const claimed = new Set(await insertClaims(c.tx, order))
  throwIfInvalid(errorsByNumber('numbers', order.numbers, (n) => (claimed.has(n) ? null : unavailableReason)))
}

/** Errors of missing input, and of input that the transition does not allow, by field. */
function requirementErrors(transition: portOrders.Transition, request: TransitionRequest): Record<string, string[]> {
  const needs: readonly portOrders.RequiredInput[] = transition.needs ?? []
  const errors: Record<string, string[]> = {}
  if (needs.includes('reason_code') && !request.reason_code)
    errors['reason_code'] = ['Is required: a code from the catalog, or the code that the losing carrier sent.']
  if (needs.includes('completion_date') && !request.completion_date)
    errors['completion_date'] = ['Is required: the date that the losing carrier agreed to.']
  if (request.completion_date && !needs.includes('completion_date'))
    errors['completion_date'] = ['Is allowed only when the order becomes Accepted.']
  if (request.reason_code && !['reject', 'cancel'].includes(transition.verb))
    errors['reason_code'] = ['Is allowed only with a rejection or a cancellation.']
  if (request.left_behind?.length && transition.verb !== 'complete')
    errors['left_behind'] = ['Is allowed only when the order becomes Completed.']
  return errors
}

function updateOf(
  c: WriteContext,
  order: store.Order,
  transition: portOrders.Transition,
  request: TransitionRequest,
): Partial<store.OrderRow> {
  const now = c.clock.now()
  const { to, verb } = transition
  const update: Partial<store.OrderRow> = { status: to, entered_at: now, modified_at: now }
  if (verb === 'accept' || verb === 'reschedule') {
    update.completion_date = request.completion_date ?? null
    update.date_ever_given = true
    update.reschedules = verb === 'accept' ? 0 : order.reschedules + 1
    if (verb === 'accept') Object.assign(update, { rejection_raw: null, rejection_reason: null, rejected_at: null })
  }
  if (verb === 'reject') {
    update.completion_date = null
    update.rejections = order.rejections + 1
    update.rejection_raw = request.reason_code ?? null
    update.rejection_reason = request.reason ?? null
    update.rejected_at = now
  }
  // no carrier needs the secrets of a final order
  if (portOrders.terminal(to)) Object.assign(update, { pin: null, pin_mask: '', last_4_ssn: null })
  const facts = { ...order, ...update, tollfree: isTollfree(order.numbers[0] ?? '') }
  update.due_at = dueAt(facts, businessHoursOf(c.time_zone, order.country))
  return update
}

function leftBehind(request: TransitionRequest, numbers: readonly string[]): string[] {
  const values = (request.left_behind ?? []).map((n) => withoutPlus(n.trim()))
  const on_order = new Set(numbers)
  const unknown = values.filter((n) => !on_order.has(n))
  if (unknown.length > 0)
    throw invalid({
      left_behind: unknown.slice(0, limits.named_numbers).map((n) => `${withPlus(n)} is not on the order.`),
    })
  return values
}

async function insertTransitionComment(
  c: WriteContext,
  row: store.OrderRow,
  text: string,
): Promise<Record<string, unknown>> {
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

/** The author of a comment. */
export const authorOf = ({ kind }: Actor): store.CommentRow['author'] =>
  kind === 'account' || kind === 'operator' ? kind : 'carrier'

/** Schedules the job that closes an idle order, or cancels it. */
export async function scheduleExpiry(c: WriteContext, row: store.OrderRow): Promise<void> {
  const { due_at, becomes } = portOrders.nextStepOf(row)
  if (becomes !== null && due_at !== null) {
    await schedule(c.tx, expireJob, row.id, due_at)
    await schedule(c.tx, warnJob, row.id, warningTimes(due_at)[0])
  } else {
    await cancelJob(c.tx, expireJob, row.id)
    await cancelJob(c.tx, warnJob, row.id)
  }
}

/** The next step of the losing carrier of this order. */
export function nextCarrierStep(c: WriteContext, dependencies: PortOrderDependencies, order: store.Order): CarrierStep {
  return carrierOf(dependencies, c.time_zone, order).next({
    status: order.status,
    entered_at: order.entered_at,
    numbers: order.numbers.map(withPlus),
    pin: openSecrets(c, order).pin,
    desired_completion_date: order.desired_completion_date,
    completion_date: order.completion_date,
    rejections: order.rejections,
    reschedules: order.reschedules,
  })
}

async function scheduleCarrierStep(
  c: WriteContext,
  dependencies: PortOrderDependencies,
  order: store.Order,
): Promise<void> {
  const next = nextCarrierStep(c, dependencies, order)
  if ('transition' in next) await schedule(c.tx, carrierJob, order.id, next.transition.at)
  else await cancelJob(c.tx, carrierJob, order.id)
}

/** Records the event. The customer's URL is notified with the order as the customer sees it. */
async function recordTransition(
  c: WriteContext,
  from: portOrders.PortOrderStatus,
  order: store.Order,
  { verb }: portOrders.Transition,
  details: Record<string, unknown>,
): Promise<void> {
  const rejected = verb === 'reject' && order.rejection_raw !== null ? portOrders.classify(order.rejection_raw) : null
  const document = order.status_url === '' ? null : orderDocument(c, await viewOf(c.tx, order, false))
  await recordEvent(c, order.account_id, {
    type: transitionEvents[verb],
    subject_type: 'portorder',
    subject_id: order.id,
    data: {
      from,
      to: order.status,
      ...(rejected === null
        ? {}
        : { code: rejected.code, raw: rejected.raw, title: rejected.entry.title, reason: order.rejection_reason }),
      ...(verb === 'accept' || verb === 'reschedule' ? { completion_date: order.completion_date } : {}),
      ...details,
    },
    notification: document === null ? null : { url: order.status_url, document },
  })
}

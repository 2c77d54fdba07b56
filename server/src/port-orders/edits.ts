import { changedFields, type Changes } from '../platform/changed-fields.ts'
import type { Context, WriteContext } from '../platform/context.ts'
import { recordEvent } from '../platform/events.ts'
import { problem, throwIfInvalid } from '../platform/problem.ts'
import { changesOf } from './changes.ts'
import type { ChangeKind, RequestedChanges, OrderChanges } from './changes.ts'
import { detailErrors, openSecrets, sealedColumns, secretFields } from './details.ts'
import { authorOf, transitionOrder, scheduleExpiry } from './transitions.ts'
import { withNumbers } from './numbers-store.ts'
import { businessHoursOf } from './dependencies.ts'
import type { PortOrderDependencies } from './dependencies.ts'
import { presetErrors } from './presets.ts'
import { dueAt, isTollfree, limits } from './rules.ts'
import * as store from './store.ts'
import { loadOrder, lockForEdit, lockOrderForUpdate, requireEdit } from './view.ts'

/** Edits of an order. All of them throw 404, and 409 in a status that does not allow the edit. */

export interface Changed {
  order: store.Order
  /** The changed attributes; null if the body changes nothing. */
  kind: ChangeKind | null
}

/** Cancels an order, or changes its presets or details. Throws 422 with every invalid field, or when the body changes more than one kind. */
export async function changeOrder(
  c: WriteContext,
  dependencies: PortOrderDependencies,
  id: string,
  requested: RequestedChanges,
): Promise<Changed> {
  const order = await withNumbers(c.tx, await lockOrderForUpdate(c, id))
  const changes = readChanges(c, order, requested)
  const { kinds, named, errors } = changes
  const kind = kinds[0] ?? null
  // a body with one kind of change requires permission for it, even if it changes nothing
  const only = kinds.length === 1 ? kind : named.length === 1 ? named[0] : null
  if (only) requireEdit(order, only)
  throwIfInvalid({ ...(await changeErrors(c, dependencies, order, changes)), ...errors })
  if (kind === 'cancel') return { order: await cancelled(c, dependencies, order), kind }
  if (kind === 'presets') {
    const change = changedFields<store.OrderRow>(order, changes.presets)
    return { order: await edited(c, order, changes.presets, 'portorder.presets_changed', withCleared(change)), kind }
  }
  if (kind === 'details') return { order: await changeDetails(c, order, changes), kind }
  return { order, kind }
}

/** The errors that `changeOrder` would report for the valid attributes of a body, by field. */
export async function changeFieldErrors(
  c: Context,
  dependencies: PortOrderDependencies,
  id: string,
  requested: RequestedChanges,
): Promise<Record<string, string[]>> {
  const order = await loadOrder(c, id)
  const changes = readChanges(c, order, requested)
  return { ...(await changeErrors(c, dependencies, order, changes)), ...changes.errors }
}

const readChanges = (c: Context, order: store.Order, requested: RequestedChanges): OrderChanges =>
  changesOf(requested, order, openSecrets(c, order))

async function changeErrors(
  c: Context,
  dependencies: PortOrderDependencies,
  row: store.OrderRow,
  { details, presets, fieldOf }: OrderChanges,
): Promise<Record<string, string[]>> {
  const found = detailErrors(c, dependencies, { ...row, ...details }, new Set(Object.keys(details)))
  return {
    ...Object.fromEntries(Object.entries(found).map(([detail, messages]) => [fieldOf(detail), messages])),
    ...(await presetErrors(c.tx, row.account_id, presets)),
  }
}

async function changeDetails(
  c: WriteContext,
  order: store.Order,
  { details, secrets }: OrderChanges,
): Promise<store.Order> {
  // events contain only the names of changed secrets
  const names = secretFields.filter((field) => secrets[field] !== undefined)
  const cleared = names.filter((field) => secrets[field] === '')
  return await edited(c, order, { ...details, ...sealedColumns(c, order, secrets) }, 'portorder.changed', {
    ...withCleared(changedFields<store.OrderRow>(order, details), cleared),
    ...(names.length === 0 ? {} : { secrets: names }),
  })
}

/** The data of an event: old and new values, and the names of cleared fields. */
function withCleared(changes: Changes<store.OrderRow> | null, secrets: readonly string[] = []) {
  const { from, to } = changes ?? { from: {}, to: {} }
  const cleared = Object.entries(to).flatMap(([name, value]) => (value === null || value === '' ? [name] : []))
  return { from, to, ...(cleared.length + secrets.length === 0 ? {} : { cleared: [...cleared, ...secrets] }) }
}

async function cancelled(
  c: WriteContext,
  dependencies: PortOrderDependencies,
  order: store.Order,
): Promise<store.Order> {
  return await transitionOrder(c, dependencies, order, {
    to: order.status === 'Pending' ? 'Canceled' : 'Abandoned',
    actor: 'account',
  })
}

export async function resubmitOrder(
  c: WriteContext,
  dependencies: PortOrderDependencies,
  id: string,
): Promise<store.Order> {
  const order = await withNumbers(c.tx, await lockForEdit(c, id, 'resubmit'))
  return await transitionOrder(c, dependencies, order, { to: 'Review', actor: 'account' })
}

/** Event type of a private comment. */
export const privateComment = 'portorder.noted'

/** Errors of a comment that depend on its author, by field. */
export const commentErrors = (c: Context, requested: boolean | null | undefined): Record<string, string[]> =>
  requested === true && c.actor.kind !== 'operator'
    ? { private: ['Only the operator can make a comment private.'] }
    : {}

/** Throws 422 when a customer requests a private comment, and 409 when the order has too many comments. */
export async function addComment(
  c: WriteContext,
  id: string,
  { text, private: requested }: { text: string; private?: boolean | null | undefined },
): Promise<store.CommentRow> {
  const row = await lockForEdit(c, id, 'comment')
  throwIfInvalid(commentErrors(c, requested))
  if ((await store.countComments(c.tx, row)) >= limits.comments_per_order)
    throw problem('conflict', `A port order can have at most ${limits.comments_per_order} comments.`)
  const is_private = requested === true
  const now = c.clock.now()
  const comment = await store.insertComment(c.tx, {
    account_id: row.account_id,
    port_order_id: row.id,
    text,
    author: authorOf(c.actor),
    is_private,
    created_at: now,
  })
  await store.updateOrder(c.tx, row, { modified_at: now })
  await recordEvent(c, row.account_id, {
    type: is_private ? privateComment : 'portorder.commented',
    subject_type: 'portorder',
    subject_id: row.id,
    data: { comment_id: comment.id },
  })
  return comment
}

/** Records that a document was added to the order, which restarts its clock. */
export async function editFiles(c: WriteContext, id: string, edit: 'pull' | 'upload'): Promise<store.OrderRow> {
  return await updated(c, await withNumbers(c.tx, await lockForEdit(c, id, edit)), {})
}

/** Writes an edit and its event. The edit restarts the clock of a Pending order. */
export async function edited(
  c: WriteContext,
  order: store.Order,
  change: Partial<store.OrderRow>,
  type: string,
  data: Record<string, unknown>,
): Promise<store.Order> {
  const changed = await updated(c, order, change)
  const subject = { subject_type: 'portorder', subject_id: order.id }
  await recordEvent(c, order.account_id, { type, ...subject, data })
  return changed
}

async function updated(c: WriteContext, order: store.Order, change: Partial<store.OrderRow>): Promise<store.Order> {
  const now = c.clock.now()
  const { numbers } = order
  const next = { ...order, ...change, updated_at: now, modified_at: now }
  const due_at = dueAt({ ...next, tollfree: isTollfree(numbers[0] ?? '') }, businessHoursOf(c.time_zone, next.country))
  const changed = await store.updateOrder(c.tx, order, { ...change, updated_at: now, modified_at: now, due_at })
  if (!changed) throw problem('conflict', 'The port order was changed by another request. Get it again, then retry.')
  await scheduleExpiry(c, changed)
  return { ...changed, numbers }
}

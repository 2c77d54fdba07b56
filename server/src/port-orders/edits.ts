import type { portOrders } from '@demarc/client'
import { changedFields } from '../platform/changed-fields.ts'
import type { Context, WriteContext } from '../platform/context.ts'
import { recordEvent } from '../platform/events.ts'
import { problem, throwIfInvalid } from '../platform/problem.ts'
import { detailErrors, openSecrets, plainColumns, sealedColumns } from './details.ts'
import type { DetailChanges } from './details.ts'
import { withoutRefusals, numberFacts } from './facts.ts'
import { authorOf, transitionOrder, scheduleExpiry } from './transitions.ts'
import { deleteNumbers, insertNumbers, numbersOf } from './numbers-store.ts'
import { carrierOf, businessHoursOf } from './dependencies.ts'
import type { PortOrderDependencies } from './dependencies.ts'
import { presetColumns, presetErrors } from './presets.ts'
import { portabilityOf } from './portability.ts'
import type { NumberFacts } from './portability.ts'
import { dueAt, isTollfree, limits, namedNumbers, withoutPlus, withPlus } from './rules.ts'
import { splitNumbers } from './split.ts'
import * as store from './store.ts'
import { lockForEdit } from './view.ts'
import type * as z from 'zod'

/** What an account holder changes about an order. Everything throws 404, and 409 in a status that does not allow it. */

/** Changes details; throws 422 with every invalid field. */
export async function changeDetails(
  c: WriteContext,
  dependencies: PortOrderDependencies,
  id: string,
  given: DetailChanges,
): Promise<store.OrderRow> {
  const row = await lockForEdit(c, id, 'details')
  const columns = plainColumns(given)
  throwIfInvalid(detailErrors(c, dependencies, { ...row, ...columns }, new Set(Object.keys(given))))
  const secrets = changedSecrets(c, row, given)
  const changes = changedFields(row, columns)
  if (!changes && secrets.length === 0) return row
  const encrypted = sealedColumns(c, row, given)
  return await edited(c, row, { ...changes?.to, ...encrypted }, 'portorder.changed', {
    ...(changes ?? { from: {}, to: {} }),
    // their names only: events never contain secrets
    ...(secrets.length === 0 ? {} : { secrets }),
  })
}

/** Which secrets differ from those on the order. */
function changedSecrets(c: WriteContext, row: store.OrderRow, given: DetailChanges): string[] {
  const current = openSecrets(c, row)
  return (['pin', 'last_4_ssn'] as const).filter(
    (field) => given[field] !== undefined && given[field] !== (current[field] ?? ''),
  )
}

/** Changes presets; throws 422 for a record that is not on the account. */
export async function changePresets(
  c: WriteContext,
  id: string,
  given: z.output<typeof portOrders.presetChanges>,
): Promise<store.OrderRow> {
  const row = await lockForEdit(c, id, 'presets')
  const columns = presetColumns(given)
  throwIfInvalid(await presetErrors(c.tx, row.account_id, columns))
  const changes = changedFields(row, columns)
  return changes ? await edited(c, row, changes.to, 'portorder.presets_changed', { ...changes }) : row
}

/** Adds and removes numbers, all or none; throws 422 naming each that cannot be. */
export async function changeNumbers(
  c: WriteContext,
  dependencies: PortOrderDependencies,
  id: string,
  { add, remove }: { add: readonly string[]; remove: readonly string[] },
): Promise<store.OrderRow> {
  const row = await lockForEdit(c, id, 'numbers')
  const before = (await numbersOf(c.tx, [row.id])).get(row.id) ?? []
  const facts = withoutRefusals(
    await numberFacts(c.tx, [...before.map(withPlus), ...add], [carrierOf(dependencies, c.time_zone, row)], row.id),
  )
  const current = new Set(before.map(withPlus))
  const leaving = new Set(remove)
  const after = [...[...current].filter((n) => !leaving.has(n)), ...add.filter((n) => !current.has(n))]
  throwIfInvalid(numberErrors(add, remove, current, facts))
  throwIfInvalid(splitErrors(add, after, row.provider, facts))
  if (add.length === 0 && remove.length === 0) return row
  await deleteNumbers(c.tx, row, remove.map(withoutPlus))
  const added = new Set(await insertNumbers(c.tx, row, [...new Set(add)].map(withoutPlus)))
  throwIfInvalid(
    errorsOf('add', add, (n) => (added.has(withoutPlus(n)) ? null : 'The number is on another open port order.')),
  )
  return await edited(c, row, { numbers_count: after.length }, 'portorder.numbers_changed', {
    added: namedNumbers(add.map(withoutPlus)),
    removed: namedNumbers(remove.map(withoutPlus)),
  })
}

function numberErrors(
  add: readonly string[],
  remove: readonly string[],
  current: ReadonlySet<string>,
  facts: NumberFacts,
): Record<string, string[]> {
  const [adding, leaving] = [new Set(add), new Set(remove)]
  const first = new Map(add.map((n, i) => [n, i] as const).toReversed())
  const left = [...current].filter((n) => !leaving.has(n)).length + [...adding].filter((n) => !current.has(n)).length
  return {
    ...errorsOf('add', add, (n, i) => {
      if (leaving.has(n)) return 'Is both to be added and to be removed.'
      if (current.has(n)) return 'Is on this order already.'
      if (first.get(n) !== i) return 'Is given more than once.'
      const result = portabilityOf(n, facts)
      return result.portable ? null : result.reason
    }),
    ...errorsOf('remove', remove, (n) =>
      adding.has(n) ? 'Is both to be added and to be removed.' : current.has(n) ? null : 'Is not on this order.',
    ),
    ...(left === 0 ? { remove: ['At least one number must remain. Cancel the order instead.'] } : {}),
    ...(left > limits.numbers_per_order ? { add: [`An order has at most ${limits.numbers_per_order} numbers.`] } : {}),
  }
}

/** Errors of added numbers that cannot be on this order, because they would be split into another one. */
function splitErrors(
  add: readonly string[],
  after: readonly string[],
  provider: string,
  facts: NumberFacts,
): Record<string, string[]> {
  const { orders } = splitNumbers(after, provider, facts)
  if (orders.length < 2 || add.length === 0) return {}
  const added = new Set(add)
  const main = orders.find((o) => o.numbers.some((n) => !added.has(n))) ?? orders[0]
  const kept = new Set(main?.numbers)
  const reasons = new Map(orders.flatMap((o) => o.numbers.map((n) => [n, o.reason] as const)))
  return errorsOf('add', add, (n) => (kept.has(n) ? null : `Needs an order of its own: ${reasons.get(n) ?? ''}`))
}

function errorsOf(
  field: string,
  numbers: readonly string[],
  errorOf: (number: string, i: number) => string | null,
): Record<string, string[]> {
  return Object.fromEntries(
    numbers.flatMap((n, i) => {
      const error = errorOf(n, i)
      return error === null ? [] : [[`${field}.${i}`, [error]]]
    }),
  )
}

/** Canceled from Pending, Abandoned from Rejected. */
export async function cancelOrder(
  c: WriteContext,
  dependencies: PortOrderDependencies,
  id: string,
): Promise<store.OrderRow> {
  const row = await lockForEdit(c, id, 'cancel')
  return await transitionOrder(c, dependencies, row, {
    to: row.status === 'Pending' ? 'Canceled' : 'Abandoned',
    actor: 'account',
  })
}

export async function resubmitOrder(
  c: WriteContext,
  dependencies: PortOrderDependencies,
  id: string,
): Promise<store.OrderRow> {
  const row = await lockForEdit(c, id, 'resubmit')
  return await transitionOrder(c, dependencies, row, { to: 'Review', actor: 'account' })
}

/** Event type of a private comment. */
export const privateComment = 'portorder.noted'

/** Errors of a comment by who writes it, by field. */
export const commentErrors = (c: Context, requested: boolean | null | undefined): Record<string, string[]> =>
  requested === true && c.actor.kind !== 'operator'
    ? { private: ['Comments of account holders are seen by both sides.'] }
    : {}

/** Throws 422 when an account holder requests a private comment, 409 when there are too many. */
export async function addComment(
  c: WriteContext,
  id: string,
  { text, private: requested }: { text: string; private?: boolean | null | undefined },
): Promise<store.CommentRow> {
  const row = await lockForEdit(c, id, 'comment')
  throwIfInvalid(commentErrors(c, requested))
  if ((await store.countComments(c.tx, row)) >= limits.comments_per_order)
    throw problem('conflict', `A port order has at most ${limits.comments_per_order} comments.`)
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

/** Records an update of the order because of a document. Throws 404 and 409. */
export async function editFiles(c: WriteContext, id: string, edit: 'pull' | 'upload'): Promise<store.OrderRow> {
  const row = await lockForEdit(c, id, edit)
  return await updated(c, row, {})
}

/** Writes an edit that restarts the clock of a Pending order, and its event. */
async function edited(
  c: WriteContext,
  row: store.OrderRow,
  change: Partial<store.OrderRow>,
  type: string,
  data: Record<string, unknown>,
): Promise<store.OrderRow> {
  const changed = await updated(c, row, change)
  const subject = { subject_type: 'portorder', subject_id: row.id }
  await recordEvent(c, row.account_id, { type, ...subject, data })
  return changed
}

async function updated(c: WriteContext, row: store.OrderRow, change: Partial<store.OrderRow>): Promise<store.OrderRow> {
  const now = c.clock.now()
  const tollfree = isTollfree((await numbersOf(c.tx, [row.id])).get(row.id)?.[0] ?? '')
  const next = { ...row, ...change, updated_at: now, modified_at: now }
  const due_at = dueAt({ ...next, tollfree }, businessHoursOf(c.time_zone, next.country))
  const changed = await store.updateOrder(c.tx, row, { ...change, updated_at: now, modified_at: now, due_at })
  if (!changed) throw problem('conflict', 'The port order was changed by somebody else meanwhile. Read it again.')
  await scheduleExpiry(c, changed)
  return changed
}

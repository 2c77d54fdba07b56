import type { Context, WriteContext } from '../platform/context.ts'
import { throwIfInvalid } from '../platform/problem.ts'
import { ownTurn } from '../platform/turns.ts'
import { carrierOf } from './dependencies.ts'
import type { PortOrderDependencies } from './dependencies.ts'
import { edited } from './edits.ts'
import { numberFacts, withoutRefusals } from './facts.ts'
import { countUnsigned, deleteNumbers, insertNumbers, withNumbers } from './numbers-store.ts'
import { onOrderReason, portabilityOf } from './portability.ts'
import type { NumberFacts } from './portability.ts'
import { errorsByNumber, limits, namedNumbers, tooManyUnsigned, withoutPlus, withPlus } from './rules.ts'
import { splitNumbers } from './split.ts'
import type * as store from './store.ts'
import { lockForEdit } from './view.ts'

/** Adds and removes numbers of a Pending order. */

export interface NumberChanges {
  add: readonly string[]
  remove: readonly string[]
}

/** Adds and removes numbers, all or none. Throws 422 with every number that cannot be added or removed. */
export async function changeNumbers(
  c: WriteContext,
  dependencies: PortOrderDependencies,
  id: string,
  { add, remove }: NumberChanges,
): Promise<store.Order> {
  const order = await withNumbers(c.tx, await lockForEdit(c, id, 'numbers'))
  throwIfInvalid(await numberChangeErrors(c, dependencies, order, { add, remove }))
  if (add.length === 0 && remove.length === 0) return order
  const removed = new Set(remove.map(withoutPlus))
  await deleteNumbers(c.tx, order, [...removed])
  const added = [...new Set(add)].map(withoutPlus)
  const taken = new Set(await insertNumbers(c.tx, order, added))
  throwIfInvalid(errorsByNumber('add', add, (n) => (taken.has(withoutPlus(n)) ? onOrderReason : null)))
  const numbers = [...order.numbers.filter((n) => !removed.has(n)), ...added].toSorted()
  const change = { numbers_count: numbers.length }
  const changed = await edited(c, { ...order, numbers }, change, 'portorder.numbers_changed', {
    added: namedNumbers(add.map(withoutPlus)),
    removed: namedNumbers(remove.map(withoutPlus)),
  })
  // checked again under the lock on the account's event chain, which serializes the requests of the account
  if (add.length > 0)
    throwIfInvalid(tooManyUnsigned('add', await countUnsigned(c.tx, order.account_id), dependencies.config))
  return changed
}

const orderFull = `An order can have at most ${limits.numbers_per_order} numbers.`

/** The errors of numbers to add and remove, by field. Undefined entries are skipped: their format was refused. */
export async function numberChangeErrors(
  c: Context,
  dependencies: PortOrderDependencies,
  order: store.Order,
  change: { add?: readonly (string | undefined)[] | undefined; remove?: readonly (string | undefined)[] | undefined },
): Promise<Record<string, string[]>> {
  const { add = [], remove = [] } = change
  const { account_id, id } = order
  const current = order.numbers.map(withPlus)
  const adding = add.filter((n) => n !== undefined)
  const carrier = carrierOf(dependencies, c.time_zone, order)
  const facts = withoutRefusals(await numberFacts(c.tx, [...current, ...adding], [carrier], { account_id, except: id }))
  const leaving = new Set(remove)
  const on_order = new Set(current)
  const after = [...current.filter((n) => !leaving.has(n)), ...new Set(adding.filter((n) => !on_order.has(n)))]
  const unsigned = (await countUnsigned(c.tx, account_id)) - current.length + after.length
  await ownTurn(after.length)
  return {
    ...splitErrors(add, after, order.provider, facts),
    ...numberErrors(add, remove, on_order, facts),
    ...(after.length === 0 ? { remove: ['At least one number must remain. To remove all, cancel the order.'] } : {}),
    ...(adding.length === 0 ? {} : tooManyUnsigned('add', unsigned, dependencies.config)),
    ...(after.length <= limits.numbers_per_order ? {} : { add: [orderFull] }),
  }
}

function numberErrors(
  add: readonly (string | undefined)[],
  remove: readonly (string | undefined)[],
  current: ReadonlySet<string>,
  facts: NumberFacts,
): Record<string, string[]> {
  const [adding, leaving] = [new Set(add), new Set(remove)]
  const first = new Map(add.map((n, i) => [n, i] as const).toReversed())
  return {
    ...errorsByNumber('add', add, (n, i) => {
      if (leaving.has(n)) return 'Is in both `add` and `remove`.'
      if (current.has(n)) return 'Is already on this order.'
      if (first.get(n) !== i) return 'Is listed more than once.'
      const result = portabilityOf(n, facts)
      return result.portable ? null : result.reason
    }),
    ...errorsByNumber('remove', remove, (n) =>
      adding.has(n) ? 'Is in both `add` and `remove`.' : current.has(n) ? null : 'Is not on this order.',
    ),
  }
}

/** Errors of added numbers that would have to be on a separate order. */
function splitErrors(
  add: readonly (string | undefined)[],
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
  return errorsByNumber('add', add, (n) => (kept.has(n) ? null : `Needs a separate order: ${reasons.get(n) ?? ''}`))
}

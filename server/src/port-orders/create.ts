import { dateIn, type portOrders } from '@demarc/client'
import { accountOf } from '../platform/actor.ts'
import type { WriteContext } from '../platform/context.ts'
import { recordEvent } from '../platform/events.ts'
import { throwIfInvalid } from '../platform/problem.ts'
import { ownTurn } from '../platform/turns.ts'
import { carrierFor } from './carriers/carrier.ts'
import { sealedColumns } from './details.ts'
import { withoutRefusals, numberFacts } from './facts.ts'
import { scheduleExpiry } from './transitions.ts'
import { countUnsigned, insertNumbers } from './numbers-store.ts'
import { readNewOrder, type NewOrder } from './new-order.ts'
import { carriersOf, businessHoursOf } from './dependencies.ts'
import type { PortOrderDependencies } from './dependencies.ts'
import { noPresets, presetColumns } from './presets.ts'
import { onOrderReason } from './portability.ts'
import {
  costText,
  defaultAlias,
  dueAt,
  errorsByNumber,
  isTollfree,
  namedNumbers,
  tooManyUnsigned,
  withoutPlus,
  withPlus,
} from './rules.ts'
import { splitNumbers } from './split.ts'
import type { Split, SplitOrder } from './split.ts'
import * as store from './store.ts'

/** Creates the orders of a request, or previews them. */

export interface Created {
  orders: store.Order[]
  group_id: string
  split: Split
}

/** Creates the orders of a request, all or none. Throws 422 with every invalid field and every number that cannot be ordered. */
export async function createOrders(
  c: WriteContext,
  dependencies: PortOrderDependencies,
  requested: portOrders.NewPortOrder,
): Promise<Created> {
  const account_id = accountOf(c.actor)
  const input = await readNewOrder(c, dependencies, requested, 'refused')
  const split = await splitOf(c, dependencies, input)
  const group_id = await store.nextGroupId(c.tx)
  const ids = await store.nextOrderIds(c.tx, split.orders.length)
  const orders: store.Order[] = []
  for (const [i, part] of split.orders.entries()) {
    const key = { account_id, id: ids[i] ?? '' }
    const row = await store.insertOrder(c.tx, newRow(c, dependencies, input, part, { ...key, group_id }))
    await addNumbers(c, key, part, input.numbers)
    orders.push({ ...row, numbers: part.numbers.map(withoutPlus) })
  }
  for (const order of orders) await scheduleExpiry(c, order)
  for (const [i, order] of orders.entries())
    await recordEvent(c, account_id, {
      type: 'portorder.created',
      subject_type: 'portorder',
      subject_id: order.id,
      data: { group_id, reason: split.orders[i]?.reason, ...namedNumbers(order.numbers) },
    })
  // checked again under the lock on the account's event chain, which serializes the requests of the account
  throwIfInvalid(tooManyUnsigned('numbers', await countUnsigned(c.tx, account_id), dependencies.config))
  return { orders, group_id, split }
}

/** What `createOrders` would create. Throws 422 for invalid fields; the result includes numbers that cannot be ordered. */
export async function previewOrders(
  c: WriteContext,
  dependencies: PortOrderDependencies,
  requested: portOrders.NewPortOrder,
): Promise<Split> {
  return await splitOf(c, dependencies, await readNewOrder(c, dependencies, requested, 'shown'))
}

export const orderCost = (dependencies: PortOrderDependencies, numbers: readonly string[]): string =>
  costText(dependencies.config.port_price, numbers.length)

async function splitOf(
  c: WriteContext,
  dependencies: PortOrderDependencies,
  { numbers, provider, country }: NewOrder,
): Promise<Split> {
  const carriers = carriersOf(dependencies, businessHoursOf(c.time_zone, country))
  const account_id = accountOf(c.actor)
  const facts = await numberFacts(c.tx, numbers, [carrierFor(provider, carriers)], { account_id })
  await ownTurn(numbers.length)
  return splitNumbers(numbers, provider, withoutRefusals(facts))
}

function newRow(
  c: WriteContext,
  dependencies: PortOrderDependencies,
  input: NewOrder,
  part: SplitOrder,
  key: { account_id: string; id: string; group_id: string },
) {
  const now = c.clock.now()
  const { numbers: _numbers, presets, ...details } = input
  const { loa_details, pin, last_4_ssn, alias, ...plain } = details
  const state = {
    status: 'Pending' as const,
    updated_at: now,
    entered_at: now,
    completion_date: null,
    numbers_count: part.numbers.length,
  }
  const tollfree = isTollfree(withoutPlus(part.numbers[0] ?? ''))
  return {
    ...plain,
    ...key,
    ...state,
    alias: alias === '' ? defaultAlias(dateIn(now, c.time_zone)) : alias,
    provider: part.carrier,
    loa_cc: loa_details?.cc ?? '',
    loa_email: loa_details?.email ?? '',
    pin: null,
    pin_mask: '',
    last_4_ssn: null,
    ...sealedColumns(c, key, { pin, last_4_ssn }),
    ...noPresets,
    ...presetColumns(presets ?? {}),
    rejection_raw: null,
    rejection_reason: null,
    rejected_at: null,
    price: dependencies.config.port_price,
    created_at: now,
    modified_at: now,
    due_at: dueAt({ ...state, tollfree }, businessHoursOf(c.time_zone, input.country)),
  }
}

/** Adds the numbers to their order. Throws 422 when a concurrent request has put one of them on another open order. */
async function addNumbers(
  c: WriteContext,
  key: store.OrderKey,
  { numbers }: SplitOrder,
  requested: readonly string[],
): Promise<void> {
  const taken = new Set((await insertNumbers(c.tx, key, numbers.map(withoutPlus))).map(withPlus))
  if (taken.size > 0) throwIfInvalid(errorsByNumber('numbers', requested, (n) => (taken.has(n) ? onOrderReason : null)))
}

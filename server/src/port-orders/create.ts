import { dateIn } from '@demarc/client'
import { requireAccount } from '../accounts/index.ts'
import { accountOf } from '../platform/actor.ts'
import type { WriteContext } from '../platform/context.ts'
import { recordEvent } from '../platform/events.ts'
import { invalid, throwIfInvalid } from '../platform/problem.ts'
import { carrierFor } from './carriers/carrier.ts'
import { detailErrors, sealedColumns } from './details.ts'
import type { NewOrder } from './details.ts'
import { withoutRefusals, numberFacts } from './facts.ts'
import { scheduleExpiry } from './transitions.ts'
import { insertNumbers } from './numbers-store.ts'
import { carriersOf, businessHoursOf } from './dependencies.ts'
import type { PortOrderDependencies } from './dependencies.ts'
import { noPresets, presetColumns, presetErrors } from './presets.ts'
import { costText, defaultAlias, dueAt, isTollfree, namedNumbers, withoutPlus } from './rules.ts'
import { splitNumbers } from './split.ts'
import type { Split, SplitOrder } from './split.ts'
import * as store from './store.ts'

/** Creation of the orders of a request. */

export interface Created {
  rows: store.OrderRow[]
  group_id: string
  split: Split
}

/**
 * Creates the orders of a request, all or none. Throws 422 with every invalid field, among them each number that cannot be
 * ordered.
 */
export async function createOrders(
  c: WriteContext,
  dependencies: PortOrderDependencies,
  input: NewOrder,
): Promise<Created> {
  const { account_id, split } = await validateInput(c, dependencies, input, true)
  const group_id = await store.nextGroupId(c.tx)
  const ids = await store.nextOrderIds(c.tx, split.orders.length)
  const rows: store.OrderRow[] = []
  for (const [i, part] of split.orders.entries()) {
    const key = { account_id, id: ids[i] ?? '' }
    rows.push(await store.insertOrder(c.tx, newRow(c, dependencies, input, part, { ...key, group_id })))
    await addNumbers(c, key, part, input.numbers)
  }
  for (const row of rows) await scheduleExpiry(c, row)
  for (const [i, row] of rows.entries())
    await recordEvent(c, account_id, {
      type: 'portorder.created',
      subject_type: 'portorder',
      subject_id: row.id,
      data: {
        group_id,
        reason: split.orders[i]?.reason,
        ...namedNumbers((split.orders[i]?.numbers ?? []).map(withoutPlus)),
      },
    })
  return { rows, group_id, split }
}

/** What `createOrders` would create. Throws 422 for invalid fields; numbers that cannot be ordered are part of the result. */
export async function previewOrders(
  c: WriteContext,
  dependencies: PortOrderDependencies,
  input: NewOrder,
): Promise<Split> {
  return (await validateInput(c, dependencies, input, false)).split
}

export const orderCost = (dependencies: PortOrderDependencies, numbers: readonly string[]): string =>
  costText(dependencies.config.port_price, numbers.length)

async function validateInput(
  c: WriteContext,
  dependencies: PortOrderDependencies,
  input: NewOrder,
  refuse_numbers: boolean,
) {
  const { id: account_id } = await requireAccount(c, accountOf(c.actor))
  const carriers = carriersOf(dependencies, businessHoursOf(c.time_zone, input.country))
  const facts = await numberFacts(c.tx, input.numbers, [carrierFor(input.provider, carriers)])
  const split = splitNumbers(input.numbers, input.provider, withoutRefusals(facts))
  throwIfInvalid({
    ...(refuse_numbers ? numberErrors(split) : {}),
    ...detailErrors(c, dependencies, input, new Set(Object.keys(input))),
    ...(await presetErrors(c.tx, account_id, presetColumns(input.presets ?? {}))),
  })
  return { account_id, split }
}

const numberErrors = ({ dispositions }: Split): Record<string, string[]> =>
  Object.fromEntries(
    dispositions.flatMap(({ order, reason }, i) => (order === null ? [[`numbers.${i}`, [reason]]] : [])),
  )

function newRow(
  c: WriteContext,
  dependencies: PortOrderDependencies,
  input: NewOrder,
  part: SplitOrder,
  key: { account_id: string; id: string; group_id: string },
) {
  const now = c.clock.now()
  const { numbers: _numbers, presets, ...details } = input
  const { loa_details, pin, last_4_ssn, enable_cnam_lookups, alias, ...plain } = details
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
    enable_cnam_lookups: enable_cnam_lookups ?? false,
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

/** Adds the numbers to their order. Throws 422 when one of them came onto another open order since it was validated. */
async function addNumbers(
  c: WriteContext,
  key: store.OrderKey,
  part: SplitOrder,
  requested: readonly string[],
): Promise<void> {
  const added = new Set(await insertNumbers(c.tx, key, part.numbers.map(withoutPlus)))
  const taken = new Set(part.numbers.filter((n) => !added.has(withoutPlus(n))))
  if (taken.size === 0) return
  throw invalid(
    Object.fromEntries(
      requested.flatMap((n, i) =>
        taken.has(n) ? [[`numbers.${i}`, ['The number is on another open port order.']]] : [],
      ),
    ),
  )
}

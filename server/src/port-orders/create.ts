import { dateIn } from '@demarc/client'
import { requireAccount } from '../accounts/index.ts'
import { accountOf } from '../platform/actor.ts'
import type { WriteContext } from '../platform/context.ts'
import { recordEvent } from '../platform/events.ts'
import { invalid, throwIfInvalid } from '../platform/problem.ts'
import { carrierFor } from './carriers/carrier.ts'
import { detailFaults, sealedColumns } from './details.ts'
import type { NewOrder } from './details.ts'
import { beforeAsking, knownNumbers } from './facts.ts'
import { scheduleExpiry } from './transitions.ts'
import { insertNumbers } from './numbers-store.ts'
import { carriersOf, placeOf } from './parts.ts'
import type { Parts } from './parts.ts'
import { noPresets, presetColumns, presetFaults } from './presets.ts'
import { costText, defaultAlias, dueAt, isTollfree, namedNumbers, withoutPlus } from './rules.ts'
import { splitNumbers } from './split.ts'
import type { Split, SplitOrder } from './split.ts'
import * as store from './store.ts'

/** From a list of numbers to orders. */

export interface Created {
  rows: store.OrderRow[]
  group_id: string
  split: Split
}

/**
 * Makes the orders of a request, or refuses all of it: 422 with every field at fault, among them each number that cannot be
 * ordered.
 */
export async function createOrders(c: WriteContext, parts: Parts, wish: NewOrder): Promise<Created> {
  const { account_id, split } = await examineWish(c, parts, wish, true)
  const group_id = await store.nextGroupId(c.tx)
  const ids = await store.nextOrderIds(c.tx, split.orders.length)
  const rows: store.OrderRow[] = []
  for (const [i, part] of split.orders.entries()) {
    const key = { account_id, id: ids[i] ?? '' }
    rows.push(await store.insertOrder(c.tx, newRow(c, parts, wish, part, { ...key, group_id })))
    await fillOrder(c, key, part, wish.numbers)
  }
  for (const row of rows) await scheduleExpiry(c, row)
  for (const [i, row] of rows.entries())
    await recordEvent(c, account_id, {
      type: 'portorder.created',
      subject_type: 'portorder',
      subject_id: row.id,
      data: {
        group_id,
        because: split.orders[i]?.because,
        ...namedNumbers((split.orders[i]?.numbers ?? []).map(withoutPlus)),
      },
    })
  return { rows, group_id, split }
}

/** What `createOrders` would make. Throws 422 for fields at fault; numbers that cannot be ordered are part of the answer. */
export async function previewOrders(c: WriteContext, parts: Parts, wish: NewOrder): Promise<Split> {
  return (await examineWish(c, parts, wish, false)).split
}

export const orderCost = (parts: Parts, numbers: readonly string[]): string =>
  costText(parts.config.port_price, numbers.length)

async function examineWish(c: WriteContext, parts: Parts, wish: NewOrder, all: boolean) {
  const { id: account_id } = await requireAccount(c, accountOf(c.actor))
  const carriers = carriersOf(parts, placeOf(c.time_zone, wish.country))
  const known = await knownNumbers(c.tx, wish.numbers, [carrierFor(wish.provider, carriers)])
  const split = splitNumbers(wish.numbers, wish.provider, beforeAsking(known))
  throwIfInvalid({
    ...(all ? numberFaults(split) : {}),
    ...detailFaults(c, parts, wish, new Set(Object.keys(wish))),
    ...(await presetFaults(c.tx, account_id, presetColumns(wish.presets ?? {}))),
  })
  return { account_id, split }
}

const numberFaults = ({ dispositions }: Split): Record<string, string[]> =>
  Object.fromEntries(
    dispositions.flatMap(({ order, because }, i) => (order === null ? [[`numbers.${i}`, [because]]] : [])),
  )

function newRow(
  c: WriteContext,
  parts: Parts,
  wish: NewOrder,
  part: SplitOrder,
  key: { account_id: string; id: string; group_id: string },
) {
  const now = c.clock.now()
  const { numbers: _numbers, presets, ...details } = wish
  const { loa_details, pin, last_4_ssn, enable_cnam_lookups, alias, ...plain } = details
  const standing = {
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
    ...standing,
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
    price: parts.config.port_price,
    created_at: now,
    modified_at: now,
    due_at: dueAt({ ...standing, tollfree }, placeOf(c.time_zone, wish.country)),
  }
}

/** Puts the numbers on their order. Throws 422 when somebody else ordered one of them since we looked. */
async function fillOrder(
  c: WriteContext,
  key: store.OrderKey,
  part: SplitOrder,
  given: readonly string[],
): Promise<void> {
  const there = new Set(await insertNumbers(c.tx, key, part.numbers.map(withoutPlus)))
  const taken = new Set(part.numbers.filter((n) => !there.has(withoutPlus(n))))
  if (taken.size === 0) return
  throw invalid(
    Object.fromEntries(
      given.flatMap((n, i) => (taken.has(n) ? [[`numbers.${i}`, ['The number is on another open port order.']]] : [])),
    ),
  )
}

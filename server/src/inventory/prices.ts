import { requireAccount } from '../accounts/index.ts'
import type { Context, WriteContext } from '../platform/context.ts'
import { recordEvent } from '../platform/events.ts'
import { problem } from '../platform/problem.ts'
import * as store from './prices-store.ts'
import type { InventoryNumber } from './store.ts'
import type { Price } from './tables.ts'

/** Price classes, and what accounts pay for them. */

/** Most price classes. Each search of an inventory with classes reads them. */
const classes_max = 100

/** Creates a class or changes its price. Throws 409 above the limit. */
export async function setPriceClass(c: WriteContext, name: string, price: Price): Promise<store.PriceClassRow> {
  const before = await store.lockClassForUpdate(c.tx, name)
  if (!before && (await store.listClasses(c.tx)).length >= classes_max)
    throw problem('conflict', `There are ${classes_max} price classes already. Change one of them instead.`)
  await store.saveClass(c.tx, { name, ...price, changed_at: c.clock.now() })
  const row = (await store.lockClassForUpdate(c.tx, name)) ?? unknownClass(name)
  const { monthly_cost, setup_cost } = row
  await recordEvent(c, null, {
    type: before ? 'price_class.changed' : 'price_class.created',
    subject_type: 'price_class',
    subject_id: name,
    data: {
      monthly_cost,
      setup_cost,
      ...(before && { monthly_cost_before: before.monthly_cost, setup_cost_before: before.setup_cost }),
    },
  })
  return row
}

/** What an account pays for each class. Throws 404 for an unknown account. */
export async function accountPrices(c: Context, account_id: string): Promise<store.ClassPriceRow[]> {
  await requireAccount(c, account_id)
  return await store.pricesOf(c.tx, account_id)
}

/** Sets what an account pays for a class. Throws 404 for an unknown account or class. */
export async function setAccountPrice(
  c: WriteContext,
  { account_id, price_class }: { account_id: string; price_class: string },
  price: Price,
): Promise<store.ClassPriceRow> {
  await requireAccount(c, account_id)
  await lockClass(c, price_class)
  await store.saveAccountPrice(c.tx, { account_id, price_class, ...price, changed_at: c.clock.now() })
  const row = (await store.pricesOf(c.tx, account_id)).find(({ name }) => name === price_class)
  const { monthly_cost, setup_cost } = row ?? unknownClass(price_class)
  await recordAccountPrice(c, 'account_price.changed', account_id, { price_class, monthly_cost, setup_cost })
  return row ?? unknownClass(price_class)
}

/** The account pays what the class costs again. Throws 404 for an unknown account or class, or if it has no price of its own. */
export async function removeAccountPrice(c: WriteContext, account_id: string, price_class: string): Promise<void> {
  await requireAccount(c, account_id)
  await lockClass(c, price_class)
  const removed = await store.deleteAccountPrice(c.tx, account_id, price_class)
  if (!removed)
    throw problem('not-found', `Account ${account_id} has no price of its own for price class ${price_class}.`)
  await recordAccountPrice(c, 'account_price.removed', account_id, { price_class, ...removed })
}

const lockClass = async (c: WriteContext, name: string) =>
  (await store.lockClassForUpdate(c.tx, name)) ?? unknownClass(name)

function unknownClass(name: string): never {
  throw problem('not-found', `There is no price class ${name}.`)
}

const recordAccountPrice = (
  c: WriteContext,
  type: string,
  account_id: string,
  { price_class, ...price }: Price & { price_class: string },
) =>
  recordEvent(c, account_id, { type, subject_type: 'account', subject_id: account_id, data: { price_class, ...price } })

/**
 * The numbers at the prices that the account pays. Its prices cannot change until the transaction ends: a change waits, and one
 * that was committed before is seen.
 */
export async function atAccountPrices(
  c: WriteContext,
  account_id: string,
  rows: readonly InventoryNumber[],
): Promise<InventoryNumber[]> {
  const classes = [...new Set(rows.flatMap(({ price_class }) => price_class ?? []))]
  if (classes.length === 0) return [...rows]
  await store.lockClassesForShare(c.tx, classes)
  const prices = new Map((await store.pricesOf(c.tx, account_id)).map((price) => [price.name, price]))
  return rows.map((row) => {
    const price = row.price_class === null ? undefined : prices.get(row.price_class)
    return price ? { ...row, monthly_cost: price.monthly_cost, setup_cost: price.setup_cost } : row
  })
}

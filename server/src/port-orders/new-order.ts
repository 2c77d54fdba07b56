import { portOrders, required } from '@demarc/client'
import { requireAccount } from '../accounts/index.ts'
import { accountOf } from '../platform/actor.ts'
import type { Context } from '../platform/context.ts'
import type { Valid } from '../platform/http/binding.ts'
import { throwIfInvalid } from '../platform/problem.ts'
import { ownTurn } from '../platform/turns.ts'
import { resolveAddress, type Address } from './changes.ts'
import type { PortOrderDependencies } from './dependencies.ts'
import { detailErrors, openSecrets, shownSecrets, type Secrets } from './details.ts'
import { numberFacts } from './facts.ts'
import { countUnsigned, withFirstNumbers } from './numbers-store.ts'
import { portabilityOf } from './portability.ts'
import { presetColumns, presetErrors } from './presets.ts'
import { errorsByNumber, limits, tooManyUnsigned, withPlus } from './rules.ts'
import * as store from './store.ts'

/** Reads and validates the request for a port order. */

/** A valid request, with address and secrets in fields of the order. */
export type NewOrder = Omit<portOrders.NewPortOrder, keyof Address | 'billing_address' | 'copy_of'> & Address & Secrets

/** How to treat numbers that cannot be ordered: a preview shows them. */
export type UnportableNumbers = 'refused' | 'shown'

/** Reads a body that matches its shape. Throws 422 with every invalid field. */
export async function readNewOrder(
  c: Context,
  dependencies: PortOrderDependencies,
  requested: portOrders.NewPortOrder,
  unportable: UnportableNumbers,
): Promise<NewOrder> {
  throwIfInvalid(await newOrderErrors(c, dependencies, requested, unportable))
  const source = await sourceOf(c, requested.copy_of)
  const { fields } = resolveAddress(requested, source)
  const { billing_address: _address, copy_of: _id, ...rest } = requested
  const order = { ...rest, ...fields, ...secretsOf(c, requested, source).values }
  const { street, city, state, zip, country } = order
  if (street === undefined || city === undefined || state === undefined || zip === undefined || country === undefined)
    throw new Error('an order without its address was not refused')
  return { ...order, street, street2: order.street2 ?? '', city, state, zip, country }
}

/** Errors of the valid attributes of a body, by field. `failing`: the fields that do not match the shape. */
export async function newOrderErrors(
  c: Context,
  dependencies: PortOrderDependencies,
  requested: Valid<portOrders.NewPortOrder>,
  unportable: UnportableNumbers,
  failing: ReadonlySet<string> = new Set(),
): Promise<Record<string, string[]>> {
  const { id: account_id } = await requireAccount(c, accountOf(c.actor))
  const source = await sourceOf(c, requested.copy_of ?? null)
  const address = resolveAddress(requested, source)
  const order = { ...requested, ...address.fields }
  const found = Object.entries(detailErrors(c, dependencies, order, new Set(Object.keys(order))))
  return {
    ...(unportable === 'refused'
      ? await numberErrors(c, dependencies, account_id, requested.numbers ?? [], source)
      : {}),
    ...Object.fromEntries(found.map(([detail, messages]) => [address.places.get(detail) ?? detail, messages])),
    ...(failing.has('billing_address') ? {} : missingFields(address.fields)),
    ...address.errors,
    ...secretsOf(c, requested, source).errors,
    ...(await presetErrors(c.tx, account_id, presetColumns(requested.presets ?? {}))),
  }
}

/** Errors of required address fields that the body does not have. */
function missingFields(address: Partial<Address>): Record<string, string[]> {
  const needed = ['street', 'city', 'state', 'zip', 'country'] as const
  return Object.fromEntries(needed.filter((field) => address[field] === undefined).map((field) => [field, [required]]))
}

async function numberErrors(
  c: Context,
  { config }: PortOrderDependencies,
  account_id: string,
  numbers: readonly (string | undefined)[],
  source: store.OrderRow | null,
): Promise<Record<string, string[]>> {
  const known = numbers.filter((n) => n !== undefined)
  const facts = await numberFacts(c.tx, known, [], { account_id })
  await ownTurn(known.length)
  const errors = errorsByNumber('numbers', numbers, (n) => {
    const result = portabilityOf(n, facts)
    return result.portable ? null : result.reason
  })
  if (source && (await isCutShort(c, source, known))) errors['numbers'] = [cutShortError(source.numbers_count)]
  const unsigned = (await countUnsigned(c.tx, account_id)) + new Set(known).size
  return { ...errors, ...tooManyUnsigned('numbers', unsigned, config) }
}

/** Are these only the first numbers of a long order, as a list shows them? */
async function isCutShort(c: Context, source: store.OrderRow, numbers: readonly string[]): Promise<boolean> {
  const { listed_numbers } = limits
  if (source.numbers_count <= listed_numbers || numbers.length !== listed_numbers) return false
  const [listed_order] = await withFirstNumbers(c.tx, [source], listed_numbers)
  const listed = new Set(listed_order?.numbers.map(withPlus))
  return numbers.every((n) => listed.has(n))
}

const cutShortError = (count: number) =>
  `These are only the first ${limits.listed_numbers} of ${count} numbers, as a list shows them. Get the order itself to read them all.`

/** The order that the body is a copy of; null when it has no id, or the id of an order that is not on the account. */
async function sourceOf(c: Context, id: string | null): Promise<store.OrderRow | null> {
  const row = id === null || !/^\d{1,18}$/.test(id) ? undefined : await store.findOrder(c.tx, c.actor, id)
  return row ?? null
}

/** The secrets of a new order. A mask stands for the secret of the order that the body is a copy of. */
function secretsOf(
  c: Context,
  requested: { [K in keyof Secrets]?: string | undefined },
  source: store.OrderRow | null,
): { values: Secrets; errors: Record<string, string[]> } {
  const errors: Record<string, string[]> = {}
  const valueOf = (field: keyof Secrets) => {
    const value = requested[field] ?? ''
    if (!portOrders.isMask(value)) return value
    if (source && value === shownSecrets(source)[field]) return openSecrets(c, source)[field]
    errors[field] = [portOrders.formatErrors.mask]
    return ''
  }
  return { values: { pin: valueOf('pin'), last_4_ssn: valueOf('last_4_ssn') }, errors }
}

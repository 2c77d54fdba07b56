import type { portOrders } from '@demarc/client'
import { portabilityOf } from './portability.ts'
import type { NumberFacts, NumberKind, Portability, Portable } from './portability.ts'

/**
 * Splits a request into one order for each kind of number (local or toll-free), country and losing carrier, because these are
 * ported differently. The result does not depend on the order of the numbers, and every number has a disposition.
 */

export interface SplitOrder {
  kind: NumberKind
  /** Null for toll-free numbers. */
  country: 'US' | 'CA' | null
  /** The losing carrier. */
  carrier: string
  /** `+1` and ten digits, ascending, each once. */
  numbers: string[]
  /** Why these numbers are on one order. */
  reason: string
}

export interface Disposition {
  /** As in the request. */
  given: string
  number: string | null
  /** Index into `orders`; null when the number is on no order. */
  order: number | null
  reason: string
  /** Set when the number is on no order. */
  code: portOrders.RejectCode | null
}

export interface Split {
  orders: SplitOrder[]
  /** One per number, in the order of the request. */
  dispositions: Disposition[]
}

/** Splits the numbers of a request. `provider`: the losing carrier that the customer named. */
export function splitNumbers(texts: readonly string[], provider: string, facts: NumberFacts): Split {
  const results = texts.map((text) => ({ text, result: portabilityOf(text, facts) }))
  const portables = new Map<string, Portable>()
  for (const { result } of results) if (result.portable) portables.set(result.number, result)

  const groups = new Map<string, SplitOrder>()
  // normalizing carrier names is slow, so it is done once per spelling, not for each of 20,000 numbers
  const bySpelling = new Map<string, SplitOrder>()
  for (const number of [...portables.keys()].toSorted()) {
    const portable = portables.get(number)
    if (!portable) continue
    const spelling = `${portable.kind}/${portable.area?.country}/${portable.carrier}`
    const group = bySpelling.get(spelling) ?? groupFor(portable, provider, groups)
    group.numbers.push(portable.number)
    bySpelling.set(spelling, group)
  }
  const orders = [...groups.values()].toSorted(sequence(provider))
  return { orders, dispositions: dispositionsOf(results, orders) }
}

function groupFor(portable: Portable, provider: string, groups: Map<string, SplitOrder>): SplitOrder {
  const order = orderFor(portable, provider)
  const group = groups.get(keyOf(order)) ?? order
  groups.set(keyOf(order), group)
  return group
}

/** The order of every number of the request. */
function dispositionsOf(
  results: readonly { text: string; result: Portability }[],
  orders: readonly SplitOrder[],
): Disposition[] {
  const assignments = new Map<string, { order: number; reason: string }>()
  for (const [order, { numbers, reason }] of orders.entries())
    for (const number of numbers) assignments.set(number, { order, reason })
  const seen = new Set<string>()
  return results.map(({ text, result }) => {
    const { number } = result
    if (!result.portable) return { given: text, number, order: null, reason: result.reason, code: result.code }
    const assignment = assignments.get(result.number) ?? { order: null, reason: '' }
    const repeated = seen.has(result.number)
    seen.add(result.number)
    return {
      given: text,
      number,
      ...assignment,
      ...(repeated ? { reason: 'Listed more than once; counted once.' } : {}),
      code: null,
    }
  })
}

function orderFor({ kind, area, carrier: current }: Portable, provider: string): SplitOrder {
  const carrier = current === null || sameCarrier(current, provider) ? provider : current
  const country = area?.country ?? null
  const found = carrier === provider ? `with ${carrier}` : `with ${carrier}, not with ${provider}`
  return { kind, country, carrier, numbers: [], reason: `${kindWords(kind, country)} ${found.replace(/\.$/, '')}.` }
}

const kindWords = (kind: NumberKind, country: 'US' | 'CA' | null) =>
  kind === 'toll-free' ? 'Toll-free numbers' : `${country === 'CA' ? 'Canadian' : 'US'} local numbers`

const folded = (carrier: string) =>
  carrier
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\s.,]+/g, ' ')
    .trim()

/** Compares carrier names, ignoring case, spaces, commas and periods. */
export const sameCarrier = (a: string, b: string): boolean => folded(a) === folded(b)

const keyOf = (order: SplitOrder) => JSON.stringify([order.kind, order.country, folded(order.carrier)])

/** Local before toll-free, the US before Canada, the named carrier before others, then by name. Ignores the locale, so that the order is the same on every machine. */
function sequence(provider: string) {
  const rank = (o: SplitOrder) => [
    o.kind === 'local' ? '0' : '1',
    o.country === 'US' ? '0' : '1',
    sameCarrier(o.carrier, provider) ? '0' : '1',
    folded(o.carrier),
  ]
  return (a: SplitOrder, b: SplitOrder) => {
    const [left, right] = [rank(a), rank(b)]
    const at = left.findIndex((part, i) => part !== right[i])
    return at === -1 ? 0 : (left[at] ?? '') < (right[at] ?? '') ? -1 : 1
  }
}

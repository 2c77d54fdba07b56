import type { portOrders } from '@demarc/client'
import { portabilityOf } from './portability.ts'
import type { NumberFacts, NumberKind, Portability, Portable } from './portability.ts'

/**
 * One request becomes one order per combination of toll-free or local, country and losing carrier, because these are ported
 * differently. The same numbers give the same orders in any sequence, and every number has a disposition.
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
  /** Index into `orders`; null when the number is on none. */
  order: number | null
  reason: string
  /** Set when the number is on no order. */
  code: portOrders.RejectCode | null
}

export interface Split {
  orders: SplitOrder[]
  /** One per number of the request, in its sequence. */
  dispositions: Disposition[]
}

/** Splits the numbers of a request. `provider` is the losing carrier that the account holder named. */
export function splitNumbers(texts: readonly string[], provider: string, facts: NumberFacts): Split {
  const results = texts.map((text) => ({ text, result: portabilityOf(text, facts) }))
  const portables = new Map<string, Portable>()
  for (const { result } of results) if (result.portable) portables.set(result.number, result)

  const groups = new Map<string, SplitOrder>()
  // comparing names of carriers is slow, so it is done once for each spelling and not for each of 20,000 numbers
  const bySpelling = new Map<string, SplitOrder>()
  for (const portable of [...portables.values()].toSorted((a, b) => (a.number < b.number ? -1 : 1))) {
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
  const assignments = new Map(
    orders.flatMap(({ numbers, reason }, order) => numbers.map((n) => [n, { order, reason }] as const)),
  )
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
      ...(repeated ? { reason: 'Given more than once; counts once.' } : {}),
      code: null,
    }
  })
}

function orderFor({ kind, area, carrier: current }: Portable, provider: string): SplitOrder {
  const carrier = current === null || sameCarrier(current, provider) ? provider : current
  const country = area?.country ?? null
  const found = carrier === provider ? `of ${carrier}` : `that ${carrier} holds, not ${provider}`
  return { kind, country, carrier, numbers: [], reason: `${kindWords(kind, country)} ${found.replace(/\.$/, '')}.` }
}

const kindWords = (kind: NumberKind, country: 'US' | 'CA' | null) =>
  kind === 'toll-free' ? 'Toll-free numbers' : `Local numbers of ${country === 'CA' ? 'Canada' : 'the US'}`

const folded = (carrier: string) =>
  carrier
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\s.,]+/g, ' ')
    .trim()

/** Compares names of carriers without case, spaces, commas and full stops. */
export const sameCarrier = (a: string, b: string): boolean => folded(a) === folded(b)

const keyOf = (order: SplitOrder) => JSON.stringify([order.kind, order.country, folded(order.carrier)])

/** Local before toll-free, the US before Canada, the named carrier before others, then by name. Not by locale, so that the sequence is the same on every machine. */
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

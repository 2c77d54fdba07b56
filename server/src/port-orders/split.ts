import type { portOrders } from '@demarc/client'
import { portabilityOf } from './portability.ts'
import type { KnownNumbers, NumberKind, Portability, Portable } from './portability.ts'

/**
 * One request becomes one order for each way in which numbers are ported: toll-free or local, country, losing carrier.
 * The same numbers give the same orders whatever their sequence, and every number that was given is accounted for.
 */

export interface SplitOrder {
  kind: NumberKind
  /** Null for toll-free numbers. */
  country: 'US' | 'CA' | null
  /** The losing carrier. */
  carrier: string
  /** `+1` and ten digits, ascending, each once. */
  numbers: string[]
  /** Why these numbers stand together. */
  because: string
}

export interface Disposition {
  /** As it was given. */
  given: string
  number: string | null
  /** Index into `orders`; null when the number is on none. */
  order: number | null
  because: string
  /** Set when the number is on no order. */
  code: portOrders.RejectCode | null
}

export interface Split {
  orders: SplitOrder[]
  /** One for each number given, in the sequence given. */
  dispositions: Disposition[]
}

/** Splits the numbers of a request. `provider` is the losing carrier that the account holder named. Never fails and drops nothing. */
export function splitNumbers(given: readonly string[], provider: string, known: KnownNumbers): Split {
  const judged = given.map((text) => ({ text, judgement: portabilityOf(text, known) }))
  const kept = new Map<string, Portable>()
  for (const { judgement } of judged) if (judgement.portable) kept.set(judgement.number, judgement)

  const groups = new Map<string, SplitOrder>()
  for (const portable of [...kept.values()].toSorted((a, b) => (a.number < b.number ? -1 : 1))) {
    const order = orderFor(portable, provider)
    const group = groups.get(keyOf(order)) ?? order
    group.numbers.push(portable.number)
    groups.set(keyOf(order), group)
  }
  const orders = [...groups.values()].toSorted(sequence(provider))
  return { orders, dispositions: account(judged, orders) }
}

/** Says of every number given where it went. */
function account(
  judged: readonly { text: string; judgement: Portability }[],
  orders: readonly SplitOrder[],
): Disposition[] {
  const places = new Map(
    orders.flatMap(({ numbers, because }, order) => numbers.map((n) => [n, { order, because }] as const)),
  )
  const told = new Set<string>()
  return judged.map(({ text, judgement }) => {
    const { number } = judgement
    if (!judgement.portable)
      return { given: text, number, order: null, because: judgement.because, code: judgement.code }
    const place = places.get(judgement.number) ?? { order: null, because: '' }
    const again = told.has(judgement.number)
    told.add(judgement.number)
    return {
      given: text,
      number,
      ...place,
      ...(again ? { because: 'Given more than once; counts once.' } : {}),
      code: null,
    }
  })
}

function orderFor({ kind, area, carrier: known }: Portable, provider: string): SplitOrder {
  const carrier = known === null || sameCarrier(known, provider) ? provider : known
  const country = area?.country ?? null
  const found = carrier === provider ? `of ${carrier}` : `that ${carrier} holds, not ${provider}`
  return { kind, country, carrier, numbers: [], because: `${kindWords(kind, country)} ${found.replace(/\.$/, '')}.` }
}

const kindWords = (kind: NumberKind, country: 'US' | 'CA' | null) =>
  kind === 'toll-free' ? 'Toll-free numbers' : `Local numbers of ${country === 'CA' ? 'Canada' : 'the US'}`

const folded = (carrier: string) =>
  carrier
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\s.,]+/g, ' ')
    .trim()

/** The same carrier in another spelling: case, spaces, commas and full stops do not count. */
export const sameCarrier = (a: string, b: string): boolean => folded(a) === folded(b)

const keyOf = (order: SplitOrder) => JSON.stringify([order.kind, order.country, folded(order.carrier)])

/** Local before toll-free, the US before Canada, the named carrier before others, then by name. No locale: the same everywhere. */
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

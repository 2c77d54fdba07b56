import { takenNumbers } from '../numbers/index.ts'
import type { Executor } from '../platform/db.ts'
import type { LosingCarrier } from './carriers/carrier.ts'
import { valuesOnOrders } from './numbers-store.ts'
import { readNumber } from './portability.ts'
import type { NumberFacts } from './portability.ts'
import { withoutPlus, withPlus } from './rules.ts'

/**
 * Facts about numbers in any notation: whether they are on the network or on an open order other than `except`, and their
 * current carrier as far as the given carriers know it.
 */
export async function numberFacts(
  db: Executor,
  texts: readonly string[],
  carriers: readonly LosingCarrier[],
  except: string | null = null,
): Promise<NumberFacts> {
  const numbers = [...new Set(texts.map(readNumber).filter((n) => n !== null))]
  const values = numbers.map(withoutPlus)
  return {
    ours: new Set((await takenNumbers(db, values)).map(withPlus)),
    on_order: new Set((await valuesOnOrders(db, values, except)).map(withPlus)),
    holdings: new Map(carriers.flatMap((carrier) => [...carrier.holdings(numbers)])),
  }
}

/** The same without refusals by the losing carrier, which it gives only in response to an order. */
export const withoutRefusals = (facts: NumberFacts): NumberFacts => ({
  ...facts,
  holdings: new Map([...facts.holdings].filter(([, holding]) => holding.released)),
})

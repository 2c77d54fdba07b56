import { takenNumbers } from '../numbers/index.ts'
import type { Executor } from '../platform/db.ts'
import type { LosingCarrier } from './carriers/carrier.ts'
import { valuesOnOrders } from './numbers-store.ts'
import { readNumber } from './portability.ts'
import type { KnownNumbers } from './portability.ts'
import { withoutPlus, withPlus } from './rules.ts'

/**
 * What is known of numbers as somebody wrote them: whether they are on the network or on an open order other than
 * `except`, and what the carriers asked say of who holds them.
 */
export async function knownNumbers(
  db: Executor,
  given: readonly string[],
  carriers: readonly LosingCarrier[],
  except: string | null = null,
): Promise<KnownNumbers> {
  const numbers = [...new Set(given.map(readNumber).filter((n) => n !== null))]
  const values = numbers.map(withoutPlus)
  return {
    ours: new Set((await takenNumbers(db, values)).map(withPlus)),
    on_order: new Set((await valuesOnOrders(db, values, except)).map(withPlus)),
    holdings: new Map(carriers.flatMap((carrier) => [...carrier.holdings(numbers)])),
  }
}

/** The same without refusals by the losing carrier: whether it lets a number go is for it to say when it is asked. */
export const beforeAsking = (known: KnownNumbers): KnownNumbers => ({
  ...known,
  holdings: new Map([...known.holdings].filter(([, holding]) => holding.released)),
})

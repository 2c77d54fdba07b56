import { portOrders } from '@demarc/client'
import { numberHolders } from '../numbers/index.ts'
import type { Executor } from '../platform/db.ts'
import { ownTurn } from '../platform/turns.ts'
import type { LosingCarrier } from './carriers/carrier.ts'
import { findClaims, valuesOnOrders } from './numbers-store.ts'
import type { NumberFacts } from './portability.ts'
import { withoutPlus, withPlus } from './rules.ts'

export interface FactsFor {
  /** The account that orders the numbers; null for the operator, who can see all accounts. */
  account_id: string | null
  /** An order of the account to ignore: the one that has the numbers. */
  except?: string | null
}

/**
 * Facts about numbers in any notation: whether they are on the account or its open orders, whether they are on another account
 * or its signed orders, and their current carrier if one of the given carriers knows it.
 */
export async function numberFacts(
  db: Executor,
  texts: readonly string[],
  carriers: readonly LosingCarrier[],
  { account_id, except = null }: FactsFor,
): Promise<NumberFacts> {
  await ownTurn(texts.length)
  const numbers = [...new Set(texts.map(portOrders.readNumber).filter((n) => n !== null))]
  const values = numbers.map(withoutPlus)
  const holders = await numberHolders(db, values)
  const claims = await findClaims(db, values)
  const isOwn = (of: { account_id: string }) => account_id === null || of.account_id === account_id
  const numbersOf = (rows: readonly { value: string }[]) => rows.map((r) => withPlus(r.value))
  const on_order =
    account_id === null ? numbersOf(claims) : (await valuesOnOrders(db, values, account_id, except)).map(withPlus)
  return {
    ours: new Set(numbersOf(holders.filter(isOwn))),
    on_order: new Set(on_order),
    elsewhere: new Set(numbersOf([...holders, ...claims].filter((row) => !isOwn(row)))),
    holdings: new Map(carriers.flatMap((carrier) => [...carrier.holdings(numbers)])),
  }
}

/** The same without refusals by the losing carrier, which become known only when it responds to an order. */
export const withoutRefusals = (facts: NumberFacts): NumberFacts => ({
  ...facts,
  holdings: new Map([...facts.holdings].filter(([, holding]) => holding.released)),
})

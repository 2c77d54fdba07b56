import { businessDocuments } from '../order-documents/index.ts'
import type { Context } from '../platform/context.ts'
import { accountRules } from './check/account-rules.ts'
import { addressRules } from './check/address-rules.ts'
import type { CheckContext, CheckedOrder, Finding, Rule } from './check/finding.ts'
import { documentRules, numberRules } from './check/order-rules.ts'
import { businessHoursOf, carrierOf } from './dependencies.ts'
import type { PortOrderDependencies } from './dependencies.ts'
import { openSecrets } from './details.ts'
import { numberFacts, withoutRefusals } from './facts.ts'
import { withPlus } from './rules.ts'
import * as store from './store.ts'

/** All rules, in the order in which their findings are shown. */
const rules: readonly Rule[] = [...numberRules, ...accountRules, ...addressRules, ...documentRules]

/** All findings on an order; errors first. */
export function preflightCheck(order: CheckedOrder, context: CheckContext): Finding[] {
  const findings = rules.flatMap((rule) => rule(order, context))
  return [...findings.filter((f) => f.severity === 'error'), ...findings.filter((f) => f.severity === 'warning')]
}

/**
 * The findings of the preflight check on a stored order; errors first. Only the simulated carrier's refusals are known in
 * advance; without `refusals` they are ignored.
 */
export async function findingsOf(
  c: Context,
  dependencies: PortOrderDependencies,
  order: store.Order,
  { refusals }: { refusals: boolean },
): Promise<Finding[]> {
  const { account_id, id } = order
  const documents = (await businessDocuments(c.tx, account_id, [id])).get(id) ?? []
  const [signing] = await store.signingsOf(c.tx, [id])
  const numbers = order.numbers.map(withPlus)
  const carrier = carrierOf(dependencies, c.time_zone, order)
  const facts = await numberFacts(c.tx, numbers, [carrier], { account_id, except: id })
  return preflightCheck(
    { ...order, ...openSecrets(c, order), numbers, documents, loa_signed_at: signing?.signed_at ?? null },
    {
      now: c.clock.now(),
      ...businessHoursOf(c.time_zone, order.country),
      facts: refusals ? facts : withoutRefusals(facts),
      pin_form: carrier.pin_form,
    },
  )
}

import type { Context } from '../platform/context.ts'
import { preflightCheck, type Finding } from './check/preflight.ts'
import { businessHoursOf, carrierOf } from './dependencies.ts'
import type { PortOrderDependencies } from './dependencies.ts'
import { openSecrets } from './details.ts'
import { numberFacts, withoutRefusals } from './facts.ts'
import { withPlus } from './rules.ts'
import type * as store from './store.ts'
import { viewOf } from './view.ts'

/**
 * The findings of the preflight check on an order, errors first. What the losing carrier would refuse is known before only
 * of the simulated one; without `refusals` it is left aside.
 */
export async function findingsOf(
  c: Context,
  dependencies: PortOrderDependencies,
  row: store.OrderRow,
  { refusals }: { refusals: boolean },
): Promise<Finding[]> {
  const { numbers, documents, signing } = await viewOf(c.tx, row, false)
  const e164 = numbers.map(withPlus)
  const carrier = carrierOf(dependencies, c.time_zone, row)
  const facts = await numberFacts(c.tx, e164, [carrier], { account_id: row.account_id, except: row.id })
  return preflightCheck(
    {
      ...row,
      ...openSecrets(c, row),
      numbers: e164,
      documents,
      loa_signed_at: signing?.signed_at ?? null,
    },
    {
      now: c.clock.now(),
      ...businessHoursOf(c.time_zone, row.country),
      facts: refusals ? facts : withoutRefusals(facts),
      pin_form: carrier.pin_form,
    },
  )
}

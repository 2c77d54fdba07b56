import { operator, portOrders } from '@demarc/client'
import { keyUse } from '../accounts/index.ts'
import { countNumbersByAccount } from '../numbers/index.ts'
import { peopleByAccount } from '../people/index.ts'
import type { Context } from '../platform/context.ts'
import { timeText } from '../platform/clock.ts'
import { countOrdersByAccount } from '../port-orders/index.ts'

const most = operator.accountSummary_max
const { activeStatuses, nextSteps } = portOrders
const waiting = activeStatuses.filter((status) => nextSteps[status].who === 'operator')

/** What these accounts have, as the list of summaries shows it. */
export async function summariesOf({ tx, clock }: Context, accounts: readonly { id: string }[]) {
  const ids = accounts.map(({ id }) => id)
  // sequentially, because a transaction has one connection
  const numbers = await countNumbersByAccount(tx, ids, most)
  const open = await countOrdersByAccount(tx, ids, activeStatuses, most)
  const ours = await countOrdersByAccount(tx, ids, waiting, most)
  const people = await peopleByAccount(tx, ids)
  const keys = await keyUse(tx, ids, clock.now())
  return ({ id, name, created_at }: { id: string; name: string; created_at: Date }) => ({
    name,
    created_at: timeText(created_at),
    numbers_count: numbers.get(id) ?? 0,
    open_port_orders_count: open.get(id) ?? 0,
    waiting_port_orders_count: ours.get(id) ?? 0,
    people_count: people.get(id)?.people_count ?? 0,
    last_signed_in_at: timeText(people.get(id)?.last_signed_in_at ?? null),
    keys_count: keys.get(id)?.keys_count ?? 0,
    last_used_at: timeText(keys.get(id)?.last_used_at ?? null),
  })
}

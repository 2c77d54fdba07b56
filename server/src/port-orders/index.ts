import type { Context } from '../platform/context.ts'
import type { OrderRow } from './store.ts'
import { requireOrder } from './view.ts'

/** The public API of port orders. */
export { operatorTransition } from './actions.ts'
export { createOrders } from './create.ts'
export type { PortOrderDependencies } from './dependencies.ts'
export { addComment, changeOrder, editFiles, resubmitOrder } from './edits.ts'
export { ordersOfNumber } from './numbers-store.ts'
export { formOf, signLoa } from './signing.ts'
export { countOrdersByAccount, findOrder, searchOrders, type OrderRow } from './store.ts'

/** The order of a request for files. Throws 404 unless the actor can see it. */
export async function orderForFiles(c: Context, id: string): Promise<Pick<OrderRow, 'account_id' | 'id' | 'status'>> {
  const { account_id, status } = await requireOrder(c, id)
  return { account_id, id, status }
}

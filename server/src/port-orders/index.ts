import type { Context } from '../platform/context.ts'
import type { OrderRow } from './store.ts'
import { requireOrder } from './view.ts'

/** The door: port orders as the features below and the assembled service need them. */
export { editFiles } from './edits.ts'

/** The order that files are asked for. Throws 404 unless the actor can see it. */
export async function orderForFiles(c: Context, id: string): Promise<Pick<OrderRow, 'account_id' | 'id' | 'status'>> {
  const { account_id, status } = await requireOrder(c, id)
  return { account_id, id, status }
}

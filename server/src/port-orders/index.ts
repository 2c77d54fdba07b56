import type { Context } from '../platform/context.ts'
import type { OrderRow } from './store.ts'
import { requireOrder } from './view.ts'

/** The public API of port orders, for the features below and app.ts. */
export { editFiles } from './edits.ts'

/** The order of a request for files. Throws 404 unless the actor can see it. */
export async function orderForFiles(c: Context, id: string): Promise<Pick<OrderRow, 'account_id' | 'id' | 'status'>> {
  const { account_id, status } = await requireOrder(c, id)
  return { account_id, id, status }
}

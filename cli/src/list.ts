import type { Operation } from '@demarc/client'
import type { Context } from './context.ts'
import { itemOf } from './item.ts'
import type { Item } from './output.ts'
import { entries } from './send.ts'

export interface ListRequest {
  params: Item
  query: Item
  /** The most that one response has; null where there is no limit. */
  page_max: number | null
}

/** Where an operation has no limit of its own. */
const unlimited_page = 2000

/** Every item of a list, page by page as they are asked for; at most `count`. */
export async function* listItems(
  context: Context,
  operation: Operation,
  { params, query, page_max }: ListRequest,
  count = Number.POSITIVE_INFINITY,
): AsyncGenerator<Item> {
  const limit = Math.min(page_max ?? unlimited_page, count)
  let left = count
  for await (const entry of entries(context, operation, { params, query: { ...query, limit } })) {
    yield itemOf(entry)
    if (--left === 0) return
  }
}

import type { Operation } from '@demarc/client'
import type { Context } from './context.ts'
import { itemOf } from './item.ts'
import type { Item } from './output.ts'
import { entries } from './send.ts'

export interface ListRequest {
  params: Item
  query: Item
  /** The most entries in one response; null if there is no limit. */
  page_max: number | null
}

/** For operations without their own limit. */
const unlimited_page = 2000

/** Every item of a list, fetched page by page; at most `count`. */
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

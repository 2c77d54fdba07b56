import type { Operation } from '@demarc/client'
import type { Context } from './context.ts'
import { isObject, itemsOf } from './item.ts'
import type { Item } from './output.ts'
import { send } from './send.ts'

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
  let offset = Number(query['offset'] ?? 0)
  for (let left = count; left > 0;) {
    const limit = Math.min(page_max ?? unlimited_page, left)
    const body = await send(context, operation, { params, query: { ...query, limit, offset } })
    const items = itemsOf(body)
    yield* items.slice(0, left)
    left -= items.length
    offset += items.length
    const links = isObject(body) ? body['links'] : undefined
    if (items.length === 0 || !isObject(links) || links['next'] === undefined) return
  }
}

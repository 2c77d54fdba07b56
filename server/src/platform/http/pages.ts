/** One page of a list: the requested limit and offset, and what to fetch. Fetches one extra row to detect whether more remain. */
export interface Page {
  limit: number
  offset: number
  fetch: { limit: number; offset: number }
}

/** Reads limit and offset from a parsed query. */
export function pageOf(query: { limit?: number | undefined; offset?: number | undefined }, fallback: number): Page {
  const limit = query.limit ?? fallback
  const offset = query.offset ?? 0
  return { limit, offset, fetch: { limit: limit + 1, offset } }
}

/**
 * Builds `{data, links}` from rows fetched with `page.fetch`. `self` is the query as applied; `next` is present only if more
 * rows remain.
 */
export function paged<T>(
  self: string,
  page: Page,
  fetched: readonly T[],
): { data: T[]; links: { self: string; next?: string } } {
  const more = fetched.length > page.limit
  return {
    data: fetched.slice(0, page.limit),
    links: pageLinks(self, page, more),
  }
}

/** The list's URL with this limit and offset, and that of the next page if there is more. */
export function pageLinks(
  self: string,
  { limit, offset }: { limit: number; offset: number },
  more: boolean,
): { self: string; next?: string } {
  const url = new URL(self)
  const linkAt = (from: number) => {
    url.searchParams.set('limit', String(limit))
    url.searchParams.set('offset', String(from))
    return url.toString()
  }
  return { self: linkAt(offset), ...(more ? { next: linkAt(offset + limit) } : {}) }
}

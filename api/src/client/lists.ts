import type { Endpoint } from './endpoint.ts'
import type { LooseInput, RequestOptions } from './options.ts'
import type { ClientResponse } from './request.ts'

/** Every list takes a page as large as this. */
const page_size = 200

/** Sends one request of a list. */
type SendPage = (input: LooseInput, options: RequestOptions) => Promise<ClientResponse<unknown>>

/** What a list responds with, as its shape declares. */
interface Page {
  data: readonly unknown[]
  links?: { next?: string }
}

/** The entries of a list, page after page, each page requested when it is needed. `limit` of the query is the size of a page. */
export async function* entriesOf(
  endpoint: Endpoint,
  sendPage: SendPage,
  input: LooseInput = {},
  options: RequestOptions = {},
): AsyncGenerator<unknown, void, undefined> {
  let query = { ...(endpoint.traits.has('paged') ? { limit: page_size } : {}), ...input.query }
  for (;;) {
    const { data, links } = asPage((await sendPage({ ...input, query }, options)).body)
    yield* data
    if (links?.next === undefined) return
    // only the query: the link's host is the service's public one, which may not be how this client reaches it
    query = Object.fromEntries(new URL(links.next).searchParams)
  }
}

/** Only methods whose shape is a list have `all`, as ListMethod says. */
const asPage = (body: unknown) => body as Page

import type { Endpoint } from './endpoint.ts'
import type { LooseInput, RequestOptions } from './options.ts'
import type { ClientResponse } from './request.ts'

/** The largest page that every list allows. */
const page_size = 200

/** Sends one request for a list. */
type SendPage = (input: LooseInput, options: RequestOptions) => Promise<ClientResponse<unknown>>

/** A list's response, according to its schema. */
interface Page {
  data: readonly unknown[]
  links?: { next?: string }
}

/** Iterates over the entries of a list and requests each page when it is needed. The query's `limit` is the page size. */
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
    // only the query: the link has the service's public host, and this client may use another
    query = Object.fromEntries(new URL(links.next).searchParams)
  }
}

/** Only methods whose shape is a list have `all`, as ListMethod says. */
const asPage = (body: unknown) => body as Page

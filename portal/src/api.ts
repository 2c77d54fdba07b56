import {
  ConnectionError,
  createDemarcClient,
  CsrfTokenRequiredError,
  DemarcError,
  requestPath,
  UnauthorizedError,
  type ClientOptions,
  type ClientResponse,
  type DemarcClient,
  type Entry,
} from '@demarc/client/light'
import type { Operations, RequestInput, ResponseBody } from '@demarc/client'
import { keepPreviousData, QueryClient, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { accountOfUrl } from './search.ts'
import { sessionKey, signInAgain, type Session } from './session.ts'
import type { Refusal } from './ui/problem.tsx'

/** How pages reach the service: operations by their names, by the session of the person who is signed in. */

/** The most that lists give at once. */
const page_size = 200

type Id = keyof Operations
/** Operations that change nothing, some of which are sent as POST. */
type Read = { [K in Id]: Operations[K]['effect'] extends 'read' ? K : never }[Id]
type Input<K extends Id> = RequestInput<Operations[K]>
/** The response of an operation. */
export type Body<K extends Id> = ClientResponse<ResponseBody<Operations[K]>>['body']
type Given<K extends Id> = Record<string, never> extends Input<K> ? [input?: Input<K>] : [input: Input<K>]

/** How long after a read that had no response it is sent again. */
const retry_away_ms = 3_000

export const queries = new QueryClient({
  defaultOptions: {
    // the client sends again what may be sent again
    queries: {
      retry: false,
      staleTime: 15_000,
      refetchOnWindowFocus: true,
      refetchOnReconnect: true,
      networkMode: 'always',
      // a page goes on by itself when the service is back
      refetchInterval: ({ state }) => state.error instanceof ConnectionError && retry_away_ms,
    },
    mutations: { retry: false, networkMode: 'always' },
  },
})

const session = () => queries.getQueryData<Session | null>(sessionKey) ?? null

/** The account that is seen: that of the URL, otherwise the person's first. Null: the operator's own side. */
export const seenAccount = (): string | null => accountOfUrl() ?? session()?.memberships[0]?.account_id ?? null

let client: DemarcClient | null = null

/** Made when it is first used, because what reads the map of routes without a browser has no location. */
const connected = () => (client ??= clientWith())

/** A client by the session of the person, for what needs a `fetch` of its own. */
export const clientWith = (
  options: Pick<ClientOptions, 'fetch'> = {},
  account_id: () => string | null = seenAccount,
): DemarcClient =>
  createDemarcClient({
    base_url: location.origin,
    session: { csrf_token: () => session()?.csrf_token ?? null, account_id },
    ...options,
  })

/** What a read returns, for useQuery and for loaders: `useQuery(q('listNumbers', { query: { limit: 50 } }))`. */
export const q = <K extends Read>(operation: K, ...[input]: Given<K>) =>
  queryOptions({
    queryKey: [operation, seenAccount(), input ?? null],
    queryFn: ({ signal }) => request(operation, input, signal),
  })

/** The same for an account whichever is seen, by one of the operator's people; null: for the operator itself. */
export const qAs = <K extends Read>(account_id: string | null, operation: K, ...[input]: Given<K>) =>
  queryOptions({
    queryKey: [operation, account_id, input ?? null],
    queryFn: ({ signal }) =>
      withSession(() =>
        sendOnce(
          operation,
          input,
          signal,
          clientWith({}, () => account_id),
        ),
      ),
  })

/** The same for a list that is filtered or paged: what was shown stays until the next page is there. */
export const qList = <K extends Read>(operation: K, ...given: Given<K>) => ({
  ...q(operation, ...given),
  placeholderData: keepPreviousData<Body<K>>,
})

/** A change. When it is done, everything that is on the page is asked for again. */
export const useChange = <K extends Id>(operation: K) =>
  useChangeBy<Input<K>, Body<K>>((input) => request(operation, input))

/** The same for a change that is more, or other, than one operation. */
export function useChangeBy<I, R>(send: (input: I) => Promise<R>) {
  const cache = useQueryClient()
  return useMutation<R, Error, I>({ mutationFn: send, onSuccess: () => cache.invalidateQueries() })
}

/** Sends an operation outside of a page's rendering, again where the session has expired meanwhile. */
export const request = <K extends Id>(operation: K, input?: Input<K>, signal?: AbortSignal): Promise<Body<K>> =>
  withSession(() => sendOnce(operation, input, signal))

/**
 * Sends something. A session that has expired is renewed by a dialog over the page, and it is then sent again: nothing that was
 * typed is lost.
 */
export async function withSession<T>(send: () => Promise<T>): Promise<T> {
  try {
    return await send()
  } catch (error) {
    if (error instanceof UnauthorizedError) await signInAgain()
    // another tab has signed in since
    else if (error instanceof CsrfTokenRequiredError) await queries.refetchQueries({ queryKey: sessionKey })
    else throw error
    return await send()
  }
}

type Listed<K extends Id> = Entry<Operations[K]>
type List = { [K in Read]: [Listed<K>] extends [never] ? never : K }[Read]

/** Every entry of a list, page after page. */
export async function everything<K extends List>(
  operation: K,
  input: Input<K>,
  signal?: AbortSignal,
): Promise<Listed<K>[]> {
  const all: Listed<K>[] = []
  for (;;) {
    const query = { ...input.query, limit: page_size, offset: all.length }
    // the entries of a list are what its type says
    const { data } = (await request(operation, { ...input, query }, signal)) as unknown as {
      data: Listed<K>[]
    }
    all.push(...data)
    if (data.length < page_size) return all
  }
}

/** Reads what is at a path that no operation has. */
export const readPath = async (path: string, signal?: AbortSignal): Promise<unknown> =>
  (await requestPath({ base_url: location.origin }, 'GET', path, {}, signal === undefined ? {} : { signal })).body

/** Sends an operation, and leaves a session that has expired to the one who asks. */
export async function sendOnce<K extends Id>(
  operation: K,
  input?: Input<K>,
  signal?: AbortSignal,
  client = connected(),
): Promise<Body<K>> {
  const { body } = await methodOf(client, operation)(input, signal === undefined ? {} : { signal })
  return body
}

type Send<K extends Id> = (
  input: Input<K> | undefined,
  options: { signal?: AbortSignal },
) => Promise<ClientResponse<ResponseBody<Operations[K]>>>

/** The method of an operation takes its input and returns its response, which TypeScript cannot follow through a type parameter. */
const methodOf = <K extends Id>(client: DemarcClient, operation: K) => client[operation] as unknown as Send<K>

/** An error as a refusal that a page shows, in the API's own words. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof DemarcError)
    return {
      title: error.errors[0]?.title ?? titleOf(error),
      findings: error.findings,
      remedy: error.remedy,
      request_id: error.request_id,
    }
  if (error instanceof ConnectionError)
    return {
      title: 'The service does not respond.',
      findings: [],
      remedy: 'What you typed is still here. Check your connection, and try again.',
      request_id: null,
    }
  return { title: 'Something in this page went wrong.', findings: [], remedy: 'Load the page again.', request_id: null }
}

/** Refusals of single fields have no title of their own. */
const titleOf = ({ findings, status }: DemarcError): string =>
  findings.some(({ field }) => field !== null)
    ? 'Something here cannot be accepted as it is.'
    : `The service refused this with status ${status}.`

/** What is wrong with a field, by its name in the body; null when nothing is. */
export function fieldError(error: unknown, field: string): string | null {
  if (!(error instanceof DemarcError)) return null
  const messages = error.findings.filter((each) => each.field === field).map(({ message }) => message)
  return messages.length === 0 ? null : messages.join(' ')
}

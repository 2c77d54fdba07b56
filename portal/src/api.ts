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
import {
  keepPreviousData,
  QueryClient,
  queryOptions,
  useMutation,
  useQuery,
  useQueryClient,
  type UseMutationResult,
  type UseQueryOptions,
} from '@tanstack/react-query'
import { keepChangeKeys } from './change-keys.ts'
import { accountOfUrl } from './search.ts'
import { sessionKey, signInAgain, type Session } from './session.ts'
import type { Refusal } from './ui/problem.tsx'

/** How pages call the service: operations by name, with the session of the signed-in person. */

/** Sends a request as it was typed; `authorization` is null for the session. Any status is a response. */
export const sendTyped = (url: URL, init: RequestInit, authorization: string | null): Promise<Response> =>
  fetch(url, {
    ...init,
    credentials: authorization === null ? 'same-origin' : 'omit',
    headers: { ...init.headers, ...(authorization === null ? sessionHeaders() : { authorization }) },
  })

function sessionHeaders(): Record<string, string> {
  const [token, account] = [session()?.csrf_token, seenAccount()]
  return { ...(token && { 'demarc-csrf': token }), ...(account !== null && { 'demarc-account': account }) }
}

/** The largest page the API's lists return. */
const page_size = 200

type Id = keyof Operations
/** Read-only operations, some of which are POST requests. */
type Read = { [K in Id]: Operations[K]['effect'] extends 'read' ? K : never }[Id]
type Input<K extends Id> = RequestInput<Operations[K]>
/** The response of an operation. */
export type Body<K extends Id> = ClientResponse<ResponseBody<Operations[K]>>['body']
type OperationArgs<K extends Id> = Record<string, never> extends Input<K> ? [input?: Input<K>] : [input: Input<K>]

/** Delay before a read that got no response is retried. */
const retry_away_ms = 3_000

export const queries = new QueryClient({
  defaultOptions: {
    // the client itself retries what is safe to retry
    queries: {
      retry: false,
      staleTime: 15_000,
      refetchOnWindowFocus: true,
      refetchOnReconnect: true,
      networkMode: 'always',
      // pages recover on their own when the service is back
      refetchInterval: ({ state }) => state.error instanceof ConnectionError && retry_away_ms,
    },
    mutations: { retry: false, networkMode: 'always' },
  },
})

const session = () => queries.getQueryData<Session | null>(sessionKey) ?? null

/** The account in view: the URL's, otherwise the person's first. Null for the operator's own pages. */
export const seenAccount = (): string | null => accountOfUrl() ?? session()?.memberships[0]?.account_id ?? null

let client: DemarcClient | null = null

/** Created on first use, because `location` does not exist where tests read the route map. */
const connected = () => (client ??= clientWith())

/** A change that a person sends again after an unknown outcome takes effect once. */
const keepingKey = keepChangeKeys()

/** A client that uses the person's session, for callers that need a custom `fetch`. */
export const clientWith = (
  options: Pick<ClientOptions, 'fetch'> = {},
  account_id: () => string | null = seenAccount,
): DemarcClient =>
  createDemarcClient({
    base_url: location.origin,
    session: { csrf_token: () => session()?.csrf_token ?? null, account_id },
    fetch: keepingKey(options.fetch ?? fetch.bind(globalThis)),
  })

/** Query options of a read, for useQuery and loaders: `useQuery(q('listNumbers', { query: { limit: 50 } }))`. */
export const q = <K extends Read>(operation: K, ...[input]: OperationArgs<K>) => queryOptions(queryOf(operation, input))

/** The same for a given account, used by the operator's staff; null for the operator itself. */
export const qAs = <K extends Read>(account_id: string | null, operation: K, ...[input]: OperationArgs<K>) =>
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

type ReadOptions<K extends Id> = Partial<
  Pick<UseQueryOptions<Body<K>>, 'enabled' | 'gcTime' | 'refetchInterval' | 'staleTime'>
>

/** Reads an operation in a component. */
export const useRead = <K extends Read>(operation: K, input?: Input<K>, options: ReadOptions<K> = {}) =>
  useQuery<Body<K>>({ ...queryOf(operation, input), ...options })

/** The same for a filtered or paged list: the current rows stay until the next page arrives. */
export const useList = <K extends Read>(operation: K, input?: Input<K>, options: ReadOptions<K> = {}) =>
  useQuery<Body<K>>({ ...queryOf(operation, input), placeholderData: keepPreviousData, ...options })

const queryOf = <K extends Read>(operation: K, input?: Input<K>) => ({
  queryKey: [operation, seenAccount(), input ?? null],
  queryFn: ({ signal }: { signal: AbortSignal }) => request(operation, input, signal),
})

/** A mutation. When it finishes, every query on the page refetches; then `onDone` is called, unless its component is gone. */
export const useChange = <K extends Id>(operation: K, onDone?: (body: Body<K>) => void) =>
  useChangeBy<Input<K>, Body<K>>((input) => request(operation, input), onDone)

/** The same for a change made of anything but a single operation. */
export function useChangeBy<I, R>(
  send: (input: I) => Promise<R>,
  onDone?: (result: R) => void,
): UseMutationResult<R, Error, I> {
  const cache = useQueryClient()
  const change = useMutation<R, Error, I>({ mutationFn: send, onSuccess: () => cache.invalidateQueries() })
  if (onDone === undefined) return change
  return { ...change, mutate: (...[input]) => change.mutate(present(input), { onSuccess: onDone }) }
}

/** Safe because the input of a change is never optional, although the type of `mutate` allows that. */
const present = <I>(input: I | undefined): I => input as I

/** Sends an operation outside of rendering, and again if the session had expired. */
export const request = <K extends Id>(operation: K, input?: Input<K>, signal?: AbortSignal): Promise<Body<K>> =>
  withSession(() => sendOnce(operation, input, signal))

/** The same with the headers of the response. */
export const requestWithHeaders = <K extends Id>(operation: K, input?: Input<K>, signal?: AbortSignal) =>
  withSession(() => methodOf(connected(), operation)(input, signal === undefined ? {} : { signal }))

/** Sends a request. If the session has expired, a dialog renews it and the request is sent again, so no input is lost. */
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

/** All entries of a list, page by page. */
export async function everything<K extends List>(operation: K, input: Input<K>): Promise<Listed<K>[]> {
  const all: Listed<K>[] = []
  for (;;) {
    const query = { ...input.query, limit: page_size, offset: all.length }
    // the client has checked the entries against the operation's type
    const { data } = (await request(operation, { ...input, query })) as unknown as {
      data: Listed<K>[]
    }
    all.push(...data)
    if (data.length < page_size) return all
  }
}

/** Reads a path that belongs to no operation. */
export const readPath = async (path: string, signal?: AbortSignal): Promise<unknown> =>
  (await requestPath({ base_url: location.origin }, 'GET', path, {}, signal === undefined ? {} : { signal })).body

/** Sends an operation; the caller handles an expired session. */
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

/** TypeScript cannot follow an operation's input and response through a type parameter, hence the cast. */
const methodOf = <K extends Id>(client: DemarcClient, operation: K) => client[operation] as unknown as Send<K>

/** Converts an error to the refusal a page shows, in the API's words. */
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
      title: 'The service isn’t responding.',
      findings: [],
      remedy: 'Your input is still here. Check your connection, then try again.',
      request_id: null,
    }
  return { title: 'Something went wrong on this page.', findings: [], remedy: 'Reload the page.', request_id: null }
}

/** Field errors carry no title. */
const titleOf = ({ findings, status }: DemarcError): string =>
  findings.some(({ field }) => field !== null)
    ? 'Some fields need correction.'
    : `The service refused this request with status ${status}.`

/** Whether these fields show the error. */
export const isShownAt = (fields: readonly string[], error: unknown): boolean =>
  fields.some((field) => fieldError(error, field) !== null)

/** The error of a field, by its name in the body; null if it has none. */
export function fieldError(error: unknown, field: string): string | null {
  if (!(error instanceof DemarcError)) return null
  const messages = error.findings.filter((each) => each.field === field).map(({ message }) => message)
  return messages.length === 0 ? null : messages.join(' ')
}

import type { Operation, RequestInput, ResponseBody } from '../operation.ts'
import { endpointOf, type Endpoint } from './endpoint.ts'
import { entriesOf } from './lists.ts'
import type { ClientOptions, LooseInput, RequestOptions } from './options.ts'
import { send, type ClientResponse } from './request.ts'

type Arguments<O extends Operation> =
  Record<string, never> extends RequestInput<O>
    ? [input?: RequestInput<O>, options?: RequestOptions]
    : [input: RequestInput<O>, options?: RequestOptions]

/** An entry of an operation's list response; `never` if the response isn't a list. */
export type Entry<O extends Operation> = O['method'] extends 'GET'
  ? ResponseBody<O> extends { data: readonly (infer E)[] }
    ? E
    : never
  : never

/** A method of the client. */
export type Method<O extends Operation> = (...args: Arguments<O>) => Promise<ClientResponse<ResponseBody<O>>>

/** A method for a list. */
export interface ListMethod<O extends Operation> extends Method<O> {
  /** Iterates over every entry and fetches pages as needed: `for await (const number of client.listNumbers.all()) …`. */
  all(...args: Arguments<O>): AsyncGenerator<Entry<O>, void, undefined>
}

/** One method per operation. */
export type Client<Ops extends Record<string, Operation>> = {
  [K in keyof Ops]: [Entry<Ops[K]>] extends [never] ? Method<Ops[K]> : ListMethod<Ops[K]>
}

/**
 * A client with one method per operation. A method throws DemarcError for any response other than 2xx, ConnectionError if there
 * is no response, and the signal's reason if it is aborted.
 */
export const createClient = <Ops extends Record<string, Operation>>(
  operations: Ops,
  options: ClientOptions,
): Client<Ops> =>
  asClient<Ops>(
    methodsOf(Object.fromEntries(Object.entries(operations).map(([name, each]) => [name, endpointOf(each)])), options),
  )

/** Each method comes from the endpoint of the operation with its name, as the type says. */
export const asClient = <Ops extends Record<string, Operation>>(methods: Record<string, unknown>) =>
  methods as Client<Ops>

/** The methods of these endpoints, by name. */
export const methodsOf = (endpoints: Readonly<Record<string, Endpoint>>, options: ClientOptions) =>
  Object.fromEntries(Object.entries(endpoints).map(([name, endpoint]) => [name, methodOf(endpoint, options)]))

function methodOf(endpoint: Endpoint, options: ClientOptions) {
  const method = (input: LooseInput = {}, request: RequestOptions = {}) => send(endpoint, input, options, request)
  if (endpoint.method !== 'GET') return method
  const all = (input?: LooseInput, request?: RequestOptions) => entriesOf(endpoint, method, input, request)
  return Object.assign(method, { all })
}

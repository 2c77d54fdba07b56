import type { Operation } from '../operation.ts'
import type { Operations } from '../operations.ts'
import { asClient, methodsOf, type Client } from './create.ts'
import { endpointIn, type Endpoint } from './endpoint.ts'
import { endpoints } from './endpoints.ts'
import type { ClientOptions, LooseInput, RequestOptions } from './options.ts'
import { send, type ClientResponse } from './request.ts'

/** The client for the whole API. */
export type DemarcClient = Client<Operations>

const all = () => Object.entries(endpoints).map(([id, line]) => endpointIn(id, line))

/** A client with one method per operation: see `createClient`. */
export const createDemarcClient = (options: ClientOptions): DemarcClient =>
  asClient<Operations>(methodsOf(Object.fromEntries(all().map((endpoint) => [endpoint.id, endpoint])), options))

/** The method and path needed to send the operation with this name. */
export const endpointNamed = (id: keyof Operations): Endpoint => endpointIn(id, endpoints[id])

/**
 * Sends a request to a path given as text, such as `/v2/numbers?limit=1`, for programs that don't know the operation
 * beforehand. Errors and retries are those of the operation. Returns the Response for a file, and JSON or undefined otherwise.
 * Throws TypeError if the path doesn't begin with a slash.
 */
export async function requestPath(
  options: ClientOptions,
  method: Operation['method'],
  path: string,
  input: Pick<LooseInput, 'body' | 'content_type' | 'content_encoding' | 'query'> = {},
  request: RequestOptions = {},
): Promise<ClientResponse<unknown>> {
  // the text would extend the host name, and the key would go to that host
  if (!path.startsWith('/')) throw new TypeError(`The path must begin with a slash, and is ${path}.`)
  return send({ ...endpointAt(method, path), path }, input, options, request)
}

function endpointAt(method: Operation['method'], path: string): Endpoint {
  const [plain = ''] = path.split('?')
  const matching = all().filter((each) => each.method === method && patternOf(each.path).test(plain))
  // a literal path goes before one with parameters
  const known = matching.find((each) => !each.path.includes('{')) ?? matching[0]
  const safe = method === 'GET' || method === 'PUT' || method === 'DELETE'
  return known ?? { id: `${method} ${plain}`, method, path, media: 'json', traits: new Set(safe ? ['repeatable'] : []) }
}

const patternOf = (path: string) => new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`)

import type { DemarcClient, Operation } from '@demarc/client'
import type { Context } from './context.ts'
import type { Item } from './output.ts'

/** Sends operations that are known only by their declaration. */

export interface OperationRequest {
  params: Item
  query: Item
  body?: unknown
  /** For a body that is a file. */
  content_type?: string
}

type Arguments = [input: OperationRequest, options: { signal: AbortSignal }]
interface Method {
  (...args: Arguments): Promise<Response>
  /** For a list. */
  all?: (...args: Arguments) => AsyncIterable<unknown>
}

interface Response {
  body: unknown
  headers: Headers
}

/** The client has a method for each operation id; these types don't know which. */
function methodOf(client: DemarcClient, operation: Operation): Method {
  const method = (client as unknown as Readonly<Record<string, Method | undefined>>)[operation.id]
  if (!method) throw new Error(`The client has no operation ${operation.id}.`)
  return method
}

/** Sends a request and returns the body of the response. */
export async function send(context: Context, operation: Operation, request: OperationRequest): Promise<unknown> {
  return (await sendForHeaders(context, operation, request)).body
}

/** The same with the headers. */
export async function sendForHeaders(
  context: Context,
  operation: Operation,
  request: OperationRequest,
): Promise<Response> {
  const method = methodOf(await context.client(), operation)
  return await method(request, { signal: context.signal })
}

/** Every entry of a list, fetched page by page. The query's `limit` is the page size. */
export async function* entries(context: Context, operation: Operation, request: OperationRequest): AsyncGenerator {
  const { all } = methodOf(await context.client(), operation)
  if (!all) throw new Error(`${operation.id} is not a list.`)
  yield* all(request, { signal: context.signal })
}

import type { DemarcClient, Operation } from '@demarc/client'
import type { Context } from './context.ts'
import type { Item } from './output.ts'

/** Requests of operations that are known by their declaration only. */

export interface OperationRequest {
  params: Item
  query: Item
  body?: unknown
  /** Of a body that is a file. */
  content_type?: string
}

type Arguments = [input: OperationRequest, options: { signal: AbortSignal }]
interface Method {
  (...args: Arguments): Promise<{ body: unknown }>
  /** Of a list. */
  all?: (...args: Arguments) => AsyncIterable<unknown>
}

/** The client has a method for the id of each operation; which one it is, is not known to the types here. */
function methodOf(client: DemarcClient, operation: Operation): Method {
  const method = (client as unknown as Readonly<Record<string, Method | undefined>>)[operation.id]
  if (!method) throw new Error(`The client has no operation ${operation.id}.`)
  return method
}

/** Sends a request and returns the body of the response. */
export async function send(context: Context, operation: Operation, request: OperationRequest): Promise<unknown> {
  const method = methodOf(await context.client(), operation)
  return (await method(request, { signal: context.signal })).body
}

/** Every entry of a list, page by page as they are asked for; `limit` of the query is the size of a page. */
export async function* entries(context: Context, operation: Operation, request: OperationRequest): AsyncGenerator {
  const { all } = methodOf(await context.client(), operation)
  if (!all) throw new Error(`${operation.id} is no list.`)
  yield* all(request, { signal: context.signal })
}

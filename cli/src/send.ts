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

type Method = (input: OperationRequest, options: { signal: AbortSignal }) => Promise<{ body: unknown }>

/** The client has a method for the id of each operation; which one it is, is not known to the types here. */
const methodOf = (client: DemarcClient, operation: Operation): Method | undefined =>
  (client as unknown as Readonly<Record<string, Method | undefined>>)[operation.id]

/** Sends a request and returns the body of the response. */
export async function send(context: Context, operation: Operation, request: OperationRequest): Promise<unknown> {
  const method = methodOf(await context.client(), operation)
  if (!method) throw new Error(`The client has no operation ${operation.id}.`)
  return (await method(request, { signal: context.signal })).body
}

import type { Readable } from 'node:stream'
import type { IncomingHttpHeaders } from 'node:http'
import { mediaTypes, type ResponseBody, type Body, type Operation, type Params, type Query } from '@demarc/client'
import type { Context, Deps, WriteContext } from '../context.ts'

/** A validated request: its context with the actor, and its parsed input. */
export interface OperationRequest<O extends Operation> {
  /** In an operation with `effect: 'transaction'`, `tx` is the transaction that the effect commits in. */
  context: O['effect'] extends 'transaction' ? WriteContext : Context
  params: Params<O>
  query: Query<O>
  body: Body<O>
  /** The raw body, for operations that take bytes. */
  stream: Readable
  headers: IncomingHttpHeaders
  remote_ip: string
  /** The absolute URL of the request: `links.self`. */
  self: string
}

/** JSON of the declared shape, or a stream of bytes. */
export type OperationResponse<O extends Operation> =
  | {
      status?: keyof O['responses'] & number
      body: ResponseBody<O> extends 'bytes' ? never : Exclude<ResponseBody<O>, 'bytes'>
      headers?: Record<string, string>
    }
  | {
      status?: keyof O['responses'] & number
      stream: Readable | Buffer | string
      content_type?: string
      headers?: Record<string, string>
    }

/** A request whose body is not settled yet. */
export type Unsettled<O extends Operation> = Omit<OperationRequest<O>, 'body' | 'stream'>

/** Attributes that are valid by themselves; invalid entries of a list are undefined. */
export type Valid<B> = {
  [K in keyof B]?: B[K] extends readonly (infer E)[] | undefined ? readonly (E | undefined)[] : B[K]
}

/** What a body is checked against besides its shape. */
export interface BodyChecks<O extends Operation> {
  /** Attributes as the object shows them now, by its id; null when there is none. Needed where a body may repeat read-only attributes. */
  current?: (request: Unsettled<O>, id: string) => Promise<Readonly<Record<string, unknown>> | null>
  /**
   * What the action would refuse, found in the attributes that are valid by themselves: called when something else of the
   * body is refused, so that every failing field is told at once. May throw 422 instead; any other problem counts as none.
   */
  check?: (
    request: Unsettled<O>,
    valid: Valid<NonNullable<Body<O>>>,
  ) => Promise<Readonly<Record<string, string[]>> | void>
}

/** The same as the platform calls it. */
export interface UntypedChecks {
  current?: (request: OperationRequest<Operation>, id: string) => Promise<Readonly<Record<string, unknown>> | null>
  check?: (
    request: OperationRequest<Operation>,
    valid: Readonly<Record<string, unknown>>,
  ) => Promise<Readonly<Record<string, string[]>> | void>
}

export type Handler<O extends Operation> = (request: OperationRequest<O>) => Promise<OperationResponse<O>>

/** An operation with its handler, and what can be derived from the declaration once. */
export interface Binding {
  operation: Operation
  /** What must not happen inside a transaction, before it: remote calls, uploads. Its result is handed to `handle`. */
  prepare?: (request: OperationRequest<Operation>) => Promise<unknown>
  handle: (request: OperationRequest<Operation>, prepared?: unknown) => Promise<OperationResponse<Operation>>
  checks: UntypedChecks
  /** Status of a successful response unless the handler gives another: the first declared one. */
  status: number
  /** The types that an Accept header may name. */
  accepts: ReadonlySet<string>
}

/** Binds an operation to its handler: one line each in a feature's `routes.ts`. */
export const bind = <const O extends Operation>(
  operation: O,
  handle: Handler<O>,
  checks: BodyChecks<O> = {},
): Binding => ({ ...derived(operation), handle, checks: ofAnyOperation(checks) })

/**
 * The same for an operation with `effect: 'transaction'` of which a part may not be in the transaction, because it waits for
 * somebody else: `prepare` runs before, outside, and what it gives is handed to `handle`. It must leave nothing behind that
 * a customer sees: the transaction may fail, or another request may be ahead of it.
 */
export const bindPrepared = <const O extends Operation & { effect: 'transaction' }, P>(
  operation: O,
  prepare: (request: OperationRequest<O> & { context: Context }) => Promise<P>,
  handle: (request: OperationRequest<O>, prepared: P) => Promise<OperationResponse<O>>,
  checks: BodyChecks<O> = {},
): Binding => ({
  ...derived(operation),
  prepare,
  // `prepared` is what `prepare` gave
  handle: (request, prepared) => handle(request as OperationRequest<O>, prepared as P),
  checks: ofAnyOperation(checks),
})

const derived = (operation: Operation) => ({
  operation,
  status: Number(Object.keys(operation.responses)[0]),
  accepts: acceptableTypes(operation),
})

/** The platform calls checks with the request and the attributes that were read with the operation's own shapes. */
const ofAnyOperation = <O extends Operation>(checks: BodyChecks<O>) => checks as unknown as UntypedChecks

/** Wildcards and both documented types, and the types of the operation's files. */
function acceptableTypes(operation: Operation): Set<string> {
  const files = Object.values(operation.responses).flatMap((a) => [
    ...(a.body !== null && 'bytes' in a.body ? a.body.bytes : []),
    ...(a.also ?? []),
  ])
  return new Set([
    '*/*',
    'application/*',
    ...Object.values(mediaTypes),
    ...files,
    ...(files.length > 0 ? ['text/*'] : []),
  ])
}

/** What a feature's `routes.ts` exports. */
export type Routes = (deps: Deps) => Binding[]

/** Absolute link to a path of the service. */
export const link = (deps: { public_url: string }, path: string): string => deps.public_url + path

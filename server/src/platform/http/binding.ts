import type { Readable } from 'node:stream'
import type { IncomingHttpHeaders } from 'node:http'
import { mediaTypes, type ResponseBody, type Body, type Operation, type Params, type Query } from '@demarc/client'
import type { Context, Deps, WriteContext } from '../context.ts'

/** A validated request: its context with the actor, and its parsed input. */
export interface OperationRequest<O extends Operation> {
  /** With `effect: 'transaction'`, `tx` is the transaction that commits the effect. */
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

/** A header sent several times is a list. */
type ResponseHeaders = Record<string, string | string[]>

/** JSON of the declared shape, or a stream of bytes. */
export type OperationResponse<O extends Operation> =
  | {
      status?: keyof O['responses'] & number
      body: ResponseBody<O> extends 'bytes' ? never : Exclude<ResponseBody<O>, 'bytes'>
      headers?: ResponseHeaders
    }
  | {
      status?: keyof O['responses'] & number
      stream: Readable | Buffer | string
      content_type?: string
      headers?: ResponseHeaders
    }

/** A request whose body is not validated yet. */
export type RequestWithoutBody<O extends Operation> = Omit<OperationRequest<O>, 'body' | 'stream'>

/** Attributes that match their shape. An invalid list entry is undefined, or keeps only its valid members. */
export type Valid<B> = {
  [K in keyof B]?:
    | (B[K] extends readonly (infer E)[] | undefined ? readonly (ValidEntry<E> | undefined)[] : B[K])
    | undefined
}
type ValidEntry<E> = E extends object ? { [K in keyof E]?: E[K] | undefined } : E

/** Body checks beyond the shape. */
export interface BodyChecks<O extends Operation> {
  /**
   * The current attributes of the object with this id; null if it does not exist. Needed if a body may repeat read-only
   * attributes.
   */
  current?: (request: RequestWithoutBody<O>, id: string) => Promise<Readonly<Record<string, unknown>> | null>
  /**
   * Returns the field errors the action would report for the attributes that match their shape. Called when other fields are
   * invalid, to list every failing field in one response. May throw 422 instead; any other problem is ignored.
   */
  check?: (
    request: RequestWithoutBody<O>,
    valid: Valid<NonNullable<Body<O>>>,
    failing: ReadonlySet<string>,
  ) => Promise<Readonly<Record<string, string[]>> | void>
}

/** The same checks without the operation's types, as the platform calls them. */
export interface UntypedChecks {
  current?: (request: OperationRequest<Operation>, id: string) => Promise<Readonly<Record<string, unknown>> | null>
  check?: (
    request: OperationRequest<Operation>,
    valid: Readonly<Record<string, unknown>>,
    failing: ReadonlySet<string>,
  ) => Promise<Readonly<Record<string, string[]>> | void>
}

export type Handler<O extends Operation> = (request: OperationRequest<O>) => Promise<OperationResponse<O>>

/** An operation, its handler, and values derived once from its declaration. */
export interface Binding {
  operation: Operation
  /**
   * Runs before the transaction: work that must stay outside it, such as remote calls and uploads. `handle` receives its
   * result.
   */
  prepare?: (request: OperationRequest<Operation>) => Promise<unknown>
  /** Releases what `prepare` acquired when the request ends, whether or not its effect was committed. */
  release?: (prepared: unknown) => Promise<void>
  handle: (request: OperationRequest<Operation>, prepared?: unknown) => Promise<OperationResponse<Operation>>
  checks: UntypedChecks
  /** Default status of a successful response: the first one declared. */
  status: number
  /** Media types an Accept header may name. */
  accepts: ReadonlySet<string>
}

/** Binds an operation to its handler. A feature's `routes.ts` has one line per operation. */
export const bind = <const O extends Operation>(
  operation: O,
  handle: Handler<O>,
  checks: BodyChecks<O> = {},
): Binding => ({ ...derived(operation), handle, checks: ofAnyOperation(checks) })

/**
 * Like `bind`, for an operation with `effect: 'transaction'` that waits for a remote system. `prepare` runs before the
 * transaction, and `handle` receives its result. `prepare` must leave no visible effect: the transaction may fail, or a
 * concurrent request may commit first. `release` cleans up either way.
 */
export const bindPrepared = <const O extends Operation & { effect: 'transaction' }, P>(
  operation: O,
  prepare: (request: OperationRequest<O> & { context: Context }) => Promise<P>,
  handle: (request: OperationRequest<O>, prepared: P) => Promise<OperationResponse<O>>,
  { release, ...checks }: BodyChecks<O> & { release?: (prepared: P) => Promise<void> } = {},
): Binding => ({
  ...derived(operation),
  // the platform passes the operation's own request to each of these, and the result of `prepare` to the other two
  prepare: (request) => prepare(request as OperationRequest<O> & { context: Context }),
  ...(release && { release: (prepared) => release(prepared as P) }),
  handle: (request, prepared) => handle(request, prepared as P),
  checks: ofAnyOperation(checks),
})

/** Runs an effect between its binding's `prepare` and `release`. */
export async function withPrepared<T>(
  { prepare, release }: Pick<Binding, 'prepare' | 'release'>,
  request: OperationRequest<Operation>,
  effect: (prepared: unknown) => Promise<T>,
): Promise<T> {
  const prepared = await prepare?.(request)
  try {
    return await effect(prepared)
  } finally {
    await release?.(prepared)
  }
}

const derived = (operation: Operation) => ({
  operation,
  status: Number(Object.keys(operation.responses)[0]),
  accepts: acceptableTypes(operation),
})

/** Safe because the platform parses the request and attributes with the operation's own shapes before it calls a check. */
const ofAnyOperation = <O extends Operation>(checks: BodyChecks<O>) => checks as unknown as UntypedChecks

/** Wildcards, both documented media types, and the operation's file types. */
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

/** The absolute URL of a path on this service. */
export const link = (deps: { public_url: string }, path: string): string => deps.public_url + path

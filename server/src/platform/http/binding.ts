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

/** A header that is sent several times has a list. */
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

/** Attributes that match their shape. Invalid entries of a list are undefined, or have those of their members that match. */
export type Valid<B> = {
  [K in keyof B]?:
    | (B[K] extends readonly (infer E)[] | undefined ? readonly (ValidEntry<E> | undefined)[] : B[K])
    | undefined
}
type ValidEntry<E> = E extends object ? { [K in keyof E]?: E[K] | undefined } : E

/** Checks of a body besides its shape. */
export interface BodyChecks<O extends Operation> {
  /** The current attributes of the object of this id; null if there is none. Needed where a body may repeat read-only attributes. */
  current?: (request: RequestWithoutBody<O>, id: string) => Promise<Readonly<Record<string, unknown>> | null>
  /**
   * The field errors that the action would refuse, among the attributes that match their shape: called when other fields are
   * refused, so that every failing field is reported at once. May throw 422 instead; any other problem is ignored.
   */
  check?: (
    request: RequestWithoutBody<O>,
    valid: Valid<NonNullable<Body<O>>>,
    failing: ReadonlySet<string>,
  ) => Promise<Readonly<Record<string, string[]>> | void>
}

/** The same without the types of the operation, as the platform calls it. */
export interface UntypedChecks {
  current?: (request: OperationRequest<Operation>, id: string) => Promise<Readonly<Record<string, unknown>> | null>
  check?: (
    request: OperationRequest<Operation>,
    valid: Readonly<Record<string, unknown>>,
    failing: ReadonlySet<string>,
  ) => Promise<Readonly<Record<string, string[]>> | void>
}

export type Handler<O extends Operation> = (request: OperationRequest<O>) => Promise<OperationResponse<O>>

/** An operation with its handler, and what can be derived from the declaration once. */
export interface Binding {
  operation: Operation
  /** Work that must not be done inside the transaction, such as remote calls and uploads; it runs before. Its result is passed to `handle`. */
  prepare?: (request: OperationRequest<Operation>) => Promise<unknown>
  /** Releases what was prepared when the request has ended, whether its effect was committed or not. */
  release?: (prepared: unknown) => Promise<void>
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
 * The same for an operation with `effect: 'transaction'` that has to wait for a remote system: `prepare` runs before the
 * transaction, and its result is passed to `handle`. It must leave no visible effect, because the transaction may fail, or
 * a concurrent request may commit first. What has to be cleaned up in any case is in `release`.
 */
export const bindPrepared = <const O extends Operation & { effect: 'transaction' }, P>(
  operation: O,
  prepare: (request: OperationRequest<O> & { context: Context }) => Promise<P>,
  handle: (request: OperationRequest<O>, prepared: P) => Promise<OperationResponse<O>>,
  { release, ...checks }: BodyChecks<O> & { release?: (prepared: P) => Promise<void> } = {},
): Binding => ({
  ...derived(operation),
  // the platform calls all with the operation's own request, and passes the result of the first to the others
  prepare: (request) => prepare(request as OperationRequest<O> & { context: Context }),
  ...(release && { release: (prepared) => release(prepared as P) }),
  handle: (request, prepared) => handle(request, prepared as P),
  checks: ofAnyOperation(checks),
})

/** Runs an effect with what its binding prepares, and releases that afterwards. */
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

/** The platform calls checks with the request and the attributes that were parsed with the operation's own shapes. */
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

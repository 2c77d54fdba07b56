import type { Readable } from 'node:stream'
import type { IncomingHttpHeaders } from 'node:http'
import { mediaTypes, type AnswerBody, type Body, type Operation, type Params, type Query } from '@demarc/client'
import type { Context, Deps, WriteContext } from '../context.ts'

/** A request after it was checked: by whom, what, and where to read and write. */
export interface Call<O extends Operation> {
  /** In an operation with `effect: 'transaction'` its `tx` is the transaction that everything commits with. */
  context: O['effect'] extends 'transaction' ? WriteContext : Context
  params: Params<O>
  query: Query<O>
  body: Body<O>
  /** Of operations that take bytes: the body as sent. */
  stream: Readable
  headers: IncomingHttpHeaders
  remote_ip: string
  /** The URL as it was applied, absolute: `links.self`. */
  self: string
}

/** JSON of the declared shape, or bytes as they come. */
export type Answer<O extends Operation> =
  | {
      status?: keyof O['answers'] & number
      body: AnswerBody<O> extends 'bytes' ? never : Exclude<AnswerBody<O>, 'bytes'>
      headers?: Record<string, string>
    }
  | {
      status?: keyof O['answers'] & number
      stream: Readable | Buffer | string
      content_type?: string
      headers?: Record<string, string>
    }

export type Handler<O extends Operation> = (call: Call<O>) => Promise<Answer<O>>

/** An operation, what does it, and what follows from the declaration alone, worked out once. */
export interface Binding {
  operation: Operation
  handle: (call: Call<Operation>) => Promise<Answer<Operation>>
  /** A successful answer's status unless the handler says otherwise: the first that is declared. */
  status: number
  /** What an Accept header may name. */
  accepts: ReadonlySet<string>
}

/** Binds an operation to its handler: one line each in a feature's `routes.ts`. */
export function bind<const O extends Operation>(operation: O, handle: Handler<O>): Binding {
  return { operation, handle, status: Number(Object.keys(operation.answers)[0]), accepts: acceptable(operation) }
}

/** Wildcards and both documented types always; the types of files where there are some. */
function acceptable(operation: Operation): Set<string> {
  const files = Object.values(operation.answers).flatMap((a) => [
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

import * as z from 'zod'
import type { Operation } from './operation.ts'
import { pathId } from './shapes.ts'

type Derived = 'method' | 'path'
type Defaulted = 'params' | 'problems' | 'access' | 'effect'
type Declared = Omit<Operation, Derived | Defaulted> & Partial<Pick<Operation, Defaulted>>
type Names<E> = E extends `${string}{${infer Name}}${infer Rest}` ? Name | Names<Rest> : never
type Ids<E> = [Names<E>] extends [never] ? unknown : { params: z.ZodObject<Record<Names<E>, typeof pathId>> }
type Reads<O> = O extends { endpoint: `GET ${string}` } ? true : false
type Completed<O extends Declared> = Omit<O, Derived> &
  (O extends { endpoint: `${infer M extends Operation['method']} ${infer P extends Operation['path']}` }
    ? { method: M; path: P }
    : never) &
  (O extends { params: z.ZodObject } ? unknown : Ids<O['endpoint']>) &
  (O extends Pick<Operation, 'problems'> ? unknown : Pick<Operation, 'problems'>) &
  (O extends Pick<Operation, 'access'> ? unknown : { access: Reads<O> extends true ? 'read' : 'write' }) &
  (O extends Pick<Operation, 'effect'> ? unknown : { effect: Reads<O> extends true ? 'read' : 'transaction' })

/**
 * Declares an operation, keeping its exact type. By default, the parameters of the path are ids, an operation with parameters can
 * respond `not-found`, one with a query or a body `invalid-input`, a GET reads, and any other method writes in a transaction.
 */
export function operation<const O extends Declared>(o: O): Completed<O> {
  const [method, path = ''] = o.endpoint.split(' ')
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  const defaults = {
    ...(names.length > 0 && { params: z.object(Object.fromEntries(names.map((name) => [name, pathId]))) }),
    problems: [...(names.length > 0 ? ['not-found'] : []), ...(o.query || o.body ? ['invalid-input'] : [])],
    access: method === 'GET' ? 'read' : 'write',
    effect: method === 'GET' ? 'read' : 'transaction',
  }
  // the type has the same defaults
  return { ...defaults, ...o, method, path } as unknown as Completed<O>
}

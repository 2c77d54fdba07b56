import { operations, type Operation } from '@demarc/client'
import { z } from 'zod'

/** Requests for every operation there is, made from its declaration. */

export const every: readonly Operation[] = Object.values<Operation>(operations)

export const readsJson = (operation: Operation): boolean => operation.body instanceof z.ZodType

/** The path with these parameters; those not given name nothing that exists. */
export const pathOf = (operation: Operation, params: Record<string, string> = {}): string =>
  operation.path.replace(/\{(\w+)\}/g, (_, name: string) => params[name] ?? '999999999')

/** A body that every operation refuses or ignores, and the type it must have to be looked at. */
export function harmlessBody(operation: Operation): { body?: string; headers: Record<string, string> } {
  if (operation.body === undefined) return { headers: {} }
  if ('bytes' in operation.body) return { body: '', headers: { 'content-type': operation.body.bytes[0] ?? '' } }
  return { body: '{"no such field":1}', headers: { 'content-type': 'application/json' } }
}

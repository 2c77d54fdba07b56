import { operations, type Operation } from '@demarc/client'
import { z } from 'zod'

/** Requests for every operation, built from its declaration. */

export const every: readonly Operation[] = Object.values<Operation>(operations)

export const readsJson = (operation: Operation): boolean => operation.body instanceof z.ZodType

/** The path with these parameters; others get an id that doesn't exist. */
export const pathOf = (operation: Operation, params: Record<string, string> = {}): string =>
  operation.path.replace(/\{(\w+)\}/g, (_, name: string) => params[name] ?? '999999999')

/** A body that every operation refuses or ignores, with the Content-Type that it reads. */
export function harmlessBody(operation: Operation): { body?: string; headers: Record<string, string> } {
  if (operation.body === undefined) return { headers: {} }
  if ('bytes' in operation.body) return { body: '', headers: { 'content-type': operation.body.bytes[0] ?? '' } }
  return { body: '{"no such field":1}', headers: { 'content-type': 'application/json' } }
}

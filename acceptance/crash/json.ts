import assert from 'node:assert/strict'

/** Reads responses defensively. */

export type Json = Record<string, unknown>

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export function object(value: unknown): Json {
  assert.ok(isObject(value), `not an object: ${JSON.stringify(value)}`)
  return value
}

export interface Resource {
  id: string
  attributes: Json
  relationships: Json
}

export function resource(value: unknown): Resource {
  const { id, attributes, relationships } = object(value)
  assert.ok(typeof id === 'string' || typeof id === 'number')
  return {
    id: String(id),
    attributes: isObject(attributes) ? attributes : {},
    relationships: isObject(relationships) ? relationships : {},
  }
}

/** `data` of a single-object document. */
export const one = (body: unknown): Resource => resource(object(body)['data'])

/** `data` of a list. */
export function many(body: unknown): Resource[] {
  const { data } = object(body)
  assert.ok(Array.isArray(data))
  return data.map(resource)
}

export function text(value: unknown): string {
  assert.ok(typeof value === 'string', `not a text: ${JSON.stringify(value)}`)
  return value
}

/** The id that a relationship refers to, or null. */
export function related(relationships: Json, name: string): string | null {
  const { data } = object(relationships[name])
  return data === null ? null : resource(data).id
}

import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as z from 'zod'
import { openapi, operations, readBody, type Operation } from './index.ts'

/** A body's rules never see an unchecked value: a wrong type is an issue, never an exception. */

type Json = Record<string, unknown>

const described = openapi(operations, { version: '1', server_url: '/' })
const wrong: readonly unknown[] = [1, -1.5, true, {}, [], [1], null, '', 'x', '\0', { x: 1 }, [[]]]

const isJson = (v: unknown): v is Json => typeof v === 'object' && v !== null && !Array.isArray(v)
const at = (value: unknown, ...path: string[]): unknown =>
  path.reduce((inner: unknown, key) => (isJson(inner) ? inner[key] : undefined), value)

/** The schemas behind one schema: follows references and splits alternatives. */
function alternatives(schema: unknown): Json[] {
  if (!isJson(schema)) return []
  const reference = schema['$ref']
  if (typeof reference === 'string') return alternatives(at(described, ...reference.split('/').slice(1)))
  const choices = schema['oneOf'] ?? schema['anyOf']
  return Array.isArray(choices) ? choices.flatMap(alternatives) : [schema]
}

/** A value for a schema, with all members of the right type. */
function example(schema: Json): unknown {
  const { type, properties, items } = schema
  if ('const' in schema) return schema['const']
  for (const values of [schema['enum'], schema['examples']]) if (Array.isArray(values)) return values[0]
  if (isJson(properties))
    return Object.fromEntries(
      Object.entries(properties).map(([name, member]) => [name, example(alternatives(member)[0] ?? {})]),
    )
  const kind = Array.isArray(type) ? type[0] : type
  if (kind === 'array') return [example(alternatives(items)[0] ?? {})]
  return kind === 'integer' || kind === 'number' ? 1 : kind === 'boolean' ? true : kind === 'object' ? {} : 'x'
}

/** The value with each member in turn replaced by a wrong one, at every depth, and with all of them replaced. */
function* mutations(value: unknown): Generator {
  yield* wrong
  if (Array.isArray(value)) for (const inner of mutations(value[0])) yield [inner]
  if (!isJson(value)) return
  for (const name of Object.keys(value)) for (const inner of mutations(value[name])) yield { ...value, [name]: inner }
  for (const other of wrong) yield Object.fromEntries(Object.keys(value).map((name) => [name, other]))
}

const withBody = Object.values<Operation>(operations).filter((o) => o.body instanceof z.ZodType)

for (const { id, method, path, body } of withBody)
  test(`${id} reports every field of the wrong type as an issue`, () => {
    const content = at(described, 'paths', path, method.toLowerCase(), 'requestBody', 'content')
    const examples = alternatives(at(content, 'application/json', 'schema')).map(example)
    assert.ok(examples.length > 0)
    for (const valid of examples)
      for (const mutated of mutations(valid)) {
        assert.ok(body instanceof z.ZodType)
        try {
          readBody(body, mutated)
        } catch (error) {
          assert.fail(`${JSON.stringify(mutated)}: ${String(error)}`)
        }
      }
  })

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { mediaTypes, openapi, operations, problems } from '@demarc/client'
import { every, harmlessBody, pathOf } from './support/operations.ts'
import { senderOf } from './support/people.ts'
import { startTestServer } from './support/server.ts'

interface Described {
  operationId: string
  security?: object[]
  parameters?: (Parameter | { $ref: string })[]
  requestBody?: { required: boolean; content: Record<string, object> }
  responses: Record<string, DescribedResponse | { $ref: string }>
}
interface Parameter {
  name: string
  in: string
  required?: boolean
}
interface DescribedResponse {
  description: string
  content?: Record<string, { schema?: object }>
}
interface Description {
  openapi: string
  /** Of operations that declare no other. */
  security: object[]
  paths: Record<string, Record<string, Described>>
  components: {
    schemas: Record<string, object>
    parameters: Record<string, Parameter>
    responses: Record<string, DescribedResponse>
    headers: Record<string, object>
  }
}

const server = await startTestServer()
const served = (await (await fetch(`${server.base_url}/openapi.json`)).json()) as Description
const described = Object.entries(served.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    path,
    method: method.toUpperCase(),
    security: served.security,
    ...operation,
    responses: Object.fromEntries(
      Object.entries(operation.responses).map(([status, each]) => [status, resolved(each)]),
    ),
  })),
)

function resolved(response: DescribedResponse | { $ref: string }): DescribedResponse {
  if (!('$ref' in response)) return response
  const { $ref } = response
  return served.components.responses[$ref.replace('#/components/responses/', '')] ?? assert.fail($ref)
}

test('the served description matches the generated one', () => {
  const made = openapi(operations, { version: '1', server_url: '/' })
  assert.equal(served.openapi, '3.1.1')
  assert.deepEqual(served.paths, JSON.parse(JSON.stringify(made['paths'])))
})

test('every operation is described once, with a unique id, method and path', () => {
  assert.deepEqual(described.map((d) => d.operationId).toSorted(), every.map((o) => o.id).toSorted())
  assert.equal(new Set(every.map((o) => o.id)).size, every.length)
  const routes = every.flatMap((o) =>
    [o.path, ...(o.aliases ?? [])].map((p) => `${o.method} ${p.replace(/\{\w+\}/g, '{}')}`),
  )
  assert.deepEqual(
    routes.filter((route, i) => routes.indexOf(route) !== i),
    [],
  )
  for (const [name, { id }] of Object.entries(operations)) assert.equal(id, name)
})

test('every path parameter is declared, and no other', () => {
  for (const { path, operationId, parameters = [] } of described) {
    const own = parameters
      .map((p) =>
        'name' in p ? p : (served.components.parameters[p.$ref.split('/').at(-1) ?? ''] ?? assert.fail(p.$ref)),
      )
      .filter((p) => p.in !== 'header')
    const inPath = own.filter((p) => p.in === 'path')
    assert.deepEqual(
      inPath.map((p) => p.name).toSorted(),
      [...path.matchAll(/\{(\w+)\}/g)].map((m) => m[1] ?? '').toSorted(),
      operationId,
    )
    assert.ok(inPath.every((p) => p.required) && own.every((p) => ['path', 'query'].includes(p.in)))
  }
})

/** Reads in XML, which have no use for a key. */
const inOwnProtocol = new Set(['requestLocation', 'requestEmergencyService'])

test('every operation that reads an Idempotency-Key declares it, and no other', () => {
  for (const { operationId, method, parameters = [], security } of described)
    assert.equal(
      parameters.some((p) => '$ref' in p && p.$ref === '#/components/parameters/IdempotencyKey'),
      ['POST', 'PATCH'].includes(method) && security?.length !== 0 && !inOwnProtocol.has(operationId),
      operationId,
    )
})

test('every response and every refusal is described, in the operation’s own media type', () => {
  for (const operation of every) {
    const { responses } = described.find((d) => d.operationId === operation.id) ?? assert.fail(operation.id)
    for (const status of Object.keys(operation.responses))
      assert.ok(responses[status]?.description, `${operation.id} ${status}`)
    for (const type of operation.problems) {
      const response = responses[problems[type].status]
      assert.ok(response, `${operation.id} describes ${type}`)
      assert.deepEqual(Object.keys(response.content ?? {}), [mediaTypes[operation.media]])
    }
  }
})

test('the 422 of an account that does not exist and of a query key given twice is described', async () => {
  const senders = await senderOf(server)
  for (const operation of every) {
    const send = senders(operation)
    const { parameters = [], responses } =
      described.find((d) => d.operationId === operation.id) ?? assert.fail(operation.id)
    const open = operation.principals.includes('anyone')
    assert.equal(
      parameters.some((p) => '$ref' in p && p.$ref === '#/components/parameters/DemarcAccount'),
      !open,
      operation.id,
    )
    const line = `${operation.method} ${pathOf(operation)}`
    const sent = harmlessBody(operation)
    if (!open) {
      const headers = { ...sent.headers, 'demarc-account': 'nobody' }
      assert.equal((await send(line, { ...sent, headers })).status, 422, operation.id)
    }
    const [key] = Object.keys(operation.query?.shape ?? {})
    if (key !== undefined) assert.equal((await send(`${line}?${key}=1&${key}=1`, sent)).status, 422, operation.id)
    if (!open || key !== undefined) assert.ok(responses['422'], `${operation.id} describes 422`)
  }
})

test('only operations that need no key are described without security', () => {
  for (const { operationId, security, responses } of described) {
    const { principals, problems } = every.find((o) => o.id === operationId) ?? assert.fail(operationId)
    const open = principals.includes('anyone')
    const people_only = ['person', 'member', 'manager', 'owner'].some((each) => principals.some((p) => p === each))
    const expected = [
      ...(principals.includes('link') ? [{}] : []),
      ...(people_only ? [] : [{ key: [] }]),
      // a session is not a key
      ...(principals.includes('key') ? [] : [{ session: [] }]),
    ]
    assert.deepEqual(security, open ? [] : expected, operationId)
    // sign-in operations have their own refusals
    assert.equal(responses['401'] === undefined, open && !problems.includes('unauthorized'), operationId)
  }
})

test('the committed description is under 1 MB, and no body or error is duplicated', () => {
  assert.ok(readFileSync(new URL('../../openapi.json', import.meta.url)).length < 1_000_000)
  for (const { operationId, requestBody, responses } of Object.values(served.paths).flatMap((each) =>
    Object.values(each),
  )) {
    const content = Object.entries(responses).map(([status, each]) => [status, '$ref' in each ? each : each.content])
    for (const [where, each] of [...content, ['body', requestBody?.content]])
      assert.doesNotMatch(JSON.stringify(each ?? {}), /"properties"/, `${operationId} ${String(where)}`)
  }
})

test('every reference has a target, and every shared component is referenced', () => {
  const text = JSON.stringify(served)
  const referenced = new Set([...text.matchAll(/"\$ref":"([^"]+)"/g)].map((m) => m[1] ?? ''))
  const components = (['schemas', 'parameters', 'headers', 'responses'] as const).flatMap((section) =>
    Object.keys(served.components[section]).map((name) => `#/components/${section}/${name}`),
  )
  assert.deepEqual(
    [...referenced].filter((ref) => !components.includes(ref)),
    [],
  )
  assert.deepEqual(
    components.filter((ref) => !referenced.has(ref)),
    [],
  )
})

test('the client has a method for every operation', () => {
  assert.deepEqual(Object.keys(server.account.client).toSorted(), every.map((o) => o.id).toSorted())
})

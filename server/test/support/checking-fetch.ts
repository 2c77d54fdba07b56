import assert from 'node:assert/strict'
import { z } from 'zod'
import { mediaTypes, operations, type Operation } from '@demarc/client'

const patterns = Object.values<Operation>(operations).flatMap((operation) =>
  [operation.path, ...(operation.aliases ?? [])].map((path) => ({
    operation,
    pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`),
    literal: !path.includes('{'),
  })),
)

/** The operation of a request; a literal path takes precedence over one with parameters. */
function operationOf(method: string, path: string): Operation | undefined {
  const matching = patterns.filter((p) => p.operation.method === method && p.pattern.test(path))
  return (matching.find((p) => p.literal) ?? matching[0])?.operation
}

/** fetch that checks every response: declared status and media type, and a body of the declared shape with nothing undeclared. */
export const checkingFetch: typeof fetch = async (input, init) => {
  const response = await fetch(input, init)
  const url = new URL(String(input))
  const operation = operationOf(init?.method ?? 'GET', url.pathname)
  if (!operation) return response
  assert.match(response.headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/, 'every response has a request id')
  if (!response.ok) {
    assert.equal(
      response.headers.get('content-type'),
      mediaTypes[operation.media],
      `media type of a refusal of ${operation.id}`,
    )
    return response
  }
  const declared = operation.responses[response.status]
  assert.ok(declared, `${operation.id} does not declare ${response.status}`)
  if (declared.body === null) assert.equal(await response.clone().text(), '', `${operation.id} declares no body`)
  else if (declared.body instanceof z.ZodType) {
    assert.equal(response.headers.get('content-type'), mediaTypes[operation.media], `media type of ${operation.id}`)
    const body: unknown = await response.clone().json()
    const parsed = declared.body.safeParse(body)
    assert.ok(parsed.success, `${operation.id}: ${parsed.success ? '' : z.prettifyError(parsed.error)}`)
    // zod drops what a shape does not declare, so anything undeclared shows as a difference
    assert.deepEqual(parsed.data, body, `${operation.id} responds with what it declares and nothing else`)
  }
  return response
}

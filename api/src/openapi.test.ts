import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openapi, operations, scopes } from './index.ts'

test('every operation documents 503, because the service may refuse any request except its health checks', () => {
  const { paths } = openapi(operations, { version: '0.0.0', server_url: 'http://127.0.0.1' }) as {
    paths: Record<string, Record<string, { responses: object }>>
  }
  const without = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { responses }]) => ('503' in responses ? [] : `${method} ${path}`)),
  )
  assert.deepEqual(without, ['get /health/live'])
})

test('health operations have their own tag, and no scope names it', () => {
  const { paths, tags } = openapi(operations, { version: '0.0.0', server_url: 'http://127.0.0.1' }) as {
    paths: Record<string, { get?: { tags: string[] } }>
    tags: { name: string }[]
  }
  for (const path of ['/health/live', '/health/ready']) assert.deepEqual(paths[path]?.get?.tags, ['health'])
  assert.ok(tags.some(({ name }) => name === 'health'))
  assert.ok(!scopes.some((scope) => scope.startsWith('health')))
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operations } from '@demarc/client'
import type { FastifyRequest } from 'fastify'
import { startTestServer } from '../../../test/support/server.ts'
import { systemActor } from '../actor.ts'
import { problem } from '../problem.ts'
import type { Binding } from './binding.ts'
import { serveIdempotent } from './idempotent.ts'

const server = await startTestServer()
const { deps } = server.runtime

test('a retry that fails because the first request has since succeeded gets the first response', async () => {
  const claim = { actor: systemActor('test', null), key: 'meanwhile', now: deps.clock.now() }
  const send = (prepare: () => Promise<unknown>) => {
    const operation = operations.createE911
    const binding = { operation, status: 201, prepare, handle: () => Promise.resolve({ body: { kept: true } }) }
    const request = { method: 'POST', url: '/v2/e911s', raw: null }
    return serveIdempotent(
      deps,
      // this test uses no other fields of a binding or request
      binding as unknown as Binding,
      claim,
      request as unknown as FastifyRequest,
      Buffer.from('{}'),
      () => ({}) as never,
    )
  }
  const repeated = send(async () => {
    await send(() => Promise.resolve())
    throw problem('duplicate-address', 'This address is already on your account.')
  })
  assert.deepEqual(await repeated, { replay: { status: 201, body: '{"kept":true}' } })
})

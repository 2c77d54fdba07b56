import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operations } from '@demarc/client'
import type { FastifyRequest } from 'fastify'
import { startTestServer } from '../../../test/support/server.ts'
import { systemActor } from '../actor.ts'
import { problem } from '../problem.ts'
import type { Binding } from './binding.ts'
import { serveIdempotent, HashedStream } from './idempotent.ts'
import { Readable } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'

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

test('a body that ends early fails its reader, even one that starts later, and raises no uncaught error', async () => {
  for (const error of [new Error('aborted'), undefined]) {
    const source = new Readable({ read: () => undefined })
    const hashed = new HashedStream(source)
    source.push('begun')
    source.destroy(error)
    // its key is being claimed; without a listener the error would end the process
    await turn()
    await assert.rejects(hashed.drain(), error ?? /client disconnected/)
  }
})

test('a body whose client disconnected before anyone read it fails its reader', async () => {
  for (const error of [new Error('aborted'), undefined]) {
    const source = new Readable({ read: () => undefined })
    source.on('error', () => undefined)
    source.destroy(error)
    await turn()
    await assert.rejects(new HashedStream(source).drain(), error ?? /client disconnected/)
  }
})

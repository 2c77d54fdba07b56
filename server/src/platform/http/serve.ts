import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import { z } from 'zod'
import { mediaTypes, type Operation } from '@demarc/client'
import { mayCall, type Actor } from '../actor.ts'
import type { Context, Deps } from '../context.ts'
import { inTransaction, type Tx } from '../db.ts'
import { assertSameRequest, claimIdempotencyKey, fingerprint, keepAnswer, readIdempotencyKey } from '../idempotency.ts'
import { problem } from '../problem.ts'
import type { Answer, Binding, Call } from './binding.ts'
import {
  checkAccept,
  checkJsonType,
  checkStreamType,
  parseBody,
  parseJson,
  parseParams,
  parseQuery,
  readBody,
} from './input.ts'
import { HashedStream } from './hashed-stream.ts'

/** Who a request is from. Throws 401, or 429 for too many failures. */
export type Authenticate = (
  authorization: string | undefined,
  remote_ip: string,
  act_for: string | undefined,
) => Promise<Actor>

/** Counts a request against the actor's or address's allowance and gives the headers that say so. Throws 429. */
export type Limit = (actor: Actor | null, remote_ip: string) => Promise<Record<string, string>>

export interface ServeOptions {
  authenticate: Authenticate
  limit: Limit
  body_limit_bytes: number
}

/** Nobody: operations that need no key act without one and see nothing of an account. */
const nobody: Actor = { kind: 'system', account_id: '-1', job: 'anyone' }

/** Does one request of an operation: who, whether, what, then the action, then the answer. Each step may refuse. */
export async function serve(
  deps: Deps,
  options: ServeOptions,
  binding: Binding,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { operation } = binding
  const actor = await identify(options, operation, request)
  for (const [name, value] of Object.entries(await options.limit(actor, request.ip))) reply.header(name, value)
  checkAccept(request.headers.accept, operation)
  const params = parseParams(operation, request.params)
  const query = parseQuery(operation, request.query as Record<string, unknown>)
  const { bytes, body } = await takeBody(options, operation, request)
  const call = (tx: Context['tx'], stream: Readable): Call<Operation> =>
    // params, query and body were parsed with the operation's own shapes, which is what Call declares
    ({
      context: { ...deps, tx, actor: actor ?? nobody },
      params,
      query,
      body,
      stream,
      headers: request.headers,
      remote_ip: request.ip,
      self: selfUrl(deps, request),
    }) as unknown as Call<Operation>
  const key =
    ['POST', 'PATCH'].includes(operation.method) && actor
      ? readIdempotencyKey(request.headers['idempotency-key'])
      : null
  if (key !== null && actor) return await serveOnce(deps, binding, actor, key, bytes, call, request, reply)
  const answer =
    operation.effect === 'transaction'
      ? await inTransaction(deps.db, (tx) => binding.handle(call(tx, request.raw)))
      : await binding.handle(call(deps.db, request.raw))
  return send(reply, operation, answer)
}

async function identify(options: ServeOptions, operation: Operation, request: FastifyRequest): Promise<Actor | null> {
  if (operation.by.includes('anyone')) return null
  const { authorization } = request.headers
  // a signed link is its own permission; the operation's handler checks it
  if (operation.by.includes('link') && authorization === undefined && 'signature' in (request.query as object))
    return null
  const actFor = request.headers['demarc-account']
  const actor = await options.authenticate(authorization, request.ip, typeof actFor === 'string' ? actFor : undefined)
  if (!mayCall(actor, operation.by, operation.feature, operation.access)) throw problem('not-authorized')
  return actor
}

async function takeBody(
  options: ServeOptions,
  operation: Operation,
  request: FastifyRequest,
): Promise<{ bytes: Buffer; body: unknown }> {
  const nothing = { bytes: Buffer.alloc(0), body: undefined }
  if (operation.body === undefined) return nothing
  const type = request.headers['content-type']
  if (!(operation.body instanceof z.ZodType)) return (checkStreamType(type, operation.body.bytes), nothing)
  const bytes = await readBody(request.raw, options.body_limit_bytes)
  if (bytes.length > 0) checkJsonType(type)
  return { bytes, body: parseBody(operation, parseJson(bytes)) }
}

/** With an Idempotency-Key: the effect once, its first answer again for every repetition. */
async function serveOnce(
  deps: Deps,
  binding: Binding,
  actor: Actor,
  key: string,
  bytes: Buffer,
  call: (tx: Context['tx'], stream: Readable) => Call<Operation>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { operation } = binding
  const streamed = operation.body !== undefined && !(operation.body instanceof z.ZodType)
  const print = (body: Buffer) => fingerprint(request.method, request.url, body)
  const outcome = await inTransaction(deps.db, async (tx: Tx) => {
    // a long stream keeps this transaction open without a statement
    if (operation.effect === 'own') await sql`set local idle_in_transaction_session_timeout = 0`.execute(tx)
    const claimed = await claimIdempotencyKey(
      tx,
      deps.vault,
      actor,
      key,
      streamed ? null : print(bytes),
      deps.clock.now(),
    )
    const hashed = new HashedStream(request.raw)
    if (claimed !== 'first') {
      if (streamed) assertSameRequest(claimed.fingerprint, print(await hashed.drain()))
      return { replay: claimed.answer }
    }
    const answer = await binding.handle(
      call(operation.effect === 'transaction' ? tx : deps.db, streamed ? hashed : request.raw),
    )
    const kept = {
      status: Number(answer.status ?? successStatus(operation)),
      body: 'body' in answer && answer.body !== undefined ? JSON.stringify(answer.body) : '',
    }
    await keepAnswer(tx, deps.vault, actor, key, print(streamed ? hashed.digest() : bytes), kept)
    return { answer }
  })
  if ('answer' in outcome) return send(reply, operation, outcome.answer)
  reply.header('idempotency-replayed', 'true').status(outcome.replay.status)
  return outcome.replay.body === '' ? reply.send() : reply.type(mediaTypes[operation.media]).send(outcome.replay.body)
}

function send(reply: FastifyReply, operation: Operation, answer: Answer<Operation>): FastifyReply {
  reply.status(Number(answer.status ?? successStatus(operation)))
  for (const [name, value] of Object.entries(answer.headers ?? {})) reply.header(name, value)
  if ('stream' in answer) return reply.type(answer.content_type ?? mediaTypes[operation.media]).send(answer.stream)
  if (answer.body === undefined) return reply.send()
  return reply.type(mediaTypes[operation.media]).send(JSON.stringify(answer.body))
}

const successStatus = (operation: Operation): number => Number(Object.keys(operation.answers)[0])

/** The URL as asked for, on the public address, without stray keys such as `&null`. */
function selfUrl(deps: Deps, request: FastifyRequest): string {
  const [path = '', query = ''] = request.url.split('?', 2)
  const kept = [...new URLSearchParams(query)].filter(([, value]) => value !== '')
  const search = kept.length === 0 ? '' : `?${new URLSearchParams(kept).toString()}`
  return deps.public_url + path.replace(/(.)\/$/, '$1') + search
}

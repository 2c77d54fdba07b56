import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { mediaTypes, takesIdempotencyKey, type Operation } from '@demarc/client'
import { mayCall, type Actor } from '../actor.ts'
import type { Context, Deps } from '../context.ts'
import { inTransaction } from '../db.ts'
import { readIdempotencyKey } from '../idempotency.ts'
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
import { serveOnce } from './idempotent.ts'
import { sendJson } from './reply.ts'

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
  body_timeout_ms: number
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
  reply.headers(await options.limit(actor, request.ip))
  checkAccept(request.headers.accept, binding)
  const { body: shape } = operation
  // before anything of the request is judged: what cannot be read needs no further word
  if (shape && !(shape instanceof z.ZodType)) checkStreamType(request.headers['content-type'], shape.bytes)
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
  const key = takesIdempotencyKey(operation) ? readIdempotencyKey(request.headers['idempotency-key']) : null
  if (key !== null && actor) {
    const claim = { actor, key, now: deps.clock.now() }
    const outcome = await serveOnce(deps, binding, claim, request, bytes, call)
    if ('answer' in outcome) return send(reply, binding, outcome.answer)
    reply.header('idempotency-replayed', 'true').status(outcome.replay.status)
    return sendText(reply, operation, outcome.replay.body)
  }
  const answer =
    operation.effect === 'transaction'
      ? await inTransaction(deps.db, (tx) => binding.handle(call(tx, request.raw)))
      : await binding.handle(call(deps.db, request.raw))
  return send(reply, binding, answer)
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

const noBytes = Buffer.alloc(0)

/** The JSON body; a stream is left to the handler. */
async function takeBody(
  options: ServeOptions,
  operation: Operation,
  request: FastifyRequest,
): Promise<{ bytes: Buffer; body: unknown }> {
  if (!(operation.body instanceof z.ZodType)) return { bytes: noBytes, body: undefined }
  const bytes = await readBody(request.raw, options.body_limit_bytes, options.body_timeout_ms)
  if (bytes.length > 0) checkJsonType(request.headers['content-type'])
  return { bytes, body: parseBody(operation, parseJson(bytes)) }
}

function send(reply: FastifyReply, { operation, status }: Binding, answer: Answer<Operation>): FastifyReply {
  reply.status(answer.status ?? status).headers(answer.headers ?? {})
  if ('stream' in answer) {
    // the head of a large file must not cost reading it
    if (reply.request.method === 'HEAD' && typeof answer.stream !== 'string' && !Buffer.isBuffer(answer.stream))
      answer.stream.destroy()
    return reply.type(answer.content_type ?? mediaTypes[operation.media]).send(answer.stream)
  }
  return sendText(reply, operation, answer.body === undefined ? '' : JSON.stringify(answer.body))
}

const sendText = (reply: FastifyReply, operation: Operation, text: string) =>
  text === '' ? reply.send() : sendJson(reply, operation.media, text)

/** The URL as asked for, on the public address, without stray keys such as `&null`. */
function selfUrl(deps: Deps, request: FastifyRequest): string {
  const [path = '', query = ''] = request.url.split('?', 2)
  if (query === '' && !path.endsWith('/')) return deps.public_url + path
  const kept = [...new URLSearchParams(query)].filter(([, value]) => value !== '')
  const search = kept.length === 0 ? '' : `?${new URLSearchParams(kept).toString()}`
  return deps.public_url + path.replace(/(.)\/$/, '$1') + search
}

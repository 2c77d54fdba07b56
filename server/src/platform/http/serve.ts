import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { mediaTypes, takesIdempotencyKey, type Operation, type ReadBody } from '@demarc/client'
import { anonymous, isAuthorized, type Actor } from '../actor.ts'
import type { Context, Deps } from '../context.ts'
import { inTransaction } from '../db.ts'
import { readIdempotencyKey } from '../idempotency.ts'
import { invalid, problem } from '../problem.ts'
import type { RateLimit } from '../rate-limit.ts'
import type { Replicas } from '../replicas.ts'
import { ownTurn } from '../turns.ts'
import { withPrepared, type Binding, type OperationRequest, type OperationResponse } from './binding.ts'
import { readOperationBody, validateBody } from './body.ts'
import {
  checkAccept,
  checkJsonType,
  checkStreamType,
  contentType,
  formType,
  parseForm,
  parseParams,
  parseQuery,
  readBody,
} from './input.ts'
import { serveIdempotent } from './idempotent.ts'
import { parseJson } from './json.ts'
import { sendJson } from './reply.ts'
import { recordActor } from './traced.ts'

/** The parts of a request that identify its sender. */
export interface Credentials {
  method: string
  authorization: string | undefined
  cookie: string | undefined
  csrf_token: string | undefined
  /** The account to act for, if the person belongs to several. */
  act_for: string | undefined
  remote_ip: string
}

/** Authenticates a request. Throws 401, 403 if a session's CSRF token is missing, or 429 after too many failures. */
export type Authenticate = (credentials: Credentials) => Promise<Actor>

export function credentialsOf({ method, headers, ip }: FastifyRequest): Credentials {
  // node:http joins custom headers that are sent twice
  const own = (name: string) => headers[name]?.toString()
  const { authorization, cookie } = headers
  const [act_for, csrf_token] = [own('demarc-account'), own('demarc-csrf')]
  return { method, authorization, cookie, csrf_token, act_for, remote_ip: ip }
}

export interface ServeOptions {
  authenticate: Authenticate
  limit: RateLimit
  /** For the operations that declare `replica`; without any, those read from the primary too. */
  replicas?: Replicas | null
  body_limit_bytes: number
  body_timeout_ms: number
}

/**
 * Serves one request of an operation: authenticates, authorizes, validates, runs the handler, and sends the response. Each step
 * may throw a Problem.
 */
export async function serve(
  deps: Deps,
  options: ServeOptions,
  binding: Binding,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { operation } = binding
  // responses are about one account or person, and some contain secrets
  reply.header('cache-control', 'no-store')
  const actor = await identify(options, operation, request)
  recordActor(actor)
  reply.headers(await options.limit(actor, request.ip, operation.feature === 'health' ? 'health' : 'requests'))
  checkAccept(request.headers.accept, binding)
  const { body: shape } = operation
  // checked before validation, because a stream of another type cannot be read
  if (shape && !(shape instanceof z.ZodType)) checkStreamType(request.headers['content-type'], shape.bytes)
  const params = parseParams(operation, request.params)
  const query = parseQuery(operation, request.query as Record<string, unknown>, request.url)
  const { bytes, read } = await readJsonBody(options, operation, request)
  const toRequest = (tx: Context['tx'], stream: Readable): OperationRequest<Operation> =>
    // params, query, and body were parsed with the operation's own shapes, which the type declares
    ({
      context: { ...deps, tx, actor: actor ?? anonymous },
      params,
      query,
      body: read?.body,
      stream,
      headers: request.headers,
      remote_ip: request.ip,
      self: selfUrl(deps, operation, request),
    }) as unknown as OperationRequest<Operation>
  if (read && read.issues.length > 0) await validateBody(binding, toRequest(deps.db, noStream), read)
  const checked = read && needsStateCheck(read) ? withStateCheck(binding, read) : binding
  const key = takesIdempotencyKey(operation) ? readIdempotencyKey(request.headers['idempotency-key']) : null
  if (key !== null && actor) {
    const claim = { actor, key, now: deps.clock.now() }
    const outcome = await serveIdempotent(deps, checked, claim, request, bytes, toRequest)
    if ('response' in outcome) return send(reply, binding, outcome.response)
    reply.header('idempotency-replayed', 'true').status(outcome.replay.status)
    return sendText(reply, operation, outcome.replay.body)
  }
  const response =
    operation.effect === 'transaction'
      ? await withPrepared(checked, toRequest(deps.db, request.raw), (prepared) =>
          inTransaction(deps.db, (tx) => checked.handle(toRequest(tx, request.raw), prepared)),
        )
      : await checked.handle(toRequest(await readerOf(deps, options, operation, actor), request.raw))
  return send(reply, binding, response)
}

/** What an operation without a transaction reads with. */
const readerOf = ({ db }: Deps, { replicas }: ServeOptions, { replica }: Operation, actor: Actor | null) =>
  replica && replicas && actor ? replicas.forActor(actor) : db

/** True if a valid body must still be compared with its object's current state. */
const needsStateCheck = ({ id, read_only }: ReadBody) => id !== null || Object.keys(read_only).length > 0

/** The binding with that comparison first, in the same transaction. */
function withStateCheck(binding: Binding, read: ReadBody): Binding {
  const { prepare, handle } = binding
  if (prepare)
    return {
      ...binding,
      prepare: async (request) => {
        await validateBody(binding, request, read)
        return await prepare(request)
      },
    }
  return {
    ...binding,
    handle: async (request) => {
      await validateBody(binding, request, read)
      return await handle(request)
    },
  }
}

async function identify(options: ServeOptions, operation: Operation, request: FastifyRequest): Promise<Actor | null> {
  if (operation.principals.includes('anyone')) return null
  // a signed link is its own authorization; the operation's handler checks it
  const credentials = credentialsOf(request)
  const by_link = operation.principals.includes('link') && 'signature' in (request.query as object)
  if (by_link && credentials.authorization === undefined) return null
  const actor = await options.authenticate(credentials)
  if (isAuthorized(actor, operation)) return actor
  throw actor.kind === 'person' && !isForOperator(operation) ? unknownAccount() : problem('not-authorized')
}

const isForOperator = ({ principals }: Operation) => principals.every((each) => each === 'operator' || each === 'key')

/** The same error for an account that does not exist and one the person does not belong to. */
const unknownAccount = () =>
  invalid({ 'Demarc-Account': ['Must be one of your accounts: the one you are acting for.'] })

/** Bodies from this size are parsed one per turn of the event loop. */
const large_body_bytes = 32_768
const noBytes = Buffer.alloc(0)
const noStream = Readable.from([])

/** Reads a JSON body; leaves a stream to the handler. */
async function readJsonBody(
  options: ServeOptions,
  operation: Operation,
  request: FastifyRequest,
): Promise<{ bytes: Buffer; read: ReadBody | null }> {
  if (!(operation.body instanceof z.ZodType)) return { bytes: noBytes, read: null }
  const bytes = await readBody(request.raw, request.headers, options.body_limit_bytes, options.body_timeout_ms)
  await ownTurn(bytes.length, large_body_bytes)
  const content_type = request.headers['content-type']
  if (operation.form && contentType(content_type) === formType)
    return { bytes, read: readOperationBody(operation, parseForm(bytes)) }
  if (bytes.length > 0) checkJsonType(content_type, operation)
  return { bytes, read: readOperationBody(operation, parseJson(bytes)) }
}

function send(
  reply: FastifyReply,
  { operation, status }: Binding,
  response: OperationResponse<Operation>,
): FastifyReply {
  reply.status(response.status ?? status).headers(response.headers ?? {})
  if ('stream' in response) {
    if (typeof response.stream === 'string' && response.content_type === undefined)
      return sendJson(reply, operation.media, response.stream)
    // HEAD must not read a large file
    if (reply.request.method === 'HEAD' && typeof response.stream !== 'string' && !Buffer.isBuffer(response.stream))
      response.stream.destroy()
    return reply.type(response.content_type ?? mediaTypes[operation.media]).send(response.stream)
  }
  return sendText(reply, operation, response.body === undefined ? '' : JSON.stringify(response.body))
}

const sendText = (reply: FastifyReply, operation: Operation, text: string) =>
  text === '' ? reply.send() : sendJson(reply, operation.media, text)

/** The requested URL on the public address, with only the non-empty query keys that the operation reads. */
function selfUrl(deps: Deps, { query: shape }: Operation, request: FastifyRequest): string {
  const [path = '', query = ''] = request.url.split('?', 2)
  if (query === '' && !path.endsWith('/')) return deps.public_url + path
  const applied = [...new URLSearchParams(query)].filter(
    ([name, value]) => value !== '' && shape !== undefined && Object.hasOwn(shape.shape, name),
  )
  const search = applied.length === 0 ? '' : `?${new URLSearchParams(applied).toString()}`
  return deps.public_url + path.replace(/(.)\/$/, '$1') + search
}

import { STATUS_CODES, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { randomUUID } from 'node:crypto'
import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { mediaTypes, type Media, type ProblemType } from '@demarc/client'
import type { Deps } from '../context.ts'
import { notReady } from '../faults.ts'
import { Problem, problem, wireAnswer } from '../problem.ts'
import type { Binding } from './binding.ts'
import { serve, type ServeOptions } from './serve.ts'

/** The HTTP server: every path, every fault, one error form. Knows operations only as data. */

export const httpLimits = {
  /** Request line and headers together. */
  header_bytes: 16_384,
  /** For the headers to arrive, then for the whole request. Ingest streams may take long, so the latter is generous. */
  headers_timeout_ms: 15_000,
  request_timeout_ms: 3_600_000,
  keep_alive_ms: 72_000,
  connections: 10_000,
} as const

export interface HttpOptions extends ServeOptions {
  trust_proxy: string[]
  /** Told of every answered request. */
  observe?: (seen: { operation: string; method: string; status: number; duration_s: number }) => void
}

declare module 'fastify' {
  interface FastifyContextConfig {
    operation?: string
    media?: Media
  }
}

/** Builds the server from the bindings. Nothing listens yet. */
export function buildServer(deps: Deps, bindings: readonly Binding[], options: HttpOptions): FastifyInstance {
  const app = Fastify({
    logger: false,
    genReqId: () => randomUUID(),
    trustProxy: options.trust_proxy.length > 0 ? options.trust_proxy : false,
    routerOptions: { ignoreTrailingSlash: true, ignoreDuplicateSlashes: false, maxParamLength: 500 },
    rewriteUrl: (request) => rewrite(request.url ?? '/'),
    http: {
      maxHeaderSize: httpLimits.header_bytes,
      headersTimeout: httpLimits.headers_timeout_ms,
      requestTimeout: httpLimits.request_timeout_ms,
    },
    keepAliveTimeout: httpLimits.keep_alive_ms,
    forceCloseConnections: 'idle',
    frameworkErrors: (error, request, reply) => {
      void answerFault(deps, error, request, reply)
    },
    clientErrorHandler: answerGarbage,
    return503OnClosing: false,
  })
  app.server.maxConnections = httpLimits.connections
  // bodies are read by operation, not by content type
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, payload, done) => done(null, payload))
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id)
  })
  // Fastify adds a charset, which JSON:API forbids and JSON does not have
  app.addHook('onSend', async (_request, reply) => {
    const type = reply.getHeader('content-type')
    if (typeof type === 'string' && /json;/.test(type)) reply.header('content-type', type.split(';', 1)[0])
  })
  app.addHook('onResponse', async (request, reply) => finish(deps, options, request, reply))
  app.setErrorHandler((error, request, reply) => answerFault(deps, error, request, reply))
  const paths = bindings.flatMap(({ operation: o }) =>
    [o.path, ...(o.aliases ?? [])].map((path) => ({ method: o.method, path, pattern: pathPattern(path) })),
  )
  app.setNotFoundHandler((request, reply) => answerNoRoute(paths, request, reply))
  for (const binding of bindings)
    for (const path of [binding.operation.path, ...(binding.operation.aliases ?? [])])
      app.route({
        method: binding.operation.method,
        url: path.replace(/\{(\w+)\}/g, ':$1'),
        config: { operation: binding.operation.id, media: binding.operation.media },
        handler: (request, reply) => serve(deps, options, binding, request, reply),
      })
  return app
}

/** Tolerated spellings: the segment `loa` in any case, and operator paths below the version prefix. */
function rewrite(url: string): string {
  const end = url.indexOf('?')
  const path = end < 0 ? url : url.slice(0, end)
  const plain = path.replace(/^\/v2(?=\/operator(?:\/|$))/, '').replace(/\/loa(?=\/|$)/i, '/loa')
  return end < 0 ? plain : plain + url.slice(end)
}

const pathPattern = (path: string) => new RegExp(`^${path.replace(/[.]/g, '\\.').replace(/\{\w+\}/g, '[^/]+')}/?$`)

/** A path that exists with other methods: 405, or the methods themselves for OPTIONS. Otherwise 404. */
function answerNoRoute(
  paths: readonly { method: string; path: string; pattern: RegExp }[],
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const path = request.url.split('?', 1)[0] ?? '/'
  const methods = new Set(paths.filter((p) => p.pattern.test(path)).map((p) => p.method))
  if (methods.size === 0)
    return sendProblem(reply, problem('not-found', 'There is no such path. /docs lists those there are.'))
  if (methods.has('GET')) methods.add('HEAD')
  const allow = [...methods, 'OPTIONS'].toSorted().join(', ')
  if (request.method === 'OPTIONS') return reply.header('allow', allow).status(204).send()
  return sendProblem(
    reply,
    problem('method-not-allowed', `${request.method} is not one of ${allow}.`, { headers: { allow } }),
  )
}

/** Errors come in the media type of the operation; where there is none, in plain JSON. */
function sendProblem(reply: FastifyReply, p: Problem): FastifyReply {
  const { status, body } = wireAnswer(p)
  for (const [name, value] of Object.entries(p.options.headers ?? {})) reply.header(name, value)
  if (status === 401) reply.header('www-authenticate', 'Basic realm="Demarc", charset="UTF-8"')
  const media = reply.request.routeOptions.config?.media ?? 'json'
  return reply.status(status).type(mediaTypes[media]).send(JSON.stringify(body))
}

async function answerFault(
  deps: Deps,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  reply.header('x-request-id', request.id)
  const known = error instanceof Problem ? error : (fromFastify(error) ?? notReady(error))
  if (known) return sendProblem(reply, known)
  deps.log.error(
    { err: error, request_id: request.id, operation: request.routeOptions.config.operation },
    'a request failed',
  )
  return sendProblem(
    reply,
    problem('internal', `Something went wrong on our side. Tell us this request id: ${request.id}`),
  )
}

/** Fastify's own refusals, in our words. */
function fromFastify(error: unknown): Problem | null {
  const { code, statusCode } = error as Partial<FastifyError>
  if (code === 'FST_ERR_BAD_URL') return problem('malformed-request', 'The path has a bad percent-encoding.')
  if (code === 'FST_ERR_CTP_INVALID_CONTENT_LENGTH')
    return problem('malformed-request', 'The body is not as long as Content-Length says.')
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return problem('unsupported-media-type')
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return problem('payload-too-large')
  if (code?.startsWith('FST_') && statusCode === 400) return problem('malformed-request')
  // the client went away while its body was read
  if (code === 'ECONNRESET' || code === 'ERR_STREAM_PREMATURE_CLOSE')
    return problem('malformed-request', 'The request was broken off.')
  return null
}

const garbage: Record<string, ProblemType> = {
  HPE_HEADER_OVERFLOW: 'headers-too-large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request-timeout',
}

/** Bytes that are not HTTP never reach a route: the answer is written to the socket by hand. */
function answerGarbage(error: Error & { code?: string }, socket: Socket & { _httpMessage?: ServerResponse }): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) return
  // an answer is under way: another head in its middle would be read as its body
  if (socket._httpMessage?.headersSent) return void socket.destroy(error)
  const p = problem(garbage[error.code ?? ''] ?? 'malformed-request')
  const { status, body } = wireAnswer(p)
  const text = JSON.stringify(body)
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n` +
      `X-Request-Id: ${randomUUID()}\r\nConnection: close\r\n\r\n${text}`,
  )
}

function finish(deps: Deps, options: HttpOptions, request: FastifyRequest, reply: FastifyReply): void {
  const operation = request.routeOptions.config?.operation ?? 'none'
  options.observe?.({
    operation,
    method: request.method,
    status: reply.statusCode,
    duration_s: reply.elapsedTime / 1000,
  })
  // ids only: a path may hold a telephone number, a query a name
  deps.log.info(
    {
      request_id: request.id,
      operation,
      method: request.method,
      status: reply.statusCode,
      duration_ms: Math.round(reply.elapsedTime),
    },
    'answered',
  )
}

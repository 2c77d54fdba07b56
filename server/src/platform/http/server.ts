import { randomUUID } from 'node:crypto'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { Media } from '@demarc/client'
import type { Deps } from '../context.ts'
import { notReady } from '../unavailable.ts'
import { Problem, problem } from '../problem.ts'
import type { Binding } from './binding.ts'
import { answerGarbage, answerOddities } from './client-errors.ts'
import { answerUnrouted } from './no-route.ts'
import { sendProblem } from './reply.ts'
import { serve, type ServeOptions } from './serve.ts'

/** The HTTP server: every path, every fault, one error form. Knows operations only as data. */

export const httpLimits = {
  /** Request line and headers together. */
  header_bytes: 16_384,
  /** For the headers to arrive, then for the whole request. Ingest streams may take long, so the latter is generous. */
  headers_timeout_ms: 15_000,
  request_timeout_ms: 3_600_000,
  /** How often those two are looked at. */
  check_ms: 5_000,
  /** For a JSON body to arrive. */
  body_timeout_ms: 60_000,
  /** For the rest of a body that was answered before its end: a socket closed at once would take the answer with it. */
  linger_ms: 10_000,
  keep_alive_ms: 72_000,
  connections: 10_000,
} as const

export type HttpLimits = { -readonly [K in keyof typeof httpLimits]: number }

export interface HttpOptions extends Omit<ServeOptions, 'body_timeout_ms'> {
  trust_proxy: string[]
  /** Limits other than `httpLimits`. */
  limits?: Partial<HttpLimits>
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
  const limits = { ...httpLimits, ...options.limits }
  const app = Fastify({
    logger: false,
    genReqId: () => randomUUID(),
    trustProxy: options.trust_proxy.length > 0 ? options.trust_proxy : false,
    routerOptions: { ignoreTrailingSlash: true, ignoreDuplicateSlashes: false, maxParamLength: 500 },
    rewriteUrl: (request) => rewrite(request.url ?? '/'),
    http: {
      maxHeaderSize: limits.header_bytes,
      headersTimeout: limits.headers_timeout_ms,
      requestTimeout: limits.request_timeout_ms,
      connectionsCheckingInterval: limits.check_ms,
      // refused below, in our own form
      requireHostHeader: false,
    },
    keepAliveTimeout: limits.keep_alive_ms,
    forceCloseConnections: 'idle',
    frameworkErrors: (error, request, reply) => void answerFault(deps, error, request, reply),
    clientErrorHandler: answerGarbage,
    return503OnClosing: false,
  })
  app.server.maxConnections = limits.connections
  answerOddities(app.server)
  answerUnrouted(app)
  // operations read their bodies themselves and judge their types: Fastify is told that no method has one
  for (const method of app.supportedMethods) app.addHttpMethod(method, { overrideExisting: true })
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    const hostless = request.raw.httpVersion === '1.1' && request.headers.host === undefined
    done(hostless ? problem('malformed-request', 'The Host header is missing.') : undefined)
  })
  app.addHook('onResponse', (request, reply, done) => {
    finish(deps, options, limits.linger_ms, request, reply)
    done()
  })
  app.setErrorHandler((error, request, reply) => answerFault(deps, error, request, reply))
  const serveOptions = { ...options, body_timeout_ms: limits.body_timeout_ms }
  for (const binding of bindings)
    for (const path of [binding.operation.path, ...(binding.operation.aliases ?? [])])
      app.route({
        method: binding.operation.method,
        url: path.replace(/\{(\w+)\}/g, ':$1'),
        config: { operation: binding.operation.id, media: binding.operation.media },
        // caught here, not by Fastify, which takes only an Error for one
        handler: (request, reply) =>
          serve(deps, serveOptions, binding, request, reply).catch((error: unknown) =>
            answerFault(deps, error, request, reply),
          ),
      })
  return app
}

/** Tolerated spellings: the absolute form of proxies, the segment `loa` in any case, operator paths below the version prefix. */
function rewrite(url: string): string {
  const [target, query] = splitOnce(url.replace(/^https?:\/\/[^/?]*/i, ''), '?')
  const path = target === '' ? '/' : target
  return path.replace(/^\/v2(?=\/operator(?:\/|$))/, '').replace(/\/loa(?=\/|$)/i, '/loa') + query
}

/** Before and from the first of these characters on. */
function splitOnce(text: string, at: string): [string, string] {
  const place = text.indexOf(at)
  return place < 0 ? [text, ''] : [text.slice(0, place), text.slice(place)]
}

async function answerFault(
  deps: Deps,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const known = error instanceof Problem ? error : (unreadable(error, request) ?? notReady(error))
  const which = { request_id: request.id, operation: request.routeOptions.config?.operation }
  // readiness says all it knows in its answer; where a part was away, the answer does not tell why
  if (known?.type === 'not-ready' && known.cause !== undefined)
    deps.log.warn({ err: known, ...which }, 'a request could not be served now')
  if (known) return sendProblem(reply, known)
  deps.log.error({ err: error, ...which }, 'a request failed')
  return sendProblem(
    reply,
    problem('internal', `Something went wrong on our side. Tell us this request id: ${request.id}`),
  )
}

/** The router's refusals in our words, and clients that went away while their body was read. */
function unreadable(error: unknown, request: FastifyRequest): Problem | null {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'FST_ERR_BAD_URL') return problem('malformed-request', 'The path has a bad percent-encoding.')
  if (code === 'FST_ERR_MAX_PARAM_LENGTH')
    return problem('not-found', 'There is no such path: a part of it is too long.')
  if (request.raw.destroyed && !request.raw.complete) return problem('malformed-request', 'The request was broken off.')
  return null
}

function finish(
  deps: Deps,
  { observe }: HttpOptions,
  linger_ms: number,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const { raw } = request
  if (!raw.complete) {
    raw.unpipe().resume()
    setTimeout(() => {
      // a client that has gone has taken its socket along
      if (!raw.complete) raw.destroy()
    }, linger_ms).unref()
  }
  const operation = request.routeOptions.config?.operation ?? 'none'
  observe?.({
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

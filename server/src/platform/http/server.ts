import { randomUUID } from 'node:crypto'
import { createServer, type RequestListener } from 'node:http'
import type { Socket } from 'node:net'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { Media } from '@demarc/client'
import type { Deps } from '../context.ts'
import { rangeSet } from '../outbound/addresses.ts'
import { retryableProblem } from '../unavailable.ts'
import { Problem, problem } from '../problem.ts'
import { createArrivalLimit } from './arrivals.ts'
import type { Binding } from './binding.ts'
import { onClientError, onUpgradeOrConnect, unlessRefused, framingError } from './client-errors.ts'
import { createConnectionLimit, type ClosingReason } from './connections.ts'
import { handleUnmatchedRequests } from './no-route.ts'
import { oneAtATime } from './pipeline.ts'
import { endAfterBody, sendProblem } from './reply.ts'
import { serve, type ServeOptions } from './serve.ts'
import { isOperatorNavigation, sendSite, variesByAccept, type Site } from './site.ts'
import { shedding } from './shedding.ts'
import { inSpanOf, traced } from './traced.ts'

/** The HTTP server: routes every operation and sends every error in one format. It knows operations only as data. */

export const httpLimits = {
  /** Request line and headers together. */
  header_bytes: 16_384,
  /** Time for the headers, then for the whole request, to arrive. The latter is long because ingest streams may take long. */
  headers_timeout_ms: 15_000,
  request_timeout_ms: 3_600_000,
  /** How often those two timeouts are checked. */
  check_ms: 5_000,
  /** Time for a JSON body to arrive. */
  body_timeout_ms: 60_000,
  /** Time for the rest of a body after an early response. Closing the socket immediately could discard the response. */
  linger_ms: 10_000,
  keep_alive_ms: 72_000,
  connections: 10_000,
  connections_per_address: 256,
  /** New connections per second. An address may send 100 requests a second, so a client needs fewer. */
  arrivals_per_address: 256,
  /** Connections that wait to be accepted. The system drops further ones, and their clients try again after a second. */
  backlog: 4_096,
  /** How long a client may accept no bytes of a response. */
  stall_ms: 60_000,
} as const

export type HttpLimits = { -readonly [K in keyof typeof httpLimits]: number }

export interface HttpOptions extends Omit<ServeOptions, 'body_timeout_ms'> {
  trust_proxy: string[]
  /** Served at paths that no operation has. */
  site?: Promise<Site> | null
  /** Overrides of `httpLimits`. */
  limits?: Partial<HttpLimits>
  /** True while requests already wait too long; further ones are refused before any work is done for them. */
  isOverloaded?: () => boolean
  /** Called for each request refused because of overload. */
  observeRefusal?: () => void
  /** Called for each connection closed because of a limit. */
  observeClosing?: (reason: ClosingReason) => void
  /** Called for each request with the address of its peer if that is not trusted and sent X-Forwarded-For; otherwise null. */
  observeForwarding?: (untrusted_peer: string | null) => void
  /** Called after each response. */
  observe?: (request: { operation: string; method: string; status: number; duration_s: number }) => void
}

declare module 'fastify' {
  interface FastifyContextConfig {
    operation?: string
    media?: Media
    /** Used to sign in, or only with a session. */
    by_session?: boolean
  }
}

/** Builds the server from its bindings. It does not listen yet. */
export function buildServer(deps: Deps, bindings: readonly Binding[], options: HttpOptions): FastifyInstance {
  const limits = { ...httpLimits, ...options.limits }
  const app = Fastify({
    logger: false,
    genReqId: () => randomUUID(),
    trustProxy: options.trust_proxy.length > 0 ? options.trust_proxy : false,
    routerOptions: { ignoreTrailingSlash: true, ignoreDuplicateSlashes: false, maxParamLength: 500 },
    rewriteUrl: (request) => rewrite(request.url ?? '/'),
    serverFactory: nodeServer(limits, options),
    forceCloseConnections: 'idle',
    frameworkErrors: (error, request, reply) => void sendUnroutable(deps, options, error, request, reply),
    clientErrorHandler: (error, socket) => void onClientError(error, socket, options.limit),
    return503OnClosing: false,
  })
  const isProxy = proxyTest(options.trust_proxy)
  const site = options.site ?? null
  const methodProblem = handleUnmatchedRequests(app, site)
  // operations read and check their bodies themselves, so Fastify must not parse any
  for (const method of app.supportedMethods) app.addHttpMethod(method, { overrideExisting: true })
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id)
    const peer = request.headers['x-forwarded-for'] === undefined ? undefined : request.socket.remoteAddress
    options.observeForwarding?.(peer === undefined || isProxy(peer) ? null : peer.replace(/^::ffff:(?=\d+\.)/i, ''))
    const framing = framingError(request.raw)
    // the end of the request is uncertain, so nothing after it is read
    if (framing !== null) reply.header('connection', 'close')
    if (site !== null && variesByAccept(request)) reply.header('vary', 'accept')
    const navigation = site !== null && isOperatorNavigation(request)
    const refusal =
      framing !== null ? problem('malformed-request', framing) : navigation ? null : methodProblem(request)
    // operations count their requests by key
    if (refusal === null && !navigation && request.routeOptions.config?.operation !== undefined) return
    await countRequest(options, request, reply)
    if (refusal !== null) throw refusal
    if (navigation && (await sendSite(site, request, reply))) return reply
    return
  })
  addEndHooks(deps, options, limits.linger_ms, app)
  app.setErrorHandler((error, request, reply) => sendError(deps, error, request, reply))
  const serveOptions = { ...options, body_timeout_ms: limits.body_timeout_ms }
  for (const binding of bindings)
    for (const path of [binding.operation.path, ...(binding.operation.aliases ?? [])])
      app.route({
        method: binding.operation.method,
        url: path.replace(/\{(\w+)\}/g, ':$1'),
        config: {
          operation: binding.operation.id,
          media: binding.operation.media,
          by_session: binding.operation.feature === 'people',
        },
        // caught here because Fastify's error handler receives only instances of Error
        handler: (request, reply) =>
          traced(binding.operation, request, reply, () =>
            serve(deps, serveOptions, binding, request, reply).catch((error: unknown) =>
              sendError(deps, error, request, reply),
            ),
          ),
      })
  return app
}

/** Listens, and returns the base URL. */
export const listenOn = (app: FastifyInstance, { host, port }: { host: string; port: number }): Promise<string> =>
  app.listen({ host, port, backlog: httpLimits.backlog })

function proxyTest(trust_proxy: readonly string[]): (address: string) => boolean {
  const proxies = rangeSet(trust_proxy)
  return (address) => proxies.has(address) || proxies.hasMapped(address)
}

/** Node's HTTP server with our limits, for Fastify. */
function nodeServer(limits: HttpLimits, options: HttpOptions) {
  const { trust_proxy, observeClosing, isOverloaded = () => false, observeRefusal } = options
  const isProxy = proxyTest(trust_proxy)
  const connections = createConnectionLimit(limits, isProxy, (reason) => observeClosing?.(reason))
  const arrivals = createArrivalLimit(limits.arrivals_per_address, isProxy, () => observeClosing?.('arrivals'))
  const onFull = (socket: Socket) => {
    arrivals.charge(socket)
    observeClosing?.('pipelined')
  }
  return (listener: RequestListener) => {
    const shed = shedding(listener, isOverloaded, () => observeRefusal?.())
    const server = createServer(
      {
        maxHeaderSize: limits.header_bytes,
        headersTimeout: limits.headers_timeout_ms,
        requestTimeout: limits.request_timeout_ms,
        connectionsCheckingInterval: limits.check_ms,
        keepAliveTimeout: limits.keep_alive_ms,
        // we refuse it in our own error format
        requireHostHeader: false,
      },
      unlessRefused(connections.busy(oneAtATime(shed, { onFull, arrived: arrivals.arrived }))),
    )
    arrivals.watch(server)
    connections.watch(server)
    onUpgradeOrConnect(server)
    return server
  }
}

/** Counts a request outside any operation against the limit of its address. Throws 429. */
async function countRequest({ limit }: HttpOptions, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  reply.headers(await limit(null, request.ip))
}

/** Normalizes accepted variants: a proxy's absolute form, `loa` in any case, operator paths below the version prefix. */
function rewrite(url: string): string {
  const [target, query] = splitOnce(url.replace(/^https?:\/\/[^/?]*/i, ''), '?')
  const path = target === '' ? '/' : target
  return path.replace(/^\/v2(?=\/operator(?:\/|$))/, '').replace(/\/loa(?=\/|$)/i, '/loa') + query
}

/** Splits before the first occurrence of `at`, which stays in the second part. */
function splitOnce(text: string, at: string): [string, string] {
  const index = text.indexOf(at)
  return index < 0 ? [text, ''] : [text.slice(0, index), text.slice(index)]
}

/** Sends a router error, for which no hook runs. */
async function sendUnroutable(
  deps: Deps,
  options: HttpOptions,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  try {
    await countRequest(options, request, reply)
  } catch (refusal) {
    await sendError(deps, refusal, request, reply)
    return
  }
  await sendError(deps, error, request, reply)
}

async function sendError(
  deps: Deps,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const known = error instanceof Problem ? error : (unreadable(error, request) ?? retryableProblem(error))
  const which = { request_id: request.id, operation: request.routeOptions.config?.operation }
  // a readiness response states its cause; other 503 responses do not
  if (known?.type === 'not-ready' && known.cause !== undefined)
    deps.log.warn({ err: known, ...which }, 'a request failed because the service is not ready')
  if (known) return sendProblem(reply, known)
  deps.log.error({ err: error, ...which }, 'a request failed')
  return sendProblem(
    reply,
    problem('internal', `Something went wrong on our side. Contact support with this request id: ${request.id}`),
  )
}

/** The problem for a router error, or for a client that disconnected while its body was being read. */
function unreadable(error: unknown, request: FastifyRequest): Problem | null {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'FST_ERR_BAD_URL') return problem('malformed-request', 'The path contains invalid percent-encoding.')
  // paths that the static file server refuses: `..`, null characters, names that are too long
  if (code === 'FST_STATIC_FORBIDDEN_PATH') return problem('not-found', 'This path does not exist.')
  if (code === 'FST_ERR_MAX_PARAM_LENGTH')
    return problem('not-found', 'This path does not exist: one of its segments is too long.')
  if (request.raw.destroyed && !request.raw.complete)
    return problem('malformed-request', 'The client disconnected before the request was complete.')
  return null
}

function addEndHooks(deps: Deps, options: HttpOptions, linger_ms: number, app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    done(null, endAfterBody(request, reply, payload, linger_ms))
  })
  app.addHook('onResponse', (request, reply, done) => {
    inSpanOf(request, () => finish(deps, options, linger_ms, request, reply))
    done()
  })
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
      // the socket is already closed if the client disconnected
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
  // ids only: a path may contain a telephone number, and a query may contain a name
  deps.log.info(
    {
      request_id: request.id,
      operation,
      method: request.method,
      status: reply.statusCode,
      duration_ms: Math.round(reply.elapsedTime),
    },
    'request completed',
  )
}

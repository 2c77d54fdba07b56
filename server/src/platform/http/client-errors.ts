import { randomUUID } from 'node:crypto'
import { STATUS_CODES, type RequestListener, type Server, type ServerResponse, type IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { mediaTypes, type ProblemType } from '@demarc/client'
import { problem, problemResponse, Problem } from '../problem.ts'
import type { RateLimit } from '../rate-limit.ts'

/** Handles requests that never reach a route: writes the response directly to the socket in the common error format. */

/** The socket field that node:http uses for its default response; see "Event: 'clientError'" in its documentation. */
type HttpSocket = Socket & { _httpMessage?: ServerResponse | null }

const types: Record<string, ProblemType> = {
  HPE_HEADER_OVERFLOW: 'headers-too-large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request-timeout',
}

/** Connections on which a request was refused before all of it arrived. */
const refused = new WeakSet<Duplex>()

/** Drops a request that arrives after its refusal was sent, and closes its connection. */
export const unlessRefused =
  (listener: RequestListener): RequestListener =>
  (request, response) =>
    refused.has(request.socket) ? void request.socket.destroy() : listener(request, response)

/**
 * Handles `clientError`: bytes that are not HTTP, oversized headers, and requests that arrive too slowly. Each counts as a
 * request.
 */
export async function onClientError(
  error: Error & { code?: string },
  socket: HttpSocket,
  limit: RateLimit,
): Promise<void> {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) return
  const { _httpMessage: current } = socket
  // the invalid bytes follow a pipelined request, whose response goes first
  if (current?.req.complete) return void current.once('close', () => void onClientError(error, socket, limit))
  // the client would read a second response as the body of the first
  if (current?.headersSent) return void socket.destroy(error)
  // the rest of the body may still arrive, and the request would run after the client was told it timed out
  if (current && error.code === 'ERR_HTTP_REQUEST_TIMEOUT') return void socket.destroy(error)
  refused.add(socket)
  const refusal = await count(socket, limit)
  if (!socket.writable) return
  writeProblem(socket, refusal ?? problem(types[error.code ?? ''] ?? 'malformed-request'))
}

/** Counts a request against the limit of its address; returns the 429 if it exceeds the limit. */
async function count(socket: HttpSocket, limit: RateLimit): Promise<Problem | null> {
  try {
    await limit(null, socket.remoteAddress ?? '')
    return null
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
}

/** Handles requests that node:http would answer in its own format or not at all. */
export function onUpgradeOrConnect(server: Server): void {
  const allow = 'DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT'
  server.on('connect', (_request, socket: Duplex) =>
    writeProblem(
      socket,
      problem('method-not-allowed', `This path does not support CONNECT. Supported: ${allow}.`, { headers: { allow } }),
    ),
  )
  // RFC 9110 section 10.1.1 lets a server ignore an unknown expectation
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
}

function writeProblem(socket: Duplex, p: Problem): void {
  const { status, body } = problemResponse(p)
  const text = JSON.stringify(body)
  const headers = {
    'content-type': mediaTypes.json,
    'content-length': String(Buffer.byteLength(text)),
    'x-request-id': randomUUID(),
    connection: 'close',
    ...p.options.headers,
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${text}`)
}

/**
 * Why a request's framing cannot be trusted; null if it can. A proxy may read such a request differently, which allows request
 * smuggling (RFC 9112, 2.3, 3.2, 6.1 and 11.2). The parser lets these through.
 */
export function framingError({ httpVersion, rawHeaders, headers }: IncomingMessage): string | null {
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return `HTTP/${httpVersion} is not supported. Use HTTP/1.1.`
  const hosts = rawHeaders.filter((name, i) => i % 2 === 0 && name.toLowerCase() === 'host').length
  if (hosts > 1) return 'The request has more than one Host header.'
  if (hosts === 0 && httpVersion === '1.1') return 'The Host header is missing.'
  const coding = headers['transfer-encoding']
  if (coding === undefined) return null
  if (httpVersion === '1.0') return 'HTTP/1.0 does not support Transfer-Encoding. Send a Content-Length.'
  return coding.toLowerCase() === 'chunked' ? null : 'The only supported Transfer-Encoding is chunked.'
}

import { randomUUID } from 'node:crypto'
import { STATUS_CODES, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { mediaTypes, type ProblemType } from '@demarc/client'
import { problem, problemResponse, Problem } from '../problem.ts'
import type { RateLimit } from '../rate-limit.ts'

/** Requests that never reach a route: the response is written to the socket directly, in the common error format. */

/** The field of a socket that node:http uses for its own default response; see "Event: 'clientError'" in its documentation. */
type HttpSocket = Socket & { _httpMessage?: ServerResponse | null }

const types: Record<string, ProblemType> = {
  HPE_HEADER_OVERFLOW: 'headers-too-large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request-timeout',
}

/** Connections on which a request was refused before it had arrived. */
const refused = new WeakSet<Duplex>()

/** A request that arrives after its refusal was on its way is not done, and its connection ends. */
export const unlessRefused =
  (listener: RequestListener): RequestListener =>
  (request, response) =>
    refused.has(request.socket) ? void request.socket.destroy() : listener(request, response)

/** Handles `clientError`: bytes that are not HTTP, headers too large, requests that do not arrive in time. They count as requests. */
export async function onClientError(
  error: Error & { code?: string },
  socket: HttpSocket,
  limit: RateLimit,
): Promise<void> {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) return
  const { _httpMessage: current } = socket
  // the invalid bytes follow a pipelined request: its response goes first
  if (current?.req.complete) return void current.once('close', () => void onClientError(error, socket, limit))
  // once the headers of a response are sent, another response would be read as its body
  if (current?.headersSent) return void socket.destroy(error)
  // the rest of the body may still come, and what was said to be late would be done
  if (current && error.code === 'ERR_HTTP_REQUEST_TIMEOUT') return void socket.destroy(error)
  refused.add(socket)
  const refusal = await count(socket, limit)
  if (!socket.writable) return
  writeProblem(socket, refusal ?? problem(types[error.code ?? ''] ?? 'malformed-request'))
}

/** Counts a request against the limit of its address; the 429 when there are too many. */
async function count(socket: HttpSocket, limit: RateLimit): Promise<Problem | null> {
  try {
    await limit(null, socket.remoteAddress ?? '')
    return null
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
}

/** Handles requests that node:http would otherwise answer in its own format, or not at all. */
export function onUpgradeOrConnect(server: Server): void {
  const allow = 'DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT'
  server.on('connect', (_request, socket: Duplex) =>
    writeProblem(socket, problem('method-not-allowed', `CONNECT is not one of ${allow}.`, { headers: { allow } })),
  )
  // RFC 9110 section 10.1.1 lets a server ignore an expectation that it does not know
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

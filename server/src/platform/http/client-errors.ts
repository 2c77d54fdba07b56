import { randomUUID } from 'node:crypto'
import { STATUS_CODES, type Server, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { mediaTypes, type ProblemType } from '@demarc/client'
import { problem, wireAnswer, type Problem } from '../problem.ts'

/** Requests that never reach a route: the answer is written to the socket by hand, in the one error form. */

/** The fields of a socket that node:http keeps for its own default answer; see "Event: 'clientError'" in its documentation. */
type HttpSocket = Duplex & { _httpMessage?: ServerResponse | null }

const types: Record<string, ProblemType> = {
  HPE_HEADER_OVERFLOW: 'headers-too-large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request-timeout',
}

/** Bytes that are not HTTP, headers too large, requests that do not arrive in time. */
export function answerGarbage(error: Error & { code?: string }, socket: HttpSocket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) return
  const { _httpMessage: under_way } = socket
  // the garbage stands after a request that is still being answered: that answer goes first
  if (under_way?.req.complete) return void under_way.once('close', () => answerGarbage(error, socket))
  // in the middle of an answer another head would be read as its body
  if (under_way?.headersSent) return void socket.destroy(error)
  answerSocket(socket, problem(types[error.code ?? ''] ?? 'malformed-request'))
}

/** What node:http would otherwise answer in a form of its own, or not at all. */
export function answerOddities(server: Server): void {
  const allow = 'DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT'
  server.on('connect', (_request, socket: Duplex) =>
    answerSocket(socket, problem('method-not-allowed', `CONNECT is not one of ${allow}.`, { headers: { allow } })),
  )
  // RFC 9110 section 10.1.1 lets a server pass over an expectation that it does not know
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
}

function answerSocket(socket: Duplex, p: Problem): void {
  const { status, body } = wireAnswer(p)
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

import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import type { IncomingMessage } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { mediaTypes, type Media } from '@demarc/client'
import { problemResponse, type Problem } from '../problem.ts'

/**
 * Sends JSON text with exactly this media type. The serializer is ours because Fastify's adds a charset, which JSON:API forbids
 * and JSON does not define. The body is a string because node:http sends headers and a string in one packet, but a Buffer
 * separately.
 */
export const sendJson = (reply: FastifyReply, media: Media, text: string): FastifyReply =>
  reply.type(mediaTypes[media]).serializer(identity).send(text)

const identity = (text: string) => text

/** Sends an error in the operation's media type, or application/json outside an operation. */
export function sendProblem(reply: FastifyReply, p: Problem): FastifyReply {
  const { status, body } = problemResponse(p)
  reply.header('x-request-id', reply.request.id)
  reply.headers(p.options.headers ?? {})
  if (status === 401) reply.header('www-authenticate', challengeTo(reply))
  const media = p.options.media ?? reply.request.routeOptions.config?.media ?? 'json'
  return sendJson(reply.status(status), media, JSON.stringify(body))
}

/**
 * The `WWW-Authenticate` challenge. For page scripts it names a scheme that browsers don't know; otherwise the browser would
 * open its own dialog asking for a key.
 */
function challengeTo({ request: { headers, routeOptions } }: FastifyReply): string {
  const by_session =
    routeOptions.config?.by_session === true ||
    (headers.authorization === undefined && (headers.cookie !== undefined || 'demarc-csrf' in headers))
  return by_session ? 'Session realm="Demarc"' : 'Basic realm="Demarc", charset="UTF-8"'
}

/**
 * The same text as a payload that ends only when the request's body has arrived, for at most `linger_ms`, if the response is sent
 * earlier and closes the connection. Closing it at once resets a connection on which the client still sends, and many clients
 * then discard the response (RFC 9112, 9.6).
 */
export function endAfterBody<T>(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: T,
  linger_ms: number,
): T | Readable {
  const { raw, headers } = request
  const has_body = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
  if (raw.complete || !has_body || typeof payload !== 'string') return payload
  const closes = !reply.raw.shouldKeepAlive || reply.raw.hasHeader('connection')
  // a framing error sets the header on the reply: nothing after it may be read
  if (!closes || reply.hasHeader('connection')) return payload
  reply.header('content-length', Buffer.byteLength(payload))
  return Readable.from(lingering(raw, payload, linger_ms))
}

async function* lingering(raw: IncomingMessage, text: string, linger_ms: number) {
  yield text
  raw.unpipe().resume()
  // whatever ends the wait, the response is sent and the connection closes
  await finished(raw, { signal: AbortSignal.timeout(linger_ms) }).catch(() => undefined)
}

import type { FastifyReply } from 'fastify'
import { mediaTypes, type Media } from '@demarc/client'
import { problemResponse, type Problem } from '../problem.ts'

/**
 * Sends JSON text in exactly this media type. With a serializer of its own: otherwise Fastify adds a charset, which JSON:API
 * forbids and JSON does not define. As a string, because node:http writes headers and a string in one packet, but a Buffer separately.
 */
export const sendJson = (reply: FastifyReply, media: Media, text: string): FastifyReply =>
  reply.type(mediaTypes[media]).serializer(identity).send(text)

const identity = (text: string) => text

/** Sends an error in the media type of the operation, or application/json where there is none. */
export function sendProblem(reply: FastifyReply, p: Problem): FastifyReply {
  const { status, body } = problemResponse(p)
  reply.header('x-request-id', reply.request.id)
  reply.headers(p.options.headers ?? {})
  if (status === 401) reply.header('www-authenticate', challengeTo(reply))
  return sendJson(reply.status(status), reply.request.routeOptions.config?.media ?? 'json', JSON.stringify(body))
}

/**
 * How to sign in. To the script of a page it is no scheme that its browser has, because the browser would open a dialog of its
 * own to ask for a key.
 */
function challengeTo({ request: { headers, routeOptions } }: FastifyReply): string {
  const by_session =
    routeOptions.config?.by_session === true ||
    (headers.authorization === undefined && (headers.cookie !== undefined || 'demarc-csrf' in headers))
  return by_session ? 'Session realm="Demarc"' : 'Basic realm="Demarc", charset="UTF-8"'
}

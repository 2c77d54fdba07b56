import type { FastifyReply } from 'fastify'
import { mediaTypes, type Media } from '@demarc/client'
import { wireAnswer, type Problem } from '../problem.ts'

/**
 * Sends JSON text in exactly this media type. Told that it is serialised: otherwise Fastify adds a charset, which JSON:API
 * forbids and JSON does not have. As text, because node:http writes head and text in one piece, but bytes in a second.
 */
export const sendJson = (reply: FastifyReply, media: Media, text: string): FastifyReply =>
  reply.type(mediaTypes[media]).serializer(asItIs).send(text)

const asItIs = (text: string) => text

/** Errors come in the media type of the operation; where there is none, in plain JSON. */
export function sendProblem(reply: FastifyReply, p: Problem): FastifyReply {
  const { status, body } = wireAnswer(p)
  reply.header('x-request-id', reply.request.id)
  reply.headers(p.options.headers ?? {})
  if (status === 401) reply.header('www-authenticate', 'Basic realm="Demarc", charset="UTF-8"')
  return sendJson(reply.status(status), reply.request.routeOptions.config?.media ?? 'json', JSON.stringify(body))
}

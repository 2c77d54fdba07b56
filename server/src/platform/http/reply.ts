import type { FastifyReply } from 'fastify'
import { mediaTypes, type Media } from '@demarc/client'
import { wireAnswer, type Problem } from '../problem.ts'

/**
 * Sends JSON text in exactly this media type. As bytes: to text Fastify adds a charset, which JSON:API forbids and JSON
 * does not have.
 */
export const sendJson = (reply: FastifyReply, media: Media, text: string): FastifyReply =>
  reply.type(mediaTypes[media]).send(Buffer.from(text))

/** Errors come in the media type of the operation; where there is none, in plain JSON. */
export function sendProblem(reply: FastifyReply, p: Problem): FastifyReply {
  const { status, body } = wireAnswer(p)
  reply.header('x-request-id', reply.request.id)
  for (const [name, value] of Object.entries(p.options.headers ?? {})) reply.header(name, value)
  if (status === 401) reply.header('www-authenticate', 'Basic realm="Demarc", charset="UTF-8"')
  return sendJson(reply.status(status), reply.request.routeOptions.config?.media ?? 'json', JSON.stringify(body))
}

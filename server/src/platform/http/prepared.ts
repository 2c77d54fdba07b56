import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** A response that is the same for everybody: serialized, and compressed at its first use, once in the life of the process. */
export interface PreparedResponse {
  send(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>
}

const codings = { br: promisify(brotliCompress), gzip: promisify(gzip) } as const
type Coding = keyof typeof codings

/** Prepares a text. Its ETag is its digest, with the coding, because strong ETags name the very bytes. */
export function prepareResponse(text: string, content_type: string): PreparedResponse {
  const plain = Buffer.from(text)
  const digest = createHash('sha256').update(plain).digest('base64url')
  const compressed = new Map<Coding, Promise<Buffer>>()
  const bytesOf = (coding: Coding) => {
    const bytes = compressed.get(coding) ?? codings[coding](plain)
    compressed.set(coding, bytes)
    return bytes
  }
  return {
    async send({ headers }, reply) {
      const coding = acceptedCoding(headers['accept-encoding'])
      const etag = `"${digest}${coding === null ? '' : `-${coding}`}"`
      reply.headers({ etag, vary: 'accept-encoding', 'cache-control': 'no-cache' })
      if (isCurrent(headers['if-none-match'], etag)) return reply.status(304).send()
      if (coding !== null) reply.header('content-encoding', coding)
      // a Buffer is not copied for each connection, as a text would be
      return reply.type(content_type).send(coding === null ? plain : await bytesOf(coding))
    },
  }
}

/** The coding to send by an Accept-Encoding header (RFC 9110, 12.5.3); null: as it is. */
function acceptedCoding(header: string | string[] | undefined): Coding | null {
  const accepted = [header ?? []].flat().join(',').toLowerCase().split(',')
  const weights = new Map(
    accepted.map((entry) => {
      const [name = '', ...parameters] = entry.split(';').map((part) => part.trim())
      const q = parameters.find((parameter) => parameter.startsWith('q='))
      return [name, q === undefined ? 1 : Number(q.slice(2))]
    }),
  )
  const weightOf = (coding: Coding) => weights.get(coding) ?? weights.get('*') ?? 0
  const [best] = (['br', 'gzip'] as const)
    .filter((coding) => weightOf(coding) > 0)
    .toSorted((a, b) => weightOf(b) - weightOf(a))
  return best ?? null
}

/** True if an If-None-Match header names this ETag (RFC 9110, 13.1.2). */
const isCurrent = (header: string | undefined, etag: string): boolean =>
  (header ?? '').split(',').some((each) => ['*', etag].includes(each.trim().replace(/^W\//, '')))

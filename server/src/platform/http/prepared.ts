import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** A response that is the same for everyone: serialized once per process and compressed on first use. */
export interface PreparedResponse {
  send(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>
}

const codings = ['br', 'gzip'] as const
type Coding = (typeof codings)[number]

/** A body in each available coding. A function compresses it on first use. */
export interface EncodedBody extends Partial<Record<Coding, Buffer | (() => Promise<Buffer>) | undefined>> {
  digest: string
  plain: Buffer
}

const compressBrotli = promisify(brotliCompress)
const compressGzip = promisify(gzip)

export function prepareResponse(text: string, content_type: string): PreparedResponse {
  const plain = Buffer.from(text)
  const compressed: Partial<Record<Coding, Promise<Buffer>>> = {}
  const body: EncodedBody = {
    digest: digestOf(plain),
    plain,
    br: () => (compressed.br ??= compressBrotli(plain)),
    gzip: () => (compressed.gzip ??= compressGzip(plain)),
  }
  return {
    async send(request, reply) {
      reply.headers({ vary: 'accept-encoding', 'cache-control': 'no-cache' }).type(content_type)
      await sendEncoded(body, request, reply)
      return reply
    },
  }
}

export const digestOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('base64url')

/**
 * Sends the body in the best coding that the request accepts, or 304 if the client has it. The ETag includes the coding because
 * strong ETags name the exact bytes. The caller sets `vary`, which must include accept-encoding.
 */
export async function sendEncoded(body: EncodedBody, { headers }: FastifyRequest, reply: FastifyReply): Promise<void> {
  const coding = acceptedCoding(
    headers['accept-encoding'],
    codings.filter((each) => body[each] !== undefined),
  )
  const etag = `"${body.digest}${coding === null ? '' : `-${coding}`}"`
  reply.header('etag', etag)
  if (isCurrent(headers['if-none-match'], etag)) return void reply.status(304).send()
  if (coding !== null) reply.header('content-encoding', coding)
  // unlike a string, a Buffer is not copied for each connection
  const bytes = coding === null ? body.plain : body[coding]
  void reply.send(typeof bytes === 'function' ? await bytes() : bytes)
}

/** The available coding that an Accept-Encoding header prefers (RFC 9110, 12.5.3); null for none. */
function acceptedCoding(header: string | string[] | undefined, available: readonly Coding[]): Coding | null {
  const accepted = [header ?? []].flat().join(',').toLowerCase().split(',')
  const weights = new Map(
    accepted.map((entry) => {
      const [name = '', ...parameters] = entry.split(';').map((part) => part.trim())
      const q = parameters.find((parameter) => parameter.startsWith('q='))
      return [name, q === undefined ? 1 : Number(q.slice(2))]
    }),
  )
  const weightOf = (coding: Coding) => weights.get(coding) ?? weights.get('*') ?? 0
  const [best] = available.filter((coding) => weightOf(coding) > 0).toSorted((a, b) => weightOf(b) - weightOf(a))
  return best ?? null
}

/** True if an If-None-Match header names this ETag (RFC 9110, 13.1.2). */
const isCurrent = (header: string | undefined, etag: string): boolean =>
  (header ?? '').split(',').some((each) => ['*', etag].includes(each.trim().replace(/^W\//, '')))

import type { IncomingMessage } from 'node:http'

/**
 * Why a request's framing cannot be trusted; null for nearly all. A proxy may read such a request as another one than we do,
 * which is how requests are smuggled past it (RFC 9112, 2.3, 3.2, 6.1 and 11.2). The parser lets these through.
 */
export function framingError({ httpVersion, rawHeaders, headers }: IncomingMessage): string | null {
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return `This service speaks HTTP/1.1, not HTTP/${httpVersion}.`
  const hosts = rawHeaders.filter((name, i) => i % 2 === 0 && name.toLowerCase() === 'host').length
  if (hosts > 1) return 'There is more than one Host header.'
  if (hosts === 0 && httpVersion === '1.1') return 'The Host header is missing.'
  const coding = headers['transfer-encoding']
  if (coding === undefined) return null
  if (httpVersion === '1.0') return 'HTTP/1.0 has no Transfer-Encoding. Send a Content-Length.'
  return coding.toLowerCase() === 'chunked' ? null : 'The only Transfer-Encoding that is read is chunked.'
}

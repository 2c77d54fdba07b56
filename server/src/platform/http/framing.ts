import type { IncomingMessage } from 'node:http'

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

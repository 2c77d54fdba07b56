import { currentTraceparent, inSpan } from './index.ts'

/**
 * Sends a request in a span. `send` gets the header that lets the receiver continue the trace. The span names the host only: the
 * rest of a URL may be secret.
 */
export function inClientSpan<Response extends { status: number }>(
  method: string,
  { hostname, protocol, port }: URL,
  send: (headers: Record<string, string>) => Promise<Response>,
): Promise<Response> {
  const attributes = {
    'http.request.method': method,
    'server.address': hostname,
    'server.port': Number(port || (protocol === 'https:' ? 443 : 80)),
  }
  return inSpan(
    method,
    attributes,
    async (span) => {
      const traceparent = currentTraceparent()
      const response = await send(traceparent === null ? {} : { traceparent })
      span.set({ 'http.response.status_code': response.status })
      if (response.status >= 400) span.fail(String(response.status))
      return response
    },
    'client',
  )
}
